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

export type DataType = 'date' | 'date-time' | 'string' | 'number' | 'integer';

export interface ColumnRecord {
  readonly name: string;
  readonly data_type: DataType;
  readonly description: string;
}
