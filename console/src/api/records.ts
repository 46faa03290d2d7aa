/** Records as the service sends them. */

export type Role = 'member' | 'manager' | 'owner';

export interface Person {
  readonly person_id: number;
  readonly email: string;
  readonly role: Role;
  readonly identity_id: number | null;
  readonly is_active: boolean;
  readonly is_password_initial: boolean;
  readonly created_at: string;
  readonly last_sign_in_at: string | null;
}

export interface SessionAnswer {
  readonly person: Person | null;
  readonly identity?: { readonly identity_id: number; readonly name: string } | null;
  readonly csrf_token?: string;
  readonly expires_at?: string;
  readonly source_address?: string;
}

export interface Identity {
  readonly identity_id: number;
  readonly name: string;
  readonly max_active_api_keys: number;
  readonly ip_subnets: readonly string[];
}

export interface ApiKeyRecord {
  readonly key_id: number;
  readonly name: string;
  /** The last four characters. */
  readonly reference: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly last_used_at: string | null;
  readonly is_active: boolean;
  readonly status: 'active' | 'deactivated' | 'expired';
}

export interface Amounts {
  readonly requests: number;
  readonly data_scanned: number;
  readonly data_returned: number;
}

export interface Limits {
  readonly requests: number | null;
  readonly data_scanned: number | null;
  readonly data_returned: number | null;
}

export interface Quotas {
  readonly quotas_usage: { readonly month: Amounts; readonly minute: Amounts };
  readonly quotas_limit: { readonly month: Limits; readonly minute: Limits };
}

export interface DayUsage extends Amounts {
  readonly day: string;
  readonly dataset_id: string | null;
  readonly key_id: number | null;
}

export interface Usage {
  readonly identity_id: number;
  readonly from: string;
  readonly to: string;
  readonly data: readonly DayUsage[];
  readonly total: Amounts;
}

export interface AccessRuleRecord {
  readonly dataset_id: string;
  readonly dataset_name: string;
  readonly dataset_text_id?: string;
  readonly dataset_version: string;
  readonly start_date: string;
  readonly end_date: string | null;
  readonly universe_identifiers: readonly string[];
}

export interface CatalogueRow {
  readonly dataset_id: string;
  readonly dataset_name: string;
  readonly data_group: string;
  readonly vendor: string;
  readonly dataset_text_id?: string;
}

export interface DatasetInfo extends CatalogueRow {
  readonly description: string;
  readonly dataset_class: string;
  readonly dataset_format: string;
  readonly time_granularity: string;
  readonly documentation_link: string;
  readonly start_date: string;
  /** Null while it is still updated. */
  readonly end_date: string | null;
  readonly is_time_series: boolean;
  readonly universe_identifier: string;
  readonly creation_date: string;
}

export type StatusCode = 'current' | 'updating' | 'late' | 'failed' | 'closed' | 'empty';

export interface DatasetStatus {
  readonly dataset_id: string;
  readonly status_code: StatusCode;
  readonly last_update: string | null;
  readonly next_expected_update: string | null;
  readonly last_trade_date: string | null;
  readonly version: number;
  readonly row_count: number;
}

export interface RowLimit {
  readonly default: number;
  readonly maximum: number;
}

/** The operators of filters. */
export type Operator = 'eq' | 'gt' | 'ge' | 'lt' | 'le' | 'in' | 'like' | 'ilike';

/** How a dataset is asked for. */
export interface QueryShape {
  readonly dataset_id: string;
  readonly group: string;
  readonly segment: string;
  readonly path_parameters: readonly ('trade_date' | 'identifier')[];
  /** Other segments that it answers under. */
  readonly aliases: readonly string[];
  readonly parameters: readonly {
    readonly name: string;
    /** Empty where a pattern says what is legal. */
    readonly values: readonly string[];
    readonly pattern: string | null;
    readonly default: string;
  }[];
  readonly variants: readonly {
    readonly dataset_id: string;
    readonly dataset_name: string;
    /** Parameters that choose it, such as `adjusted: "true"`. */
    readonly parameters: Readonly<Record<string, string>>;
    readonly is_entitled: boolean;
  }[];
  /** Groups of column names; a request must filter at least one of each group. */
  readonly required_filters: readonly (readonly string[])[];
  /** Those that the path gives, whatever its identifier. */
  readonly unfilterable_columns: readonly string[];
  /** One for each column that the path's identifier may be matched with. */
  readonly path_forms: readonly {
    readonly identifier_column: string | null;
    readonly unfilterable_columns: readonly string[];
  }[];
  readonly default_period: string | null;
  readonly date_column: string | null;
  readonly time_zone: string;
  /** The natural order, ascending. */
  readonly sort_columns: readonly string[];
  readonly columns: readonly {
    readonly name: string;
    readonly data_type: DataType;
    readonly operators: readonly Operator[];
  }[];
  readonly limits: Readonly<Record<'json' | 'csv' | 'csv_gzip', RowLimit>>;
  readonly is_entitled: boolean;
  readonly rules: readonly {
    readonly start_date: string;
    readonly end_date: string | null;
    readonly universe_identifiers: readonly string[];
  }[];
}

export type DataType = 'date' | 'date-time' | 'string' | 'number' | 'integer' | 'array of string';

export interface ColumnRecord {
  readonly name: string;
  readonly data_type: DataType;
  readonly description: string;
}
