// Made by `npm run build:client` from the schemas of the server.

export interface AccessRequest {
  readonly request_id: number;
  readonly identity_id: number;
  readonly dataset_id: string;
  readonly dataset_name: string | null;
  readonly asked_by: string;
  readonly note: string;
  readonly state: 'open' | 'granted' | 'declined';
  readonly created_at: string;
  readonly decided_at: string | null;
}

export interface AccessRequestPage {
  readonly data: readonly AccessRequest[];
  readonly pagination: {
    readonly before: number | null;
    readonly limit: number;
    readonly next_before: number | null;
  };
}

export interface AddedRules {
  readonly added: AdministeredRuleList;
  readonly skipped_dataset_ids: readonly string[];
}

export interface AdministeredApiKey {
  readonly key_id: number;
  readonly identity_id: number;
  readonly name: string;
  readonly reference: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly last_used_at: string | null;
  readonly is_active: boolean;
  readonly status: 'active' | 'deactivated' | 'expired';
}

export type AdministeredApiKeyList = readonly AdministeredApiKey[];

export interface AdministeredIdentity {
  readonly identity_id: number;
  readonly name: string;
  readonly is_admin: boolean;
  readonly is_active: boolean;
  readonly max_active_api_keys: number;
  readonly ip_subnets: readonly string[];
  readonly plan_id: number | null;
  readonly contract_ends_at: string | null;
  readonly own_contract_ends_at: string | null;
  readonly status: 'active' | 'deactivated' | 'ended';
  readonly created_at: string;
}

export interface AdministeredRule {
  readonly rule_id: number;
  readonly identity_id: number | null;
  readonly plan_id: number | null;
  readonly dataset_id: string;
  readonly dataset_name: string | null;
  readonly dataset_text_id: string | null;
  readonly dataset_version: string;
  readonly start_date: string;
  readonly end_date: string | null;
  readonly universe_identifiers: readonly string[];
  readonly columns: readonly string[] | null;
}

export type AdministeredRuleList = readonly AdministeredRule[];

export type AlertList = readonly {
  readonly severity: 'critical' | 'warning';
  readonly kind: 'service_problem' | 'dataset_failed' | 'load_refused' | 'disk_low' | 'service_warning' | 'load_warned' | 'dataset_late' | 'backup_old' | 'quota_refusals';
  readonly text: string;
  readonly since: string | null;
  readonly dataset_id: string | null;
  readonly identity_id: number | null;
}[];

export interface Allowance {
  readonly fits: boolean;
  readonly requests_left: number | null;
  readonly data_returned_left: number | null;
  readonly data_scanned_left: number | null;
}

export interface ApiKey {
  readonly key_id: number;
  readonly name: string;
  readonly reference: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly last_used_at: string | null;
  readonly is_active: boolean;
  readonly status: 'active' | 'deactivated' | 'expired';
}

export type ApiKeyList = readonly ApiKey[];

export interface AssignedPlan {
  readonly plan_id: number;
  readonly identity_ids: readonly number[];
}

export interface AuditEntry {
  readonly audit_id: number;
  readonly happened_at: string;
  readonly actor: string;
  readonly actor_name: string | null;
  readonly summary: string;
  readonly source: string;
  readonly operation: string;
  readonly target: string;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

export interface AuditPage {
  readonly data: readonly AuditEntry[];
  readonly pagination: {
    readonly after: number;
    readonly limit: number;
    readonly next_after: number | null;
  };
}

export type Catalogue = readonly CatalogueEntry[];

export interface CatalogueEntry {
  readonly dataset_id: string;
  readonly dataset_name: string;
  readonly data_group: string;
  readonly vendor: string;
  readonly dataset_text_id: string;
  readonly description: string;
  readonly time_granularity: string;
  readonly column_names: readonly string[];
  readonly is_entitled: boolean;
  readonly first_trade_date: string | null;
  readonly last_trade_date: string | null;
  readonly row_count: number | null;
}

export interface ChosenPassword {
  readonly email: string;
}

export interface Column {
  readonly name: string;
  readonly data_type: 'string' | 'integer' | 'number' | 'decimal' | 'boolean' | 'date' | 'date-time' | 'array of string' | 'array of integer' | 'array of number';
  readonly precision?: number;
  readonly scale?: number;
  readonly description: string;
  readonly values?: readonly string[];
}

export type ColumnList = readonly Column[];

export interface CountedRequest {
  readonly ledger_id: number;
  readonly request_id: string;
  readonly answered_at: string;
  readonly dataset_id: string | null;
  readonly dataset_version: number | null;
  readonly key_id: number | null;
  readonly path: string;
  readonly status: number;
  readonly reason: string | null;
  readonly is_step: boolean;
  readonly row_count: number;
  readonly requests: number;
  readonly data_scanned: number;
  readonly data_returned: number;
  readonly duration_ms: number;
}

export interface CountedRequestPage {
  readonly data: readonly CountedRequest[];
  readonly pagination: {
    readonly before: number | null;
    readonly limit: number;
    readonly next_before: number | null;
  };
}

export interface CoverageMap {
  readonly start: string;
  readonly end: string;
  readonly dates: readonly string[];
  readonly datasets: readonly {
    readonly dataset_id: string;
    readonly dataset_name: string;
    readonly data_group: string;
    readonly version: number;
    readonly first_trade_date: string | null;
    readonly last_trade_date: string | null;
    readonly states: readonly ('complete' | 'expected' | 'late' | 'missing' | 'withdrawn' | 'no_trading_day' | 'spanned' | null)[];
  }[];
}

export interface DataAccessRule {
  readonly dataset_id: string;
  readonly dataset_name: string;
  readonly dataset_text_id: string;
  readonly dataset_version: string;
  readonly start_date: string;
  readonly end_date: string | null;
  readonly universe_identifiers: readonly string[];
  readonly columns?: readonly string[];
}

export type DataAccessRuleList = readonly DataAccessRule[];

export interface DataScan {
  readonly dataset_id: string;
  readonly dataset_version: number | null;
  readonly factors_version: number | null;
  readonly rolls_version: number | null;
  readonly canonical_request: string;
  readonly rows_scanned: number;
  readonly bytes_scanned: number;
  readonly files_scanned: number | null;
  readonly is_exact: boolean;
  readonly row_count_max: number;
  readonly row_count_min: number;
  readonly formats: readonly {
    readonly response_format: string;
    readonly page_count_max: number;
    readonly byte_count_estimate: number;
    readonly seconds_estimate: number | null;
  }[];
  readonly allowance: Allowance;
  readonly minute: {
    readonly requests_left: number | null;
    readonly data_returned_left: number | null;
    readonly data_scanned_left: number | null;
  };
}

export interface DatasetCoverage {
  readonly dataset_id: string;
  readonly version: number;
  readonly first_trade_date: string | null;
  readonly last_trade_date: string | null;
  readonly days: readonly {
    readonly date: string;
    readonly state: 'complete' | 'expected' | 'late' | 'missing' | 'withdrawn' | 'no_trading_day' | null;
    readonly rows: number | null;
    readonly identifiers: number | null;
    readonly version: number | null;
  }[];
}

export interface DatasetInfo {
  readonly dataset_id: string;
  readonly dataset_name: string;
  readonly data_group: string;
  readonly vendor: string;
  readonly dataset_text_id: string;
  readonly description: string;
  readonly dataset_class: string;
  readonly dataset_format: string;
  readonly time_granularity: string;
  readonly documentation_link: string;
  readonly start_date: string;
  readonly end_date: string | null;
  readonly is_time_series: boolean;
  readonly universe_identifier: string;
  readonly creation_date: string;
}

export type DatasetList = readonly DatasetRow[];

export interface DatasetRow {
  readonly dataset_id: string;
  readonly dataset_name: string;
  readonly data_group: string;
  readonly vendor: string;
  readonly dataset_text_id: string;
}

export interface DatasetRules {
  readonly dataset_id: string;
  readonly derived_from: {
    readonly computation: 'trade_ticks' | 'equity_trade_bars' | 'equity_quote_bars' | 'equity_extended_bars' | 'equity_day_bars' | 'equity_daily_prices' | 'equity_prices_of_bars' | 'adjusted_rows' | 'adjustment_factors' | 'cumulative_factors' | 'symbol_lookup' | 'security_master' | 'futures_trade_bars' | 'futures_quote_bars' | 'futures_daily_values' | 'bars_by_date' | 'option_trade_ticks' | 'option_trade_bars' | 'option_greeks';
    readonly meaning: string;
    readonly rule_version: number;
    readonly inputs: readonly {
      readonly role: string;
      readonly dataset_id: string;
      readonly dataset_text_id: string;
    }[];
    readonly parameters: readonly {
      readonly name: string;
      readonly value: number;
    }[];
    readonly aggregation_logic: string | null;
    readonly otherwise: {
      readonly computation: 'trade_ticks' | 'equity_trade_bars' | 'equity_quote_bars' | 'equity_extended_bars' | 'equity_day_bars' | 'equity_daily_prices' | 'equity_prices_of_bars' | 'adjusted_rows' | 'adjustment_factors' | 'cumulative_factors' | 'symbol_lookup' | 'security_master' | 'futures_trade_bars' | 'futures_quote_bars' | 'futures_daily_values' | 'bars_by_date' | 'option_trade_ticks' | 'option_trade_bars' | 'option_greeks';
      readonly meaning: string;
      readonly rule_version: number;
      readonly inputs: readonly {
        readonly role: string;
        readonly dataset_id: string;
        readonly dataset_text_id: string;
      }[];
      readonly parameters: readonly {
        readonly name: string;
        readonly value: number;
      }[];
    } | null;
  } | null;
  readonly adjusted_columns: readonly {
    readonly name: string;
    readonly kind: 'average_price' | 'price' | 'shares';
  }[];
  readonly interval_columns: readonly {
    readonly name: string;
    readonly rule: 'first' | 'last' | 'high' | 'low' | 'sum' | 'weighted' | 'beside' | 'offset';
    readonly by: string | null;
  }[];
  readonly trade_conditions: readonly {
    readonly bit: number;
    readonly name: string;
    readonly vendor: 'all' | 'not_last' | 'volume' | 'none';
    readonly vendor_with_regular: 'all' | 'not_last' | 'volume' | 'none';
    readonly industry_std: 'all' | 'not_last' | 'volume' | 'none';
    readonly industry_std_outside_hours: 'all' | 'not_last' | 'volume' | 'none';
  }[];
  readonly quote_conditions: readonly {
    readonly bit: number;
    readonly name: string;
    readonly is_counted: boolean;
    readonly is_counted_with_regular: boolean;
  }[];
}

export interface DatasetStatus {
  readonly dataset_id: string;
  readonly status_code: 'current' | 'updating' | 'late' | 'failed' | 'closed' | 'empty';
  readonly last_update: string | null;
  readonly next_expected_update: string | null;
  readonly last_trade_date: string | null;
  readonly version: number;
  readonly row_count: number | null;
}

export interface DatasetVersion {
  readonly version: number;
  readonly published_at: string;
  readonly publication_id: number;
  readonly kind: 'load' | 'withdrawal' | 'rollback' | 'derivation';
  readonly vendor: string | null;
  readonly reason: string | null;
  readonly is_current: boolean;
  readonly is_available: boolean;
  readonly row_count: number | null;
  readonly stored_bytes: number | null;
  readonly content_digest: string | null;
}

export interface DatasetVersionDetail {
  readonly version: number;
  readonly published_at: string;
  readonly publication_id: number;
  readonly kind: 'load' | 'withdrawal' | 'rollback' | 'derivation';
  readonly vendor: string | null;
  readonly reason: string | null;
  readonly is_current: boolean;
  readonly is_available: boolean;
  readonly row_count: number | null;
  readonly stored_bytes: number | null;
  readonly content_digest: string | null;
  readonly dataset_id: string;
  readonly partitions: readonly {
    readonly partition: string;
    readonly change: 'added' | 'replaced' | 'removed';
    readonly rows_before: number | null;
    readonly rows_after: number | null;
    readonly stored_bytes_before: number | null;
    readonly stored_bytes_after: number | null;
  }[];
  readonly pagination: {
    readonly after: string | null;
    readonly limit: number;
    readonly next_after: string | null;
  };
}

export interface DatasetVersionPage {
  readonly data: readonly DatasetVersion[];
  readonly pagination: {
    readonly before: number | null;
    readonly limit: number;
    readonly next_before: number | null;
  };
}

export interface DeclinedEnquiry {
  readonly enquiry_id: number;
  readonly is_deleted: boolean;
}

export interface DeletedApiKey {
  readonly key_id: number;
  readonly is_deleted: boolean;
}

export interface DeletedPerson {
  readonly person_id: number;
  readonly is_deleted: boolean;
}

export interface DeletedPlan {
  readonly plan_id: number;
  readonly is_deleted: boolean;
}

export interface DeletedRule {
  readonly rule_id: number;
  readonly is_deleted: boolean;
}

export interface EndedSessions {
  readonly ended_count: number;
}

export interface Enquiry {
  readonly enquiry_id: number;
  readonly email: string;
  readonly dataset_id: string | null;
  readonly dataset_name: string | null;
  readonly note: string;
  readonly created_at: string;
}

export type EnquiryList = readonly Enquiry[];

export interface Error {
  readonly detail: string;
}

export interface Explanation {
  readonly dataset_id: string;
  readonly status: number;
  readonly canonical_request: string | null;
  readonly rules: readonly {
    readonly dataset_id: string;
    readonly dataset_version: string;
    readonly start_date: string;
    readonly end_date: string | null;
    readonly universe_identifiers: readonly string[];
    readonly columns?: readonly string[];
    readonly is_of_plan: boolean;
  }[];
  readonly decisions: readonly {
    readonly part: 'dataset' | 'request' | 'columns' | 'identifiers' | 'dates' | 'rows';
    readonly outcome: 'allowed' | 'narrowed' | 'refused';
    readonly rules: readonly number[];
    readonly reason: string;
    readonly remedy: string | null;
  }[];
}

export interface FirstSteps {
  readonly has_key: boolean;
  readonly has_query: boolean;
  readonly has_key_query: boolean;
}

export interface FoundRolls {
  readonly dataset_version: number;
  readonly symbol: string;
  readonly rolls: readonly RollSpan[];
  readonly gaps: readonly RollGap[];
}

export interface FoundSecurities {
  readonly dataset_version: number | null;
  readonly securities: readonly FoundSecurity[];
}

export interface FoundSecurity {
  readonly ticker: string | null;
  readonly asid: number | null;
  readonly sec_id: number | null;
  readonly name: string | null;
  readonly primary_exchange: string | null;
  readonly security_description: string | null;
  readonly list_status: string | null;
  readonly start_date: string | null;
  readonly end_date: string | null;
  readonly matched: {
    readonly field: 'Ticker' | 'Name' | 'ASID' | 'SecId';
    readonly value: string;
  };
}

export interface Identity {
  readonly identity_id: number;
  readonly name: string;
  readonly max_active_api_keys: number;
  readonly ip_subnets: readonly string[];
}

export interface IdentityPage {
  readonly data: readonly AdministeredIdentity[];
  readonly pagination: {
    readonly after: number;
    readonly limit: number;
    readonly next_after: number | null;
  };
}

export interface LedgerPage {
  readonly data: readonly LedgerRow[];
  readonly pagination: {
    readonly after: number;
    readonly limit: number;
    readonly next_after: number | null;
  };
}

export interface LedgerRow {
  readonly ledger_id: number;
  readonly request_id: string;
  readonly answered_at: string;
  readonly dataset_id: string | null;
  readonly dataset_version: number | null;
  readonly key_id: number | null;
  readonly path: string;
  readonly status: number;
  readonly reason: string | null;
  readonly is_step: boolean;
  readonly row_count: number;
  readonly requests: number;
  readonly data_scanned: number;
  readonly data_returned: number;
  readonly duration_ms: number;
  readonly identity_id: number;
  readonly symbols: readonly string[];
}

export interface Manifest {
  readonly dataset_id: string;
  readonly dataset_version: number | null;
  readonly factors_version: number | null;
  readonly window: string | null;
  readonly symbols: string | null;
  readonly missing: MissingIdentifiers | null;
  readonly response_format: string;
  readonly canonical_request: string;
  readonly row_count: number;
  readonly byte_count: number;
  readonly rowless_stream: string | null;
  readonly expires_at: string;
  readonly hint: string | null;
  readonly files: readonly {
    readonly url: string;
    readonly name: string;
    readonly row_count: number;
    readonly byte_count: number;
    readonly sha256: string;
    readonly first_partition: string;
    readonly last_partition: string;
  }[];
  readonly allowance: Allowance;
}

export interface MissingIdentifiers {
  readonly count: number;
  readonly of: number;
  readonly identifiers: readonly string[];
}

export interface MonthlyUsage {
  readonly from: string;
  readonly to: string;
  readonly data: readonly UsageOfMonth[];
}

export interface NewApiKey {
  readonly key_id: number;
  readonly identity_id: number;
  readonly name: string;
  readonly reference: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly last_used_at: string | null;
  readonly is_active: boolean;
  readonly status: 'active' | 'deactivated' | 'expired';
  readonly api_key: string;
}

export interface NewPerson {
  readonly person_id: number;
  readonly email: string;
  readonly role: 'member' | 'manager' | 'owner';
  readonly identity_id: number | null;
  readonly is_active: boolean;
  readonly is_password_initial: boolean;
  readonly has_second_factor: boolean;
  readonly created_at: string;
  readonly last_sign_in_at: string | null;
  readonly password: string;
}

export interface NewSecondFactor {
  readonly secret: string;
  readonly uri: string;
}

export interface OpenLink {
  readonly email: string;
  readonly identity_name: string | null;
  readonly link_kind: 'invitation' | 'password_reset';
  readonly link_expires_at: string;
}

export interface OptionChain {
  readonly underlying: string;
  readonly date: string;
  readonly at: string;
  readonly underlying_bid_price: number | null;
  readonly underlying_ask_price: number | null;
  readonly underlying_time: string | null;
  readonly greeks_date: string | null;
  readonly sources: readonly OptionChainSource[];
  readonly expirations: readonly OptionChainExpiration[];
  readonly contract_count: number;
  readonly contracts: readonly OptionChainContract[];
  readonly pagination: Pagination;
}

export interface OptionChainContract {
  readonly root: string;
  readonly expiration_date: string;
  readonly strike: number;
  readonly call_put: 'C' | 'P';
  readonly osi_symbol: string | null;
  readonly asid: number | null;
  readonly option_style: string | null;
  readonly settlement_type: string | null;
  readonly multiplier: number | null;
  readonly is_weekly: boolean | null;
  readonly first_trade_date: string | null;
  readonly last_trade_date: string | null;
  readonly bid_price: number | null;
  readonly bid_size: number | null;
  readonly bid_time: string | null;
  readonly ask_price: number | null;
  readonly ask_size: number | null;
  readonly ask_time: string | null;
  readonly last_trade_price: number | null;
  readonly last_trade_size: number | null;
  readonly last_trade_time: string | null;
  readonly open_interest: number | null;
  readonly implied_volatility: number | null;
  readonly theoretical_price: number | null;
  readonly delta: number | null;
  readonly gamma: number | null;
  readonly theta: number | null;
  readonly vega: number | null;
  readonly rho: number | null;
  readonly implied_volatility_convergence: string | null;
}

export interface OptionChainExpiration {
  readonly expiration_date: string;
  readonly contract_count: number;
}

export interface OptionChainSource {
  readonly role: 'ticks' | 'contracts' | 'greeks';
  readonly dataset_id: string | null;
  readonly dataset_text_id: string;
  readonly dataset_version: number | null;
  readonly state: 'read' | 'forbidden' | 'outside_window' | 'not_published' | 'not_offered';
}

export interface Pagination {
  readonly offset: number;
  readonly limit: number;
  readonly next_offset: number | null;
}

export interface Person {
  readonly person_id: number;
  readonly email: string;
  readonly role: 'member' | 'manager' | 'owner';
  readonly identity_id: number | null;
  readonly is_active: boolean;
  readonly is_password_initial: boolean;
  readonly has_second_factor: boolean;
  readonly created_at: string;
  readonly last_sign_in_at: string | null;
}

export interface PersonLink {
  readonly person_id: number;
  readonly email: string;
  readonly role: 'member' | 'manager' | 'owner';
  readonly identity_id: number | null;
  readonly is_active: boolean;
  readonly is_password_initial: boolean;
  readonly has_second_factor: boolean;
  readonly created_at: string;
  readonly last_sign_in_at: string | null;
  readonly link: string | null;
  readonly link_kind: 'invitation' | 'password_reset';
  readonly link_expires_at: string;
  readonly is_link_sent: boolean;
}

export interface PersonPage {
  readonly data: readonly Person[];
  readonly pagination: {
    readonly after: number;
    readonly limit: number;
    readonly next_after: number | null;
  };
}

export interface PersonSession {
  readonly session_id: string;
  readonly created_at: string;
  readonly last_used_at: string;
  readonly source_address: string;
  readonly browser: string;
  readonly is_current: boolean;
}

export type PersonSessionList = readonly PersonSession[];

export interface Plan {
  readonly plan_id: number;
  readonly name: string;
  readonly account_count: number;
  readonly quotas_limit: QuotasLimit;
  readonly contract_ends_at: string | null;
  readonly contract_days: number | null;
  readonly created_at: string;
}

export interface PlanPage {
  readonly data: readonly Plan[];
  readonly pagination: {
    readonly after: number;
    readonly limit: number;
    readonly next_after: number | null;
  };
}

export interface Pruning {
  readonly is_dry_run: boolean;
  readonly byte_count: number;
  readonly datasets: readonly {
    readonly dataset_id: string;
    readonly versions: readonly number[];
    readonly first_version: number;
    readonly byte_count: number;
  }[];
}

export type PublicCatalogue = readonly PublicDataset[];

export interface PublicDataset {
  readonly dataset_id: string;
  readonly dataset_name: string;
  readonly data_group: string;
  readonly vendor: string;
  readonly dataset_text_id: string;
  readonly description: string;
  readonly time_granularity: string;
  readonly column_names: readonly string[];
  readonly first_trade_date: string | null;
  readonly last_trade_date: string | null;
  readonly row_count: number;
  readonly stored_bytes: number;
  readonly has_sample: boolean;
  readonly price: string | null;
}

export interface Publication {
  readonly dataset_id: string;
  readonly status_code: 'current' | 'updating' | 'late' | 'failed' | 'closed' | 'empty';
  readonly last_update: string | null;
  readonly next_expected_update: string | null;
  readonly last_trade_date: string | null;
  readonly version: number;
  readonly row_count: number;
  readonly dataset_name: string;
  readonly data_group: string;
  readonly first_trade_date: string | null;
  readonly stored_bytes: number;
  readonly file_count: number;
  readonly ingest: {
    readonly state: 'running' | 'published' | 'unchanged' | 'refused' | 'failed' | 'rolled_back';
    readonly started_at: string;
    readonly finished_at: string | null;
    readonly message: string | null;
  } | null;
}

export interface PublicationDiff {
  readonly publication_id: number | null;
  readonly datasets: readonly {
    readonly dataset_id: string;
    readonly from_version: number;
    readonly to_version: number;
    readonly partition_count: number;
    readonly partitions: readonly {
      readonly key: string;
      readonly change: 'added' | 'replaced' | 'removed';
      readonly before: {
        readonly row_count: number;
        readonly byte_count: number;
        readonly content_digest: string;
      } | null;
      readonly after: {
        readonly row_count: number;
        readonly byte_count: number;
        readonly content_digest: string;
      } | null;
    }[];
    readonly next_after: string | null;
  }[];
}

export interface PublicationEvent {
  readonly publication_id: number;
  readonly state: 'running' | 'published' | 'unchanged' | 'refused' | 'failed' | 'rolled_back';
  readonly kind: 'load' | 'withdrawal' | 'rollback' | 'derivation';
  readonly finished_at: string;
  readonly vendor: string | null;
  readonly reason: string | null;
  readonly message: string | null;
  readonly datasets: readonly {
    readonly dataset_id: string;
    readonly dataset_name: string | null;
    readonly version: number | null;
    readonly partition_count: number;
    readonly partitions: readonly string[];
  }[];
}

export interface PublicationFeed {
  readonly data: readonly PublicationEvent[];
  readonly pagination: {
    readonly after: number;
    readonly limit: number;
    readonly next_after: number;
    readonly has_more: boolean;
  };
}

export type PublicationList = readonly Publication[];

export interface PublicationPage {
  readonly data: readonly PublicationSummary[];
  readonly pagination: {
    readonly limit: number;
    readonly next_before: number | null;
  };
}

export interface PublicationRecord {
  readonly publication_id: number;
  readonly kind: 'load' | 'withdrawal' | 'rollback' | 'derivation';
  readonly state: 'running' | 'published' | 'unchanged' | 'refused' | 'failed' | 'rolled_back';
  readonly is_open: boolean;
  readonly command: string;
  readonly actor: string;
  readonly reason: string | null;
  readonly vendor: string | null;
  readonly started_at: string;
  readonly finished_at: string | null;
  readonly message: string | null;
  readonly source_count: number;
  readonly datasets: readonly {
    readonly dataset_id: string;
    readonly version: number | null;
    readonly added_partition_count: number;
    readonly replaced_partition_count: number;
    readonly removed_partition_count: number;
    readonly row_count_before: number;
    readonly row_count_after: number;
    readonly byte_count_before: number;
    readonly byte_count_after: number;
    readonly content_digest: string | null;
    readonly rolled_back_by: number | null;
  }[];
  readonly sources: readonly {
    readonly dataset_id: string;
    readonly name: string;
    readonly byte_count: number;
    readonly sha256: string;
    readonly derivation: {
      readonly computation: string;
      readonly rule_version: number;
      readonly variant: Readonly<Record<string, unknown>>;
      readonly parameters: Readonly<Record<string, unknown>> | null;
      readonly inputs: readonly {
        readonly dataset_id: string;
        readonly dataset_version: number | null;
      }[];
    } | null;
  }[];
  readonly checks: readonly {
    readonly dataset_id: string;
    readonly name: string;
    readonly severity: 'refuse' | 'warn';
    readonly count: number;
    readonly examples: readonly string[];
  }[];
}

export interface PublicationSummary {
  readonly publication_id: number;
  readonly kind: 'load' | 'withdrawal' | 'rollback' | 'derivation';
  readonly state: 'running' | 'published' | 'unchanged' | 'refused' | 'failed' | 'rolled_back';
  readonly is_open: boolean;
  readonly command: string;
  readonly actor: string;
  readonly reason: string | null;
  readonly vendor: string | null;
  readonly started_at: string;
  readonly finished_at: string | null;
  readonly message: string | null;
  readonly source_count: number;
  readonly datasets: readonly {
    readonly dataset_id: string;
    readonly version: number | null;
    readonly added_partition_count: number;
    readonly replaced_partition_count: number;
    readonly removed_partition_count: number;
    readonly row_count_before: number;
    readonly row_count_after: number;
    readonly byte_count_before: number;
    readonly byte_count_after: number;
    readonly content_digest: string | null;
    readonly rolled_back_by: number | null;
  }[];
}

export interface QueryForm {
  readonly dataset_id: string;
  readonly group: string;
  readonly segment: string;
  readonly path_parameters: readonly ('trade_date' | 'identifier')[];
  readonly aliases: readonly string[];
  readonly parameters: readonly {
    readonly name: string;
    readonly values: readonly string[];
    readonly pattern: string | null;
    readonly default: string | null;
  }[];
  readonly variants: readonly {
    readonly dataset_id: string;
    readonly dataset_name: string;
    readonly parameters: Readonly<Record<string, string>>;
    readonly is_entitled: boolean;
  }[];
  readonly required_filters: readonly (readonly string[])[];
  readonly required_filter_operators: readonly ('eq' | 'gt' | 'ge' | 'lt' | 'le' | 'in' | 'like' | 'ilike')[];
  readonly unfilterable_columns: readonly string[];
  readonly path_forms: readonly {
    readonly identifier_column: string | null;
    readonly unfilterable_columns: readonly string[];
  }[];
  readonly default_period: string | null;
  readonly date_column: string | null;
  readonly identifier_columns: readonly string[];
  readonly root_column: string | null;
  readonly time_zone: string;
  readonly filter_time_zone: string;
  readonly sessions: readonly {
    readonly name: 'regular' | 'extended' | 'overnight';
    readonly start: string;
    readonly end: string;
    readonly half_day_start: string;
    readonly half_day_end: string;
  }[];
  readonly half_days: readonly string[];
  readonly trading_calendar: {
    readonly start: string;
    readonly end: string;
    readonly irregular_days: readonly string[];
    readonly product_groups: readonly {
      readonly roots: readonly string[];
      readonly days: readonly string[];
    }[];
  };
  readonly sort_columns: readonly string[];
  readonly columns: readonly {
    readonly name: string;
    readonly data_type: 'string' | 'integer' | 'number' | 'decimal' | 'boolean' | 'date' | 'date-time' | 'array of string' | 'array of integer' | 'array of number';
    readonly precision?: number;
    readonly scale?: number;
    readonly operators: readonly ('eq' | 'gt' | 'ge' | 'lt' | 'le' | 'in' | 'like' | 'ilike')[];
    readonly values?: readonly string[];
  }[];
  readonly interval_columns: readonly string[];
  readonly limits: {
    readonly json: {
      readonly default: number;
      readonly maximum: number;
    };
    readonly csv: {
      readonly default: number;
      readonly maximum: number;
    };
    readonly csv_gzip: {
      readonly default: number;
      readonly maximum: number;
    };
    readonly arrow: {
      readonly default: number;
      readonly maximum: number;
    };
    readonly parquet: {
      readonly default: number;
      readonly maximum: number;
    };
  };
  readonly is_entitled: boolean;
  readonly rules: readonly {
    readonly start_date: string;
    readonly end_date: string | null;
    readonly universe_identifiers: readonly string[];
    readonly columns?: readonly string[];
  }[];
}

export interface QuotaLimits {
  readonly identity_id: number;
  readonly quotas_limit: QuotasLimit;
  readonly own_quotas_limit: QuotasLimit;
  readonly plan_quotas_limit: QuotasLimit | null;
}

export interface Quotas {
  readonly quotas_usage: QuotasUsage;
  readonly quotas_limit: QuotasLimit;
}

export interface QuotasLimit {
  readonly month: {
    readonly requests: number | null;
    readonly data_scanned: number | null;
    readonly data_returned: number | null;
  };
  readonly minute: {
    readonly requests: number | null;
    readonly data_scanned: number | null;
    readonly data_returned: number | null;
  };
}

export interface QuotasUsage {
  readonly month: {
    readonly requests: number;
    readonly data_scanned: number;
    readonly data_returned: number;
  };
  readonly minute: {
    readonly requests: number;
    readonly data_scanned: number;
    readonly data_returned: number;
  };
}

export interface ReceiptKeys {
  readonly keys: readonly {
    readonly kty: unknown;
    readonly crv: unknown;
    readonly alg: unknown;
    readonly use: unknown;
    readonly kid: string;
    readonly x: string;
  }[];
}

export interface RecoveryCodes {
  readonly recovery_codes: readonly string[];
}

export interface RefusedRequest {
  readonly request_id: string;
  readonly identity_id: number | null;
  readonly identity_name: string | null;
  readonly method: string;
  readonly path: string;
  readonly at: string;
  readonly source_address: string | null;
  readonly status: number;
  readonly detail: string;
}

export interface RequestBoard {
  readonly running: readonly RunningRequest[];
  readonly refused: readonly RefusedRequest[];
}

export interface ResolvedSymbols {
  readonly dataset_version: number | null;
  readonly type: 'Ticker' | 'ASID' | 'SecId' | 'FIGI' | 'ISIN' | 'CUSIP' | 'SEDOL' | 'OSI';
  readonly resolved: readonly {
    readonly symbol: string;
    readonly intervals: readonly SymbolInterval[];
  }[];
  readonly not_found: readonly string[];
}

export interface RollGap {
  readonly start_date: string;
  readonly end_date: string;
  readonly reason: 'no_volume' | 'no_open_interest' | 'too_few_contracts';
  readonly detail: string;
}

export interface RollSpan {
  readonly start_date: string;
  readonly end_date: string;
  readonly ticker: string;
}

export interface RowPage {
  readonly data: readonly Readonly<Record<string, unknown>>[];
  readonly pagination: Pagination;
}

export interface RuleEffects {
  readonly data: readonly {
    readonly identity_id: number;
    readonly identity_name: string;
    readonly key_ids: readonly number[];
    readonly dataset_id: string;
    readonly effect: 'gains' | 'loses';
    readonly row_count: number | null;
    readonly first_trade_date: string | null;
    readonly last_trade_date: string | null;
    readonly identifier_count: number | null;
    readonly identifiers: readonly string[];
    readonly columns: readonly string[];
  }[];
}

export interface RunningRequest {
  readonly request_id: string;
  readonly identity_id: number | null;
  readonly identity_name: string | null;
  readonly method: string;
  readonly path: string;
  readonly key_id: number | null;
  readonly person_id: number | null;
  readonly dataset_id: string | null;
  readonly state: 'waiting' | 'reading' | 'sending';
  readonly started_at: string;
  readonly elapsed_ms: number;
}

export interface SecondFactor {
  readonly is_on: boolean;
  readonly recovery_codes_left: number;
}

export interface SentEnquiry {
  readonly is_received: boolean;
}

export type Session = {
  readonly person: null;
} | {
  readonly person: Person;
  readonly identity: {
    readonly identity_id: number;
    readonly name: string;
    readonly contract_ends_at: string | null;
  } | null;
  readonly csrf_token: string;
  readonly expires_at: string;
  readonly source_address: string;
};

export type SignIn = {
  readonly person: null;
  readonly needs_code: unknown;
} | {
  readonly person: null;
} | {
  readonly person: Person;
  readonly identity: {
    readonly identity_id: number;
    readonly name: string;
    readonly contract_ends_at: string | null;
  } | null;
  readonly csrf_token: string;
  readonly expires_at: string;
  readonly source_address: string;
};

export interface SubnetCheck {
  readonly address: string;
  readonly is_allowed: boolean;
  readonly source_address: string;
  readonly is_source_allowed: boolean;
}

export interface SymbolInterval {
  readonly start_date: string;
  readonly end_date: string | null;
  readonly ticker: string;
  readonly asid: number | null;
  readonly sec_id: number | null;
  readonly name: string | null;
  readonly primary_exchange: string | null;
  readonly security_description: string | null;
  readonly list_status: string | null;
  readonly figi: string | null;
  readonly isin: string | null;
  readonly cusip: string | null;
  readonly sedol: string | null;
  readonly previous: {
    readonly ticker: string;
    readonly date: string;
  } | null;
  readonly next: {
    readonly ticker: string;
    readonly date: string;
  } | null;
}

export interface SystemStatus {
  readonly status: 'ok' | 'degraded';
  readonly version: string;
}

export type ToolAnswer = Readonly<Record<string, unknown>>;

export interface Upload {
  readonly upload_id: string;
  readonly dataset_id: string;
  readonly name: string;
  readonly offset: number;
  readonly is_complete: boolean;
  readonly state: 'receiving' | 'waiting' | 'loading' | 'published' | 'unchanged' | 'refused' | 'failed';
  readonly created_at: string;
  readonly expires_at: string;
  readonly report: Readonly<Record<string, unknown>> | null;
  readonly error: string | null;
}

export interface Usage {
  readonly identity_id: number;
  readonly from: string;
  readonly to: string;
  readonly data: readonly UsageOfDay[];
  readonly total: {
    readonly requests: number;
    readonly data_scanned: number;
    readonly data_returned: number;
  };
}

export interface UsageOfDay {
  readonly day: string;
  readonly dataset_id: string | null;
  readonly key_id: number | null;
  readonly requests: number;
  readonly data_scanned: number;
  readonly data_returned: number;
}

export interface UsageOfMonth {
  readonly month: string;
  readonly identity_id: number;
  readonly name: string;
  readonly requests: number;
  readonly data_scanned: number;
  readonly data_returned: number;
  readonly row_count: number;
  readonly symbol_count: number;
}

export interface ValidationError {
  readonly detail: readonly {
    readonly type: string;
    readonly loc: readonly string[];
    readonly msg: string;
    readonly input: unknown;
    readonly ctx: Readonly<Record<string, unknown>>;
  }[] | string;
}

export interface Withdrawal {
  readonly is_dry_run: boolean;
  readonly removed_row_count: number;
  readonly partitions: readonly string[];
  readonly publication: PublicationRecord;
}

export type OpenApiDocument = Readonly<Record<string, unknown>>;

/** What each endpoint takes and answers, by its operation id. */
export interface Endpoints {
  /** The state and the version of the service. */
  readonly showStatus: {
    readonly method: 'GET';
    readonly path: '/status';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: SystemStatus;
  };
  /** The public keys that receipts are verified with, as a JSON Web Key Set. */
  readonly listReceiptKeys: {
    readonly method: 'GET';
    readonly path: '/receipts/keys';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: ReceiptKeys;
  };
  /** All of the interface, as an OpenAPI document. */
  readonly showOpenApiDocument: {
    readonly method: 'GET';
    readonly path: '/openapi.json';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: OpenApiDocument;
  };
  /** The part of the OpenAPI document that reads rows, in less than 100 kB. */
  readonly showDataDocument: {
    readonly method: 'GET';
    readonly path: '/openapi-data.json';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: OpenApiDocument;
  };
  /** The datasets of the public catalogue, where the owner has one. */
  readonly listPublicDatasets: {
    readonly method: 'GET';
    readonly path: '/public/datasets';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: PublicCatalogue;
  };
  /** Columns of a dataset of the public catalogue. */
  readonly listPublicDatasetColumns: {
    readonly method: 'GET';
    readonly path: '/public/datasets/{dataset_id}/columns';
    readonly pathParameters: {
      /** Catalogue id, of the form US####. */
      readonly dataset_id: string;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: ColumnList;
  };
  /** The first rows of the first day of a dataset, where the owner shows them to anybody. */
  readonly showPublicSample: {
    readonly method: 'GET';
    readonly path: '/public/datasets/{dataset_id}/sample';
    readonly pathParameters: {
      /** Catalogue id, of the form US####. */
      readonly dataset_id: string;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: RowPage;
  };
  /** Ask the owner for access, from the page of the public catalogue. */
  readonly sendEnquiry: {
    readonly method: 'POST';
    readonly path: '/public/enquiries';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** Your e-mail address, for the answer. */
      readonly email: string;
      /** Id or text id of the dataset that you need. */
      readonly dataset_id?: string;
      /** What you need it for. */
      readonly note?: string;
    };
    readonly answer: SentEnquiry;
  };
  /** Who is signed in, if anybody is. */
  readonly showSession: {
    readonly method: 'GET';
    readonly path: '/session';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: Session;
  };
  /** Sign in with e-mail address, password and, where wanted, a code; starts a session, kept in a cookie. */
  readonly signIn: {
    readonly method: 'POST';
    readonly path: '/session';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** E-mail address of the person. */
      readonly email: string;
      /** Password of the person. */
      readonly password: string;
      /** Code of the second factor or a recovery code, where the person has one. */
      readonly code?: string;
    };
    readonly answer: SignIn;
  };
  /** Sign out and end the session. */
  readonly signOut: {
    readonly method: 'POST';
    readonly path: '/session/end';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: Session;
  };
  /** Change your own password; starts a new session and ends all others. */
  readonly changePassword: {
    readonly method: 'POST';
    readonly path: '/session/password';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** The current password. */
      readonly current_password: string;
      /** The new password. */
      readonly new_password: string;
    };
    readonly answer: Session;
  };
  /** Who a password link is for, and when it expires. */
  readonly showLink: {
    readonly method: 'POST';
    readonly path: '/session/link';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** Token of the link: what follows its #. */
      readonly token: string;
    };
    readonly answer: OpenLink;
  };
  /** Choose a password by a link, which then no longer works; ends all sessions. */
  readonly choosePassword: {
    readonly method: 'POST';
    readonly path: '/session/link/password';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** Token of the link: what follows its #. */
      readonly token: string;
      /** The password to sign in with from now on. */
      readonly new_password: string;
    };
    readonly answer: ChosenPassword;
  };
  /** Your sessions, the one used last first. */
  readonly listMySessions: {
    readonly method: 'GET';
    readonly path: '/session/all';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: PersonSessionList;
  };
  /** End one of your other sessions, or all of them. */
  readonly endMySessions: {
    readonly method: 'POST';
    readonly path: '/session/all/end';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** The session to end; default: all but the one that asks. */
      readonly session_id?: string;
    };
    readonly answer: EndedSessions;
  };
  /** The state of your second factor, and how many recovery codes are left. */
  readonly showSecondFactor: {
    readonly method: 'GET';
    readonly path: '/session/second-factor';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: SecondFactor;
  };
  /** Make a secret for an authenticator app; nothing changes until a code shows that it has it. */
  readonly beginSecondFactor: {
    readonly method: 'POST';
    readonly path: '/session/second-factor/begin';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** Your password. */
      readonly current_password: string;
    };
    readonly answer: NewSecondFactor;
  };
  /** Turn on your second factor with its first code; gives recovery codes, and ends your other sessions. */
  readonly turnOnSecondFactor: {
    readonly method: 'POST';
    readonly path: '/session/second-factor/on';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** Code that the app shows. */
      readonly code: string;
    };
    readonly answer: RecoveryCodes;
  };
  /** Make new recovery codes; the old ones no longer work. */
  readonly renewRecoveryCodes: {
    readonly method: 'POST';
    readonly path: '/session/second-factor/recovery-codes';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** Your password. */
      readonly current_password: string;
      /** Code that the app shows, or a recovery code. */
      readonly code: string;
    };
    readonly answer: RecoveryCodes;
  };
  /** Turn off your second factor. */
  readonly turnOffSecondFactor: {
    readonly method: 'POST';
    readonly path: '/session/second-factor/off';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** Your password. */
      readonly current_password: string;
      /** Code that the app shows, or a recovery code. */
      readonly code: string;
    };
    readonly answer: SecondFactor;
  };
  /** The account that the key belongs to. */
  readonly showMyIdentity: {
    readonly method: 'GET';
    readonly path: '/account/my';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: Identity;
  };
  /** The usage and the limits of the account, by month and by minute. */
  readonly showMyQuotas: {
    readonly method: 'GET';
    readonly path: '/account/my/quotas';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: Quotas;
  };
  /** The account's API keys, without their secret part. */
  readonly listMyApiKeys: {
    readonly method: 'GET';
    readonly path: '/account/my/api-keys';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: ApiKeyList;
  };
  /** Create an API key for your account; it is shown only in this answer. */
  readonly createMyApiKey: {
    readonly method: 'POST';
    readonly path: '/account/my/api-keys';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** What the key is for. */
      readonly name: string;
      /** When it expires: a time such as 2030-01-31T17:00:00Z, or a date, which means 00:00 UTC, in the future. */
      readonly expires_at?: string;
      /** Or how long it lasts: a number and a unit s, m, h or d, such as 90d, up to 36500d. */
      readonly expires_in?: string;
    };
    readonly answer: NewApiKey;
  };
  /** The datasets that the account may read, with dates. */
  readonly listMyDataAccessRules: {
    readonly method: 'GET';
    readonly path: '/account/my/data-access-rules';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: DataAccessRuleList;
  };
  /** The first steps of your account: a key, rows read, rows read with a key. */
  readonly showMyFirstSteps: {
    readonly method: 'GET';
    readonly path: '/account/my/first-steps';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: FirstSteps;
  };
  /** Show the usage of your account by day (UTC), dataset and key. */
  readonly showMyUsage: {
    readonly method: 'GET';
    readonly path: '/account/my/usage';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: {
      /** First day; default: the first of the last day's month. */
      readonly from?: string;
      /** Last day, at most 366 days in all; default: today. */
      readonly to?: string;
    };
    readonly body: null;
    readonly answer: Usage;
  };
  /** List what your account has asked access for, the newest first. */
  readonly listMyAccessRequests: {
    readonly method: 'GET';
    readonly path: '/account/my/access-requests';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: {
      /** Only requests that are open, granted, declined. */
      readonly state?: 'open' | 'granted' | 'declined';
      /** Show requests before this id; the previous page gives it. */
      readonly before?: number;
      /** Maximum number of rows; default: 100. */
      readonly limit?: number;
    };
    readonly body: null;
    readonly answer: AccessRequestPage;
  };
  /** Ask the owners for access to a dataset. */
  readonly requestMyAccess: {
    readonly method: 'POST';
    readonly path: '/account/my/access-requests';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** Id or text id of the dataset. */
      readonly dataset_id: string;
      /** Your reason, for the owner who decides. */
      readonly note?: string;
    };
    readonly answer: AccessRequest;
  };
  /** List the requests of your account and what each cost, the latest first. */
  readonly listMyRequests: {
    readonly method: 'GET';
    readonly path: '/account/my/requests';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: {
      /** List only what was refused or failed; default: false. */
      readonly is_refused?: boolean;
      /** Only requests with this key. */
      readonly key_id?: number;
      /** Only requests for this dataset, by id or text id. */
      readonly dataset_id?: string;
      /** Show those before this ledger_id; the previous page gives it. */
      readonly before?: number;
      /** Maximum number of rows; default: 100. */
      readonly limit?: number;
    };
    readonly body: null;
    readonly answer: CountedRequestPage;
  };
  /** Tell whether requests from an address would be allowed. */
  readonly checkMyIpSubnets: {
    readonly method: 'GET';
    readonly path: '/account/my/ip-subnets/check';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: {
      /** The address. */
      readonly address: string;
      /** Subnets to try; default: those of the account. */
      readonly subnets?: readonly string[];
    };
    readonly body: null;
    readonly answer: SubnetCheck;
  };
  /** List the people of your account. */
  readonly listMyPeople: {
    readonly method: 'GET';
    readonly path: '/account/my/people';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: {
      /** Show rows after this id; the previous page gives it. */
      readonly after?: number;
      /** Maximum number of rows; default: 100. */
      readonly limit?: number;
    };
    readonly body: null;
    readonly answer: PersonPage;
  };
  /** Invite a person to your account by a link, shown only in this answer or e-mailed. */
  readonly inviteMyPerson: {
    readonly method: 'POST';
    readonly path: '/account/my/people/invite';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** E-mail address to sign in with; unique. */
      readonly email: string;
      /** Role of the person: member or manager. */
      readonly role: 'member' | 'manager';
      /** E-mail the link to the person instead of showing it; default: false. */
      readonly send_by_email?: boolean;
    };
    readonly answer: PersonLink;
  };
  /** Make a link by which a person of your account chooses a new password. */
  readonly makeMyPersonLink: {
    readonly method: 'POST';
    readonly path: '/account/my/people/{person_id}/link';
    readonly pathParameters: {
      /** Id of a person. */
      readonly person_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** E-mail the link to the person instead of showing it; default: false. */
      readonly send_by_email?: boolean;
    };
    readonly answer: PersonLink;
  };
  /** End all sessions of a person of your account and refuse new ones. */
  readonly deactivateMyPerson: {
    readonly method: 'POST';
    readonly path: '/account/my/people/{person_id}/deactivate';
    readonly pathParameters: {
      /** Id of a person. */
      readonly person_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: Person;
  };
  /** Activate a deactivated person of your account. */
  readonly activateMyPerson: {
    readonly method: 'POST';
    readonly path: '/account/my/people/{person_id}/activate';
    readonly pathParameters: {
      /** Id of a person. */
      readonly person_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: Person;
  };
  /** Rename an API key of your account. */
  readonly renameMyApiKey: {
    readonly method: 'POST';
    readonly path: '/account/my/api-keys/{key_id}/rename';
    readonly pathParameters: {
      /** Id of an API key. */
      readonly key_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** What the key is for. */
      readonly name: string;
    };
    readonly answer: AdministeredApiKey;
  };
  /** Activate a deactivated API key of your account. */
  readonly activateMyApiKey: {
    readonly method: 'POST';
    readonly path: '/account/my/api-keys/{key_id}/activate';
    readonly pathParameters: {
      /** Id of an API key. */
      readonly key_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: AdministeredApiKey;
  };
  /** Refuse all requests with an API key of your account until it is activated again. */
  readonly deactivateMyApiKey: {
    readonly method: 'POST';
    readonly path: '/account/my/api-keys/{key_id}/deactivate';
    readonly pathParameters: {
      /** Id of an API key. */
      readonly key_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: AdministeredApiKey;
  };
  /** Delete an API key of your account. */
  readonly deleteMyApiKey: {
    readonly method: 'POST';
    readonly path: '/account/my/api-keys/{key_id}/delete';
    readonly pathParameters: {
      /** Id of an API key. */
      readonly key_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: DeletedApiKey;
  };
  /** Replace the subnets that requests of your account may come from. */
  readonly setMyIpSubnets: {
    readonly method: 'POST';
    readonly path: '/account/my/ip-subnets';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** CIDR subnets; an empty list allows any address. */
      readonly ip_subnets: readonly string[];
      /** Accept a list without the address of this request. */
      readonly allow_lock_out?: boolean;
    };
    readonly answer: AdministeredIdentity;
  };
  /** Every dataset of the catalogue. */
  readonly listDatasets: {
    readonly method: 'GET';
    readonly path: '/meta/datasets';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: DatasetList;
  };
  /** The datasets that the account may read. */
  readonly listMyDatasets: {
    readonly method: 'GET';
    readonly path: '/meta/datasets/my';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: DatasetList;
  };
  /** Every dataset with its description, columns and granularity, and the coverage of those that the account may read. */
  readonly showCatalogue: {
    readonly method: 'GET';
    readonly path: '/meta/catalogue';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: Catalogue;
  };
  /** Description and coverage of a dataset. */
  readonly showDatasetInfo: {
    readonly method: 'GET';
    readonly path: '/meta/datasets/{dataset_id}/info';
    readonly pathParameters: {
      /** Catalogue id, of the form US####. */
      readonly dataset_id: string;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: DatasetInfo;
  };
  /** Columns of a dataset; each can be filtered, selected and sorted by. */
  readonly listDatasetColumns: {
    readonly method: 'GET';
    readonly path: '/meta/datasets/{dataset_id}/columns';
    readonly pathParameters: {
      /** Catalogue id, of the form US####. */
      readonly dataset_id: string;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: ColumnList;
  };
  /** How to query a dataset: path, variants, filters, limits, and what the account may read. */
  readonly showQueryForm: {
    readonly method: 'GET';
    readonly path: '/meta/datasets/{dataset_id}/query';
    readonly pathParameters: {
      /** Catalogue id, of the form US####. */
      readonly dataset_id: string;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: QueryForm;
  };
  /** By which rules the rows of a dataset are computed, and what each condition does. */
  readonly showDatasetRules: {
    readonly method: 'GET';
    readonly path: '/meta/datasets/{dataset_id}/rules';
    readonly pathParameters: {
      /** Catalogue id, of the form US####. */
      readonly dataset_id: string;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: DatasetRules;
  };
  /** When a dataset was last updated and when the next update is due. */
  readonly showDatasetStatus: {
    readonly method: 'GET';
    readonly path: '/meta/datasets/{dataset_id}/status';
    readonly pathParameters: {
      /** Catalogue id, of the form US####. */
      readonly dataset_id: string;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: DatasetStatus;
  };
  /** The coverage of a dataset by day, within what the account may read. */
  readonly showDatasetCoverage: {
    readonly method: 'GET';
    readonly path: '/meta/datasets/{dataset_id}/coverage';
    readonly pathParameters: {
      /** Catalogue id, of the form US####. */
      readonly dataset_id: string;
    };
    readonly query: {
      /** First day; default: 30 days up to the last one. */
      readonly start?: string;
      /** Last day, at most 366 days in all; default: the newest. */
      readonly end?: string;
    };
    readonly body: null;
    readonly answer: DatasetCoverage;
  };
  /** The versions of a dataset, the newest first. */
  readonly listDatasetVersions: {
    readonly method: 'GET';
    readonly path: '/meta/datasets/{dataset_id}/versions';
    readonly pathParameters: {
      /** Catalogue id, of the form US####. */
      readonly dataset_id: string;
    };
    readonly query: {
      /** Show versions before this one; the previous page gives it. */
      readonly before?: number;
      /** Maximum number of versions; default: 100. */
      readonly limit?: number;
    };
    readonly body: null;
    readonly answer: DatasetVersionPage;
  };
  /** The changes that a version of a dataset made. */
  readonly showDatasetVersion: {
    readonly method: 'GET';
    readonly path: '/meta/datasets/{dataset_id}/versions/{version}';
    readonly pathParameters: {
      /** Catalogue id, of the form US####. */
      readonly dataset_id: string;
      /** Version of a dataset. */
      readonly version: number;
    };
    readonly query: {
      /** Show partitions after this one; the previous page gives it. */
      readonly after?: string;
      /** Maximum number of partitions; default: 1000. */
      readonly limit?: number;
    };
    readonly body: null;
    readonly answer: DatasetVersionDetail;
  };
  /** The securities that symbols stood for, by date, and what became of them. */
  readonly resolveSymbols: {
    readonly method: 'GET';
    readonly path: '/symbology/resolve';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: {
      /** Symbols, separated by commas, as the type writes them. */
      readonly symbols: readonly string[];
      /** Type of the symbols; default: Ticker. */
      readonly type?: 'Ticker' | 'ASID' | 'SecId' | 'FIGI' | 'ISIN' | 'CUSIP' | 'SEDOL' | 'OSI';
      /** First date; default: the first there is. */
      readonly start?: string;
      /** Last date; default: the last there is. */
      readonly end?: string;
    };
    readonly body: null;
    readonly answer: ResolvedSymbols;
  };
  /** Securities by the beginning of a ticker, of a word of a name, or of a number. */
  readonly searchSecurities: {
    readonly method: 'GET';
    readonly path: '/symbology/search';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: {
      /** Beginning of a ticker, of a word of a name, or of a number. */
      readonly q: string;
      /** Maximum number of securities; default: 10. */
      readonly limit?: number;
    };
    readonly body: null;
    readonly answer: FoundSecurities;
  };
  /** The contracts that a continuous contract stood for, with dates. */
  readonly showRolls: {
    readonly method: 'GET';
    readonly path: '/symbology/rolls';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: {
      /** A continuous contract, such as ES.c.0. */
      readonly symbol: string;
      /** First date; default: the first there is. */
      readonly start?: string;
      /** Last date; default: the last there is. */
      readonly end?: string;
      /** Version of the dataset that ranks; default: the current one. */
      readonly rolls_version?: number;
    };
    readonly body: null;
    readonly answer: FoundRolls;
  };
  /** The option contracts on an underlying at a moment: terms, quotes, open interest, greeks. */
  readonly showOptionChain: {
    readonly method: 'GET';
    readonly path: '/symbology/option-chain';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: {
      /** Symbol of the underlying, such as AAPL or BRK.B. */
      readonly underlying: string;
      /** Trade date, as stock trading ends; give this or at. */
      readonly date?: string;
      /** Moment, by the market's clock where it has no offset. */
      readonly at?: string;
      /** Only contracts of this root, such as SPXW. */
      readonly root?: string;
      /** Only contracts that expire on this day. */
      readonly expiration?: string;
      /** Only contracts that expire on this day or later. */
      readonly 'expiration.ge'?: string;
      /** Only contracts that expire on this day or earlier. */
      readonly 'expiration.le'?: string;
      /** Only contracts with this strike price in dollars. */
      readonly strike?: string;
      /** Only contracts with this strike price or a higher one. */
      readonly 'strike.ge'?: string;
      /** Only contracts with this strike price or a lower one. */
      readonly 'strike.le'?: string;
      /** Only calls, C, or only puts, P. */
      readonly call_put?: 'C' | 'P';
      /** Contracts to leave out at the beginning; default: 0. */
      readonly offset?: number;
      /** Maximum number of contracts; default: 5000. */
      readonly limit?: number;
      /** Version of the ticks; default: the current one. */
      readonly dataset_version?: number;
      /** Version of the master of contracts; default: the current one. */
      readonly contracts_version?: number;
      /** Version of the daily analytics; default: the current one. */
      readonly greeks_version?: number;
      /** Versions of this time, of datasets whose version is not given. */
      readonly as_of?: string;
    };
    readonly body: null;
    readonly answer: OptionChain;
  };
  /** The publications of the account's datasets, in the order in which they ended. */
  readonly listPublications: {
    readonly method: 'GET';
    readonly path: '/publications';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: {
      /** Show publications that ended after this one; default: from the first. */
      readonly after?: number;
      /** Maximum number of publications; default: 100. */
      readonly limit?: number;
    };
    readonly body: null;
    readonly answer: PublicationFeed;
  };
  /** The cost of the same request under /data; takes the same query string. */
  readonly show_tick_scan: {
    readonly method: 'GET';
    readonly path: '/data-scan/{group}/{segment}/{trade_date}/{identifier}';
    readonly pathParameters: {
      /** Group of a data path. */
      readonly group: string;
      /** Dataset of a data path. */
      readonly segment: string;
      /** Trade date, YYYY-MM-DD, or latest. */
      readonly trade_date: string;
      /** Ticker, or the permanent integer id (ASID). */
      readonly identifier: string;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: DataScan;
  };
  /** The cost of the same request without its last segment; takes its query string. */
  readonly estimate_tick_rows: {
    readonly method: 'GET';
    readonly path: '/data/{group}/{segment}/{trade_date}/{identifier}/estimate';
    readonly pathParameters: {
      /** Group of a data path. */
      readonly group: string;
      /** Dataset of a data path. */
      readonly segment: string;
      /** Trade date, YYYY-MM-DD, or latest. */
      readonly trade_date: string;
      /** Ticker, or the permanent integer id (ASID). */
      readonly identifier: string;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: DataScan;
  };
  /** Which rules decide about the same request without its last segment, and how. */
  readonly explain_tick_rows: {
    readonly method: 'GET';
    readonly path: '/data/{group}/{segment}/{trade_date}/{identifier}/explain';
    readonly pathParameters: {
      /** Group of a data path. */
      readonly group: string;
      /** Dataset of a data path. */
      readonly segment: string;
      /** Trade date, YYYY-MM-DD, or latest. */
      readonly trade_date: string;
      /** Ticker, or the permanent integer id (ASID). */
      readonly identifier: string;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: Explanation;
  };
  /** The cost of the same request under /data; takes the same query string. */
  readonly show_identifier_scan: {
    readonly method: 'GET';
    readonly path: '/data-scan/{group}/{segment}/{identifier}';
    readonly pathParameters: {
      /** Group of a data path. */
      readonly group: string;
      /** Dataset of a data path. */
      readonly segment: string;
      /** Ticker, or the permanent integer id (ASID). */
      readonly identifier: string;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: DataScan;
  };
  /** The cost of the same request without its last segment; takes its query string. */
  readonly estimate_identifier_rows: {
    readonly method: 'GET';
    readonly path: '/data/{group}/{segment}/{identifier}/estimate';
    readonly pathParameters: {
      /** Group of a data path. */
      readonly group: string;
      /** Dataset of a data path. */
      readonly segment: string;
      /** Ticker, or the permanent integer id (ASID). */
      readonly identifier: string;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: DataScan;
  };
  /** Which rules decide about the same request without its last segment, and how. */
  readonly explain_identifier_rows: {
    readonly method: 'GET';
    readonly path: '/data/{group}/{segment}/{identifier}/explain';
    readonly pathParameters: {
      /** Group of a data path. */
      readonly group: string;
      /** Dataset of a data path. */
      readonly segment: string;
      /** Ticker, or the permanent integer id (ASID). */
      readonly identifier: string;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: Explanation;
  };
  /** The cost of the same request under /data; takes the same query string. */
  readonly show_query_scan: {
    readonly method: 'GET';
    readonly path: '/data-scan/{group}/{segment}';
    readonly pathParameters: {
      /** Group of a data path. */
      readonly group: string;
      /** Dataset of a data path. */
      readonly segment: string;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: DataScan;
  };
  /** The cost of the same request without its last segment; takes its query string. */
  readonly estimate_query_rows: {
    readonly method: 'GET';
    readonly path: '/data/{group}/{segment}/estimate';
    readonly pathParameters: {
      /** Group of a data path. */
      readonly group: string;
      /** Dataset of a data path. */
      readonly segment: string;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: DataScan;
  };
  /** Which rules decide about the same request without its last segment, and how. */
  readonly explain_query_rows: {
    readonly method: 'GET';
    readonly path: '/data/{group}/{segment}/explain';
    readonly pathParameters: {
      /** Group of a data path. */
      readonly group: string;
      /** Dataset of a data path. */
      readonly segment: string;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: Explanation;
  };
  /** All rows of a request as files, with links to them; takes the filters of a data request. */
  readonly showManifest: {
    readonly method: 'GET';
    readonly path: '/bulk/{group}/{segment}';
    readonly pathParameters: {
      /** Group of a data path. */
      readonly group: string;
      /** Dataset of a data path. */
      readonly segment: string;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: Manifest;
  };
  /** Tools for language models, in the Model Context Protocol. */
  readonly callTools: {
    readonly method: 'POST';
    readonly path: '/mcp';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** The version of JSON-RPC. */
      readonly jsonrpc: '2.0';
      /** Such as server/discover, tools/list or tools/call. */
      readonly method: string;
      /** Comes back with the answer; a notification has none. */
      readonly id?: string | number;
      /** As the method has them. */
      readonly params?: Readonly<Record<string, unknown>>;
    };
    readonly answer: ToolAnswer;
  };
  /** Create an account, which has no data access at first. */
  readonly createIdentity: {
    readonly method: 'POST';
    readonly path: '/identities';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** Unique name of the account. */
      readonly name: string;
      /** Let the account administer all accounts; default: false. */
      readonly is_admin?: boolean;
      /** Maximum number of active, unexpired API keys; default: 5. */
      readonly max_active_api_keys?: number;
      /** CIDR subnets that requests may come from; an empty list allows any address. */
      readonly ip_subnets?: readonly string[];
      /** Its own end of contract, from when on all requests are refused: a time such as 2030-01-31T17:00:00Z, or a date, which means 00:00 UTC; null means that of its plan, or no end. */
      readonly contract_ends_at?: string | null;
      /** Id of its plan; null means none. */
      readonly plan_id?: number | null;
    };
    readonly answer: AdministeredIdentity;
  };
  /** List the accounts. */
  readonly listIdentities: {
    readonly method: 'GET';
    readonly path: '/identities';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: {
      /** Only accounts that have this plan. */
      readonly plan_id?: number;
      /** Only accounts whose name has this text in it, in any case. */
      readonly name?: string;
      /** Show rows after this id; the previous page gives it. */
      readonly after?: number;
      /** Maximum number of rows; default: 100. */
      readonly limit?: number;
    };
    readonly body: null;
    readonly answer: IdentityPage;
  };
  /** Show an account. */
  readonly showIdentity: {
    readonly method: 'GET';
    readonly path: '/identities/{identity_id}';
    readonly pathParameters: {
      /** Id of an identity. */
      readonly identity_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: AdministeredIdentity;
  };
  /** Change an account; options that are left out change nothing. */
  readonly updateIdentity: {
    readonly method: 'POST';
    readonly path: '/identities/{identity_id}/update';
    readonly pathParameters: {
      /** Id of an identity. */
      readonly identity_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** Unique name of the account. */
      readonly name?: string;
      /** Let the account administer all accounts. */
      readonly is_admin?: boolean;
      /** Maximum number of active, unexpired API keys; existing keys stay active. */
      readonly max_active_api_keys?: number;
      /** CIDR subnets that requests may come from; an empty list allows any address. Replaces the list. */
      readonly ip_subnets?: readonly string[];
      /** Its own end of contract, from when on all requests are refused: a time such as 2030-01-31T17:00:00Z, or a date, which means 00:00 UTC; null means that of its plan, or no end. */
      readonly contract_ends_at?: string | null;
      /** Id of its plan; null means none. */
      readonly plan_id?: number | null;
    };
    readonly answer: AdministeredIdentity;
  };
  /** Refuse all requests of an account until it is activated again. */
  readonly deactivateIdentity: {
    readonly method: 'POST';
    readonly path: '/identities/{identity_id}/deactivate';
    readonly pathParameters: {
      /** Id of an identity. */
      readonly identity_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: AdministeredIdentity;
  };
  /** Activate a deactivated account. */
  readonly activateIdentity: {
    readonly method: 'POST';
    readonly path: '/identities/{identity_id}/activate';
    readonly pathParameters: {
      /** Id of an identity. */
      readonly identity_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: AdministeredIdentity;
  };
  /** Create an API key for an account; it is shown only in this answer. */
  readonly createApiKey: {
    readonly method: 'POST';
    readonly path: '/identities/{identity_id}/api-keys';
    readonly pathParameters: {
      /** Id of an identity. */
      readonly identity_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** What the key is for. */
      readonly name: string;
      /** When it expires: a time such as 2030-01-31T17:00:00Z, or a date, which means 00:00 UTC, in the future. */
      readonly expires_at?: string;
      /** Or how long it lasts: a number and a unit s, m, h or d, such as 90d, up to 36500d. */
      readonly expires_in?: string;
    };
    readonly answer: NewApiKey;
  };
  /** List the API keys of an account. */
  readonly listApiKeys: {
    readonly method: 'GET';
    readonly path: '/identities/{identity_id}/api-keys';
    readonly pathParameters: {
      /** Id of an identity. */
      readonly identity_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: AdministeredApiKeyList;
  };
  /** Rename an API key. */
  readonly renameApiKey: {
    readonly method: 'POST';
    readonly path: '/api-keys/{key_id}/rename';
    readonly pathParameters: {
      /** Id of an API key. */
      readonly key_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** What the key is for. */
      readonly name: string;
    };
    readonly answer: AdministeredApiKey;
  };
  /** Activate a deactivated API key. */
  readonly activateApiKey: {
    readonly method: 'POST';
    readonly path: '/api-keys/{key_id}/activate';
    readonly pathParameters: {
      /** Id of an API key. */
      readonly key_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: AdministeredApiKey;
  };
  /** Refuse all requests with an API key until it is activated again. */
  readonly deactivateApiKey: {
    readonly method: 'POST';
    readonly path: '/api-keys/{key_id}/deactivate';
    readonly pathParameters: {
      /** Id of an API key. */
      readonly key_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: AdministeredApiKey;
  };
  /** Delete an API key. */
  readonly deleteApiKey: {
    readonly method: 'POST';
    readonly path: '/api-keys/{key_id}/delete';
    readonly pathParameters: {
      /** Id of an API key. */
      readonly key_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: DeletedApiKey;
  };
  /** Give an account access to a dataset. */
  readonly addDataAccessRule: {
    readonly method: 'POST';
    readonly path: '/identities/{identity_id}/data-access-rules';
    readonly pathParameters: {
      /** Id of an identity. */
      readonly identity_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** Id or text id of the dataset. */
      readonly dataset_id: string;
      /** First trade date; default: 1900-01-01. */
      readonly start_date?: string;
      /** Last trade date; open-ended when null or omitted. */
      readonly end_date?: string | null;
      /** Identifiers that may be read; an empty list means all. */
      readonly universe_identifiers?: readonly string[];
      /** Columns that may be read; null or omitted means all. */
      readonly columns?: readonly string[] | null;
    };
    readonly answer: AdministeredRule;
  };
  /** List the access rules of an account, its own and those of its plan. */
  readonly listDataAccessRules: {
    readonly method: 'GET';
    readonly path: '/identities/{identity_id}/data-access-rules';
    readonly pathParameters: {
      /** Id of an identity. */
      readonly identity_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: AdministeredRuleList;
  };
  /** Give an account access to several datasets or groups at once. */
  readonly addDataAccessRules: {
    readonly method: 'POST';
    readonly path: '/identities/{identity_id}/data-access-rules/several';
    readonly pathParameters: {
      /** Id of an identity. */
      readonly identity_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** Ids or text ids of datasets. */
      readonly dataset_ids?: readonly string[];
      /** Groups whose datasets are meant as well, such as us-equity. */
      readonly groups?: readonly string[];
      /** First trade date; default: 1900-01-01. */
      readonly start_date?: string;
      /** Last trade date; open-ended when null or omitted. */
      readonly end_date?: string | null;
      /** Identifiers that may be read; an empty list means all. */
      readonly universe_identifiers?: readonly string[];
      /** Columns that may be read; null or omitted means all. */
      readonly columns?: readonly string[] | null;
      /** Skip datasets that already have an overlapping rule, instead of refusing the whole request; default: false. */
      readonly skip_overlapping?: boolean;
    };
    readonly answer: AddedRules;
  };
  /** Give an account the rules that another one or a plan has. */
  readonly copyDataAccessRules: {
    readonly method: 'POST';
    readonly path: '/identities/{identity_id}/data-access-rules/copy';
    readonly pathParameters: {
      /** Id of an identity. */
      readonly identity_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** Id of the account whose own rules are copied. */
      readonly from_identity_id?: number;
      /** Or id of the plan whose rules are copied. */
      readonly from_plan_id?: number;
      /** Skip datasets that already have an overlapping rule, instead of refusing the whole request; default: false. */
      readonly skip_overlapping?: boolean;
    };
    readonly answer: AddedRules;
  };
  /** Change the window, the identifiers or the columns of a rule; options that are left out change nothing. */
  readonly updateDataAccessRule: {
    readonly method: 'POST';
    readonly path: '/data-access-rules/{rule_id}/update';
    readonly pathParameters: {
      /** Id of an access rule. */
      readonly rule_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** First trade date. */
      readonly start_date?: string;
      /** Last trade date; null means no end date. */
      readonly end_date?: string | null;
      /** Identifiers that may be read, in place of those before; an empty list means all. */
      readonly universe_identifiers?: readonly string[];
      /** Columns that may be read, in place of those before; null means all. */
      readonly columns?: readonly string[] | null;
    };
    readonly answer: AdministeredRule;
  };
  /** Delete an access rule of an account or a plan. */
  readonly removeDataAccessRule: {
    readonly method: 'POST';
    readonly path: '/data-access-rules/{rule_id}/delete';
    readonly pathParameters: {
      /** Id of an access rule. */
      readonly rule_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: DeletedRule;
  };
  /** List requests for access to datasets, the newest first. */
  readonly listAccessRequests: {
    readonly method: 'GET';
    readonly path: '/access-requests';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: {
      /** Only requests of this account. */
      readonly identity_id?: number;
      /** Only requests that are open, granted, declined. */
      readonly state?: 'open' | 'granted' | 'declined';
      /** Show requests before this id; the previous page gives it. */
      readonly before?: number;
      /** Maximum number of rows; default: 100. */
      readonly limit?: number;
    };
    readonly body: null;
    readonly answer: AccessRequestPage;
  };
  /** Grant a request for access: adds a rule for the dataset, by default for all of it. */
  readonly grantAccess: {
    readonly method: 'POST';
    readonly path: '/access-requests/{request_id}/grant';
    readonly pathParameters: {
      /** Id of a request for access. */
      readonly request_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** First trade date; default: 1900-01-01. */
      readonly start_date?: string;
      /** Last trade date; open-ended when null or omitted. */
      readonly end_date?: string | null;
      /** Identifiers that may be read; an empty list means all. */
      readonly universe_identifiers?: readonly string[];
      /** Columns that may be read; null or omitted means all. */
      readonly columns?: readonly string[] | null;
    };
    readonly answer: AccessRequest;
  };
  /** Decline a request for access. */
  readonly declineAccess: {
    readonly method: 'POST';
    readonly path: '/access-requests/{request_id}/decline';
    readonly pathParameters: {
      /** Id of a request for access. */
      readonly request_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: AccessRequest;
  };
  /** List who has asked for access on the landing page and has no answer, the newest first. */
  readonly listEnquiries: {
    readonly method: 'GET';
    readonly path: '/enquiries';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: EnquiryList;
  };
  /** Remove an enquiry without an invitation; inviting its e-mail address removes it, too. */
  readonly declineEnquiry: {
    readonly method: 'POST';
    readonly path: '/enquiries/{enquiry_id}/decline';
    readonly pathParameters: {
      /** Id of an enquiry. */
      readonly enquiry_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: DeclinedEnquiry;
  };
  /** Set the own limits of an account; options that are left out change nothing. */
  readonly setQuotaLimits: {
    readonly method: 'POST';
    readonly path: '/identities/{identity_id}/quotas';
    readonly pathParameters: {
      /** Id of an identity. */
      readonly identity_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** Maximum requests, bytes scanned and bytes returned in a month; null means unlimited. */
      readonly month?: {
        readonly requests?: number | null;
        readonly data_scanned?: number | null;
        readonly data_returned?: number | null;
      };
      /** Maximum requests, bytes scanned and bytes returned in any 60 seconds; null means unlimited. */
      readonly minute?: {
        readonly requests?: number | null;
        readonly data_scanned?: number | null;
        readonly data_returned?: number | null;
      };
    };
    readonly answer: QuotaLimits;
  };
  /** Show the limits of an account, its own and those of its plan; null means unlimited. */
  readonly showQuotaLimits: {
    readonly method: 'GET';
    readonly path: '/identities/{identity_id}/quotas';
    readonly pathParameters: {
      /** Id of an identity. */
      readonly identity_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: QuotaLimits;
  };
  /** Create a plan, which gives no data access at first. */
  readonly createPlan: {
    readonly method: 'POST';
    readonly path: '/plans';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** Unique name of the plan. */
      readonly name: string;
      /** When the contracts of its accounts end: a time such as 2030-01-31T17:00:00Z, or a date, which means 00:00 UTC; null means no common end. */
      readonly contract_ends_at?: string | null;
      /** Or how many days a contract lasts from when an account gets the plan; null means no such end. */
      readonly contract_days?: number | null;
      /** Maximum requests, bytes scanned and bytes returned in a month; null means unlimited. */
      readonly month?: {
        readonly requests?: number | null;
        readonly data_scanned?: number | null;
        readonly data_returned?: number | null;
      };
      /** Maximum requests, bytes scanned and bytes returned in any 60 seconds; null means unlimited. */
      readonly minute?: {
        readonly requests?: number | null;
        readonly data_scanned?: number | null;
        readonly data_returned?: number | null;
      };
    };
    readonly answer: Plan;
  };
  /** List the plans, with how many accounts have each. */
  readonly listPlans: {
    readonly method: 'GET';
    readonly path: '/plans';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: {
      /** Show rows after this id; the previous page gives it. */
      readonly after?: number;
      /** Maximum number of rows; default: 100. */
      readonly limit?: number;
    };
    readonly body: null;
    readonly answer: PlanPage;
  };
  /** Show a plan; a limit of null means unlimited. */
  readonly showPlan: {
    readonly method: 'GET';
    readonly path: '/plans/{plan_id}';
    readonly pathParameters: {
      /** Id of a plan. */
      readonly plan_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: Plan;
  };
  /** Change a plan for all accounts that have it; options that are left out change nothing. */
  readonly updatePlan: {
    readonly method: 'POST';
    readonly path: '/plans/{plan_id}/update';
    readonly pathParameters: {
      /** Id of a plan. */
      readonly plan_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** Unique name of the plan. */
      readonly name?: string;
      /** When the contracts of its accounts end: a time such as 2030-01-31T17:00:00Z, or a date, which means 00:00 UTC; null means no common end. */
      readonly contract_ends_at?: string | null;
      /** Or how many days a contract lasts from when an account gets the plan; null means no such end. */
      readonly contract_days?: number | null;
      /** Maximum requests, bytes scanned and bytes returned in a month; null means unlimited. */
      readonly month?: {
        readonly requests?: number | null;
        readonly data_scanned?: number | null;
        readonly data_returned?: number | null;
      };
      /** Maximum requests, bytes scanned and bytes returned in any 60 seconds; null means unlimited. */
      readonly minute?: {
        readonly requests?: number | null;
        readonly data_scanned?: number | null;
        readonly data_returned?: number | null;
      };
    };
    readonly answer: Plan;
  };
  /** Delete a plan that no account has, with its rules. */
  readonly deletePlan: {
    readonly method: 'POST';
    readonly path: '/plans/{plan_id}/delete';
    readonly pathParameters: {
      /** Id of a plan. */
      readonly plan_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: DeletedPlan;
  };
  /** Give several accounts a plan, in place of the one that they had. */
  readonly assignPlan: {
    readonly method: 'POST';
    readonly path: '/plans/{plan_id}/assign';
    readonly pathParameters: {
      /** Id of a plan. */
      readonly plan_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** Ids of the accounts. */
      readonly identity_ids: readonly number[];
    };
    readonly answer: AssignedPlan;
  };
  /** Give all accounts that have a plan access to datasets or groups. */
  readonly addPlanRules: {
    readonly method: 'POST';
    readonly path: '/plans/{plan_id}/data-access-rules';
    readonly pathParameters: {
      /** Id of a plan. */
      readonly plan_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** Ids or text ids of datasets. */
      readonly dataset_ids?: readonly string[];
      /** Groups whose datasets are meant as well, such as us-equity. */
      readonly groups?: readonly string[];
      /** First trade date; default: 1900-01-01. */
      readonly start_date?: string;
      /** Last trade date; open-ended when null or omitted. */
      readonly end_date?: string | null;
      /** Identifiers that may be read; an empty list means all. */
      readonly universe_identifiers?: readonly string[];
      /** Columns that may be read; null or omitted means all. */
      readonly columns?: readonly string[] | null;
      /** Skip datasets that already have an overlapping rule, instead of refusing the whole request; default: false. */
      readonly skip_overlapping?: boolean;
    };
    readonly answer: AddedRules;
  };
  /** List the access rules of a plan. */
  readonly listPlanRules: {
    readonly method: 'GET';
    readonly path: '/plans/{plan_id}/data-access-rules';
    readonly pathParameters: {
      /** Id of a plan. */
      readonly plan_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: AdministeredRuleList;
  };
  /** Give a plan the rules that an account or another plan has. */
  readonly copyPlanRules: {
    readonly method: 'POST';
    readonly path: '/plans/{plan_id}/data-access-rules/copy';
    readonly pathParameters: {
      /** Id of a plan. */
      readonly plan_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** Id of the account whose own rules are copied. */
      readonly from_identity_id?: number;
      /** Or id of the plan whose rules are copied. */
      readonly from_plan_id?: number;
      /** Skip datasets that already have an overlapping rule, instead of refusing the whole request; default: false. */
      readonly skip_overlapping?: boolean;
    };
    readonly answer: AddedRules;
  };
  /** Create a person who can sign in; the password is shown only in this answer. */
  readonly createPerson: {
    readonly method: 'POST';
    readonly path: '/people';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** E-mail address to sign in with; unique. */
      readonly email: string;
      /** member: reads; manager: also changes the account; owner: administers all accounts. */
      readonly role: 'member' | 'manager' | 'owner';
      /** Id of the account; optional for an owner. */
      readonly identity_id?: number;
    };
    readonly answer: NewPerson;
  };
  /** List the people who can sign in. */
  readonly listPeople: {
    readonly method: 'GET';
    readonly path: '/people';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: {
      /** Only people of this account. */
      readonly identity_id?: number;
      /** Show rows after this id; the previous page gives it. */
      readonly after?: number;
      /** Maximum number of rows; default: 100. */
      readonly limit?: number;
    };
    readonly body: null;
    readonly answer: PersonPage;
  };
  /** Change a person; options that are left out change nothing. */
  readonly updatePerson: {
    readonly method: 'POST';
    readonly path: '/people/{person_id}/update';
    readonly pathParameters: {
      /** Id of a person. */
      readonly person_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** E-mail address to sign in with; unique. */
      readonly email?: string;
      /** member: reads; manager: also changes the account; owner: administers all accounts. Ends the person's sessions. */
      readonly role?: 'member' | 'manager' | 'owner';
      /** Id of the account; null, for an owner only, means none. Ends the person's sessions. */
      readonly identity_id?: number | null;
    };
    readonly answer: Person;
  };
  /** Give a person a new password, shown only in this answer, and end all their sessions. */
  readonly resetPersonPassword: {
    readonly method: 'POST';
    readonly path: '/people/{person_id}/reset-password';
    readonly pathParameters: {
      /** Id of a person. */
      readonly person_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: NewPerson;
  };
  /** End all sessions of a person and refuse new ones until they are activated again. */
  readonly deactivatePerson: {
    readonly method: 'POST';
    readonly path: '/people/{person_id}/deactivate';
    readonly pathParameters: {
      /** Id of a person. */
      readonly person_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: Person;
  };
  /** Activate a deactivated person. */
  readonly activatePerson: {
    readonly method: 'POST';
    readonly path: '/people/{person_id}/activate';
    readonly pathParameters: {
      /** Id of a person. */
      readonly person_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: Person;
  };
  /** Delete a person. */
  readonly deletePerson: {
    readonly method: 'POST';
    readonly path: '/people/{person_id}/delete';
    readonly pathParameters: {
      /** Id of a person. */
      readonly person_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: DeletedPerson;
  };
  /** Invite a person by a link to choose a password, shown only in this answer or e-mailed. */
  readonly invitePerson: {
    readonly method: 'POST';
    readonly path: '/people/invite';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** E-mail address to sign in with; unique. */
      readonly email: string;
      /** member: reads; manager: also changes the account; owner: administers all accounts. */
      readonly role: 'member' | 'manager' | 'owner';
      /** Id of the account; optional for an owner. */
      readonly identity_id?: number;
      /** E-mail the link to the person instead of showing it; default: false. */
      readonly send_by_email?: boolean;
    };
    readonly answer: PersonLink;
  };
  /** Make a link by which a person chooses a new password, shown only in this answer or e-mailed. */
  readonly makePersonLink: {
    readonly method: 'POST';
    readonly path: '/people/{person_id}/link';
    readonly pathParameters: {
      /** Id of a person. */
      readonly person_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** E-mail the link to the person instead of showing it; default: false. */
      readonly send_by_email?: boolean;
    };
    readonly answer: PersonLink;
  };
  /** List the sessions of a person, the one used last first. */
  readonly listPersonSessions: {
    readonly method: 'GET';
    readonly path: '/people/{person_id}/sessions';
    readonly pathParameters: {
      /** Id of a person. */
      readonly person_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: PersonSessionList;
  };
  /** End all sessions of a person, or one of them. */
  readonly endPersonSessions: {
    readonly method: 'POST';
    readonly path: '/people/{person_id}/end-sessions';
    readonly pathParameters: {
      /** Id of a person. */
      readonly person_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** Only this session. */
      readonly session_id?: string;
    };
    readonly answer: EndedSessions;
  };
  /** Turn off the second factor of a person who has lost it, and end all their sessions. */
  readonly resetSecondFactor: {
    readonly method: 'POST';
    readonly path: '/people/{person_id}/reset-second-factor';
    readonly pathParameters: {
      /** Id of a person. */
      readonly person_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: Person;
  };
  /** Show what accounts have used in each month (UTC), for invoices. */
  readonly showUsageByMonth: {
    readonly method: 'GET';
    readonly path: '/usage-by-month';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: {
      /** Only of this account; default: all. */
      readonly identity_id?: number;
      /** First month, YYYY-MM; default: the last one. */
      readonly from?: string;
      /** Last month, at most 120 in all; default: this one. */
      readonly to?: string;
      /** Format of the answer, json or csv; default: json. */
      readonly response_format?: 'json' | 'csv';
    };
    readonly body: null;
    readonly answer: MonthlyUsage;
  };
  /** List the requests that were counted, oldest first. */
  readonly listUsageLedger: {
    readonly method: 'GET';
    readonly path: '/usage-ledger';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: {
      /** Only of this account; default: all. */
      readonly identity_id?: number;
      /** From this time on; default: all that the ledger keeps. */
      readonly from?: string;
      /** Before this time. */
      readonly to?: string;
      /** Format of the answer, json or csv; default: json. */
      readonly response_format?: 'json' | 'csv';
      /** Show rows after this id; the previous page gives it. */
      readonly after?: number;
      /** Maximum number of rows; default: 100. */
      readonly limit?: number;
    };
    readonly body: null;
    readonly answer: LedgerPage;
  };
  /** Show the usage of an account by day (UTC), dataset and key. */
  readonly showUsage: {
    readonly method: 'GET';
    readonly path: '/identities/{identity_id}/usage';
    readonly pathParameters: {
      /** Id of an identity. */
      readonly identity_id: number;
    };
    readonly query: {
      /** First day; default: the first of the last day's month. */
      readonly from?: string;
      /** Last day, at most 366 days in all; default: today. */
      readonly to?: string;
    };
    readonly body: null;
    readonly answer: Usage;
  };
  /** List what administrators and loads have changed, oldest first by default. */
  readonly listAuditLog: {
    readonly method: 'GET';
    readonly path: '/audit-log';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: {
      /** Who acted: a person by e-mail, an account or key by name, or identity:ID, key:ID, person:ID, local:NAME. */
      readonly actor?: string;
      /** Name of an operation, such as createApiKey. */
      readonly operation?: string;
      /** What was changed: identity:ID, api_key:ID, rule:ID, person:ID or dataset:ID. */
      readonly target?: string;
      /** From this time on: a time such as 2030-01-31T17:00:00Z, or a date, which means 00:00 UTC. */
      readonly from?: string;
      /** Before this time: a time such as 2030-01-31T17:00:00Z, or a date, which means 00:00 UTC. */
      readonly to?: string;
      /** Newest first; default: false. */
      readonly newest_first?: boolean;
      /** Show rows after this id; the previous page gives it. */
      readonly after?: number;
      /** Maximum number of rows; default: 100. */
      readonly limit?: number;
    };
    readonly body: null;
    readonly answer: AuditPage;
  };
  /** List the publications, the newest first. */
  readonly listPublicationRecords: {
    readonly method: 'GET';
    readonly path: '/admin/publications';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: {
      /** Id or text id of a dataset. */
      readonly dataset_id?: string;
      /** State of the publications; 'open': those of 'running' that wait for a commit. */
      readonly state?: 'running' | 'published' | 'unchanged' | 'refused' | 'failed' | 'rolled_back' | 'open';
      /** Show those before this id; the previous page gives it. */
      readonly before?: number;
      /** Maximum number of publications; default: 50. */
      readonly limit?: number;
    };
    readonly body: null;
    readonly answer: PublicationPage;
  };
  /** Open a publication for several loads, which become visible together when it is committed. */
  readonly beginPublication: {
    readonly method: 'POST';
    readonly path: '/admin/publications';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** Ids or text ids of the datasets that it may change. */
      readonly dataset_ids: readonly string[];
      /** Why, for the ledger. */
      readonly reason?: string;
      /** Who the data comes from. */
      readonly vendor?: string;
    };
    readonly answer: PublicationRecord;
  };
  /** Show a publication with its sources, its checks and what it made of each dataset. */
  readonly showPublicationRecord: {
    readonly method: 'GET';
    readonly path: '/admin/publications/{publication_id}';
    readonly pathParameters: {
      /** Id of a publication. */
      readonly publication_id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: PublicationRecord;
  };
  /** Show what a publication, or the step between two versions, made of each partition. */
  readonly diffPublication: {
    readonly method: 'GET';
    readonly path: '/admin/publications/diff';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: {
      /** Id of the publication. */
      readonly publication_id?: number;
      /** Id or text id of a dataset. */
      readonly dataset_id?: string;
      /** Earlier version of the dataset, instead of a publication. */
      readonly from_version?: number;
      /** Later version of the dataset, instead of a publication. */
      readonly to_version?: number;
      /** Show partitions after this key; the previous page gives it. */
      readonly after?: string;
      /** Maximum number of partitions of each dataset; default: 1000. */
      readonly limit?: number;
    };
    readonly body: null;
    readonly answer: PublicationDiff;
  };
  /** Undo a publication, or all that came after a version of a dataset; nothing is copied. */
  readonly rollBackPublication: {
    readonly method: 'POST';
    readonly path: '/admin/publications/rollback';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** Id of the publication. */
      readonly publication_id?: number;
      /** Id or text id of a dataset. */
      readonly dataset_id?: string;
      /** Version of 'dataset_id' that becomes current again. */
      readonly to_version?: number;
      /** Why, for the ledger. */
      readonly reason?: string;
    };
    readonly answer: PublicationRecord;
  };
  /** Take days, partitions, identifiers or all rows out of a dataset. */
  readonly withdrawRows: {
    readonly method: 'POST';
    readonly path: '/admin/publications/withdraw';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** Id or text id of the dataset. */
      readonly dataset_id: string;
      /** The one trade date whose rows go. */
      readonly date?: string;
      /** First trade date whose rows go. */
      readonly from?: string;
      /** Last trade date whose rows go. */
      readonly to?: string;
      /** Keys of the partitions that lose rows. */
      readonly partitions?: readonly string[];
      /** Identifiers whose rows go. */
      readonly identifiers?: readonly string[];
      /** Take out all rows; default: false. */
      readonly all?: boolean;
      /** Open publication to take them out in, which counts when it is committed; default: one of its own. */
      readonly into?: number;
      /** Why, for the ledger. */
      readonly reason: string;
      /** Only report what would be removed; default: false. */
      readonly dry_run?: boolean;
    };
    readonly answer: Withdrawal;
  };
  /** Drop the earlier versions that the settings of retention do not keep. */
  readonly pruneVersions: {
    readonly method: 'POST';
    readonly path: '/admin/publications/prune';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** Only report what would be removed; default: false. */
      readonly dry_run?: boolean;
    };
    readonly answer: Pruning;
  };
  /** Publish all that was loaded into an open publication, at once. */
  readonly commitPublication: {
    readonly method: 'POST';
    readonly path: '/admin/publications/commit';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** Id of the publication. */
      readonly publication_id: number;
    };
    readonly answer: PublicationRecord;
  };
  /** Give up an open publication and all that was loaded into it. */
  readonly abandonPublication: {
    readonly method: 'POST';
    readonly path: '/admin/publications/abandon';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** Id of the publication. */
      readonly publication_id: number;
      /** Why, for the ledger. */
      readonly reason?: string;
    };
    readonly answer: PublicationRecord;
  };
  /** Say that a refused or warned load is looked after, so that alerts no longer tell of it. */
  readonly acknowledgePublication: {
    readonly method: 'POST';
    readonly path: '/admin/publications/acknowledge';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** Id of the publication. */
      readonly publication_id: number;
      /** Why, for the ledger. */
      readonly reason?: string;
    };
    readonly answer: PublicationRecord;
  };
  /** Show the coverage of every dataset by day, from the index alone. */
  readonly showCoverageOfAll: {
    readonly method: 'GET';
    readonly path: '/admin/coverage';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: {
      /** First day; default: 30 days up to the last one. */
      readonly start?: string;
      /** Last day, at most 366 days in all; default: today, UTC. */
      readonly end?: string;
    };
    readonly body: null;
    readonly answer: CoverageMap;
  };
  /** Show which keys would gain or lose which rows by a change of rules that is not saved. */
  readonly showRuleEffects: {
    readonly method: 'POST';
    readonly path: '/data-access-rules/what-if';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** The operation to try. */
      readonly operation: 'addDataAccessRule' | 'addDataAccessRules' | 'copyDataAccessRules' | 'updateDataAccessRule' | 'removeDataAccessRule' | 'addPlanRules' | 'copyPlanRules';
      /** Its fields, those of its path, too. */
      readonly input: Readonly<Record<string, unknown>>;
    };
    readonly answer: RuleEffects;
  };
  /** The publication of each dataset: its status, its size, and its last ingest. */
  readonly listPublicationStatus: {
    readonly method: 'GET';
    readonly path: '/publication-status';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: PublicationList;
  };
  /** Running requests, and the last refused ones. */
  readonly showRequests: {
    readonly method: 'GET';
    readonly path: '/requests';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: RequestBoard;
  };
  /** Problems that need an owner now: failed and late datasets, the service, the disk, backups, refused requests. */
  readonly listAlerts: {
    readonly method: 'GET';
    readonly path: '/admin/alerts';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: AlertList;
  };
  /** Load a file into a dataset and publish its rows, or begin to send one in parts. */
  readonly ingestFile: {
    readonly method: 'POST';
    readonly path: '/ingest/{dataset_id}';
    readonly pathParameters: {
      /** Catalogue id, of the form US####. */
      readonly dataset_id: string;
    };
    readonly query: {
      /** Rows to replace: those of the dates that the file has (default where rows have dates), of the partitions that it falls into, of its identifiers in these, or none. */
      readonly mode?: 'replace-dates' | 'replace' | 'replace-identifiers' | 'append';
      /** Publish even if dates lose more than they may (default: false). */
      readonly allow_loss?: boolean;
      /** Load a file whose rows the dataset has or had already (default: false). */
      readonly again?: boolean;
      /** Load text whose last line has no end (default: false). */
      readonly allow_unended?: boolean;
      /** Only say what would change and be refused (default: false). */
      readonly dry_run?: boolean;
      /** Bad rows that may be left out (default: 0). */
      readonly max_bad_rows?: number;
      /** OLD=NEW: read the column OLD of the file as NEW; may be repeated. */
      readonly map?: string;
      /** Columns of the file to leave out, with commas between; may be repeated. */
      readonly ignore_columns?: string;
      /** Clock of times without an offset (default: as the definition says). */
      readonly time_zone?: string;
      /** Who the data comes from (default: unchanged). */
      readonly vendor?: string;
      /** An open publication to write into, which counts when it is committed (default: one of its own). */
      readonly into?: number;
      /** Why, for the ledger; an open publication has its own. */
      readonly reason?: string;
      /** Recipe that reads the file (default: it names columns). */
      readonly as?: string;
      /** Name of the file in reports (default: upload). */
      readonly name?: string;
    };
    readonly body: Uint8Array;
    readonly answer: Upload;
  };
  /** The progress of an upload, and the result of its load. */
  readonly showUpload: {
    readonly method: 'GET';
    readonly path: '/ingest/uploads/{upload_id}';
    readonly pathParameters: {
      /** Id of an upload. */
      readonly upload_id: string;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: Upload;
  };
  /** The progress of an upload, in headers alone. */
  readonly checkUpload: {
    readonly method: 'HEAD';
    readonly path: '/ingest/uploads/{upload_id}';
    readonly pathParameters: {
      /** Id of an upload. */
      readonly upload_id: string;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: Upload;
  };
  /** Send more of an upload, from the offset that it has come to. */
  readonly continueUpload: {
    readonly method: 'PATCH';
    readonly path: '/ingest/uploads/{upload_id}';
    readonly pathParameters: {
      /** Id of an upload. */
      readonly upload_id: string;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Uint8Array;
    readonly answer: Upload;
  };
  /** Remove an upload and what has come of it. */
  readonly deleteUpload: {
    readonly method: 'DELETE';
    readonly path: '/ingest/uploads/{upload_id}';
    readonly pathParameters: {
      /** Id of an upload. */
      readonly upload_id: string;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: Upload;
  };
  /** A file that a manifest names; its link says who asked for it, so it needs no key. */
  readonly getFile: {
    readonly method: 'GET';
    readonly path: '/files/{ticket}/{name}';
    readonly pathParameters: {
      /** As in the link. */
      readonly ticket: string;
      /** Name of the file. */
      readonly name: string;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: Uint8Array;
  };
  /** A file that a manifest names; its link says who asked for it, so it needs no key. */
  readonly headFile: {
    readonly method: 'HEAD';
    readonly path: '/files/{ticket}/{name}';
    readonly pathParameters: {
      /** As in the link. */
      readonly ticket: string;
      /** Name of the file. */
      readonly name: string;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: Uint8Array;
  };
  /** The share of the account. */
  readonly listShares: {
    readonly method: 'GET';
    readonly path: '/delta-sharing/shares';
    readonly pathParameters: Readonly<Record<string, never>>;
    readonly query: {
      /** Most items of the page. */
      readonly maxResults?: number;
      /** nextPageToken of the page before. */
      readonly pageToken?: string;
    };
    readonly body: null;
    readonly answer: Readonly<Record<string, unknown>>;
  };
  /** The same by its name. */
  readonly showShare: {
    readonly method: 'GET';
    readonly path: '/delta-sharing/shares/{share}';
    readonly pathParameters: {
      /** Name of the share, in any case. */
      readonly share: string;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: Readonly<Record<string, unknown>>;
  };
  /** The data groups in it. */
  readonly listSchemas: {
    readonly method: 'GET';
    readonly path: '/delta-sharing/shares/{share}/schemas';
    readonly pathParameters: {
      /** Name of the share, in any case. */
      readonly share: string;
    };
    readonly query: {
      /** Most items of the page. */
      readonly maxResults?: number;
      /** nextPageToken of the page before. */
      readonly pageToken?: string;
    };
    readonly body: null;
    readonly answer: Readonly<Record<string, unknown>>;
  };
  /** The datasets of a data group. */
  readonly listTables: {
    readonly method: 'GET';
    readonly path: '/delta-sharing/shares/{share}/schemas/{schema}/tables';
    readonly pathParameters: {
      /** Name of the share, in any case. */
      readonly share: string;
      /** Name of the schema, in any case. */
      readonly schema: string;
    };
    readonly query: {
      /** Most items of the page. */
      readonly maxResults?: number;
      /** nextPageToken of the page before. */
      readonly pageToken?: string;
    };
    readonly body: null;
    readonly answer: Readonly<Record<string, unknown>>;
  };
  /** All datasets in it. */
  readonly listAllTables: {
    readonly method: 'GET';
    readonly path: '/delta-sharing/shares/{share}/all-tables';
    readonly pathParameters: {
      /** Name of the share, in any case. */
      readonly share: string;
    };
    readonly query: {
      /** Most items of the page. */
      readonly maxResults?: number;
      /** nextPageToken of the page before. */
      readonly pageToken?: string;
    };
    readonly body: null;
    readonly answer: Readonly<Record<string, unknown>>;
  };
  /** The version of a table. */
  readonly showTableVersion: {
    readonly method: 'GET';
    readonly path: '/delta-sharing/shares/{share}/schemas/{schema}/tables/{table}/version';
    readonly pathParameters: {
      /** Name of the share, in any case. */
      readonly share: string;
      /** Name of the schema, in any case. */
      readonly schema: string;
      /** Name of the table, in any case. */
      readonly table: string;
    };
    readonly query: {
      /** Asks for the first version at or after it. */
      readonly startingTimestamp?: string;
    };
    readonly body: null;
    readonly answer: null;
  };
  /** The same in its old form. */
  readonly headTable: {
    readonly method: 'HEAD';
    readonly path: '/delta-sharing/shares/{share}/schemas/{schema}/tables/{table}';
    readonly pathParameters: {
      /** Name of the share, in any case. */
      readonly share: string;
      /** Name of the schema, in any case. */
      readonly schema: string;
      /** Name of the table, in any case. */
      readonly table: string;
    };
    readonly query: {
      /** Asks for the first version at or after it. */
      readonly startingTimestamp?: string;
    };
    readonly body: null;
    readonly answer: null;
  };
  /** The columns of a table. */
  readonly showTable: {
    readonly method: 'GET';
    readonly path: '/delta-sharing/shares/{share}/schemas/{schema}/tables/{table}/metadata';
    readonly pathParameters: {
      /** Name of the share, in any case. */
      readonly share: string;
      /** Name of the schema, in any case. */
      readonly schema: string;
      /** Name of the table, in any case. */
      readonly table: string;
    };
    readonly query: {
      /** Version to read; default: the current one. */
      readonly version?: number;
      /** Reads the version that was current then. */
      readonly timestamp?: string;
    };
    readonly body: null;
    readonly answer: Uint8Array;
  };
  /** The files of a table. */
  readonly queryTable: {
    readonly method: 'POST';
    readonly path: '/delta-sharing/shares/{share}/schemas/{schema}/tables/{table}/query';
    readonly pathParameters: {
      /** Name of the share, in any case. */
      readonly share: string;
      /** Name of the schema, in any case. */
      readonly schema: string;
      /** Name of the table, in any case. */
      readonly table: string;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** Comparisons in SQL; dates leave out files. */
      readonly predicateHints?: readonly string[];
      /** Comparisons in JSON; dates leave out files. */
      readonly jsonPredicateHints?: string;
      /** Rows that are wanted: no more files than they need. */
      readonly limitHint?: number;
      /** Version to read; default: the current one. */
      readonly version?: number;
      /** Reads the version that was current then. */
      readonly timestamp?: string;
      /** Asks for changes instead, from this version on. */
      readonly startingVersion?: number;
      /** Last version of changes; default: the current one. */
      readonly endingVersion?: number;
    };
    readonly answer: Uint8Array;
  };
  /** The files that versions of a table removed and added. */
  readonly listTableChanges: {
    readonly method: 'GET';
    readonly path: '/delta-sharing/shares/{share}/schemas/{schema}/tables/{table}/changes';
    readonly pathParameters: {
      /** Name of the share, in any case. */
      readonly share: string;
      /** Name of the schema, in any case. */
      readonly schema: string;
      /** Name of the table, in any case. */
      readonly table: string;
    };
    readonly query: {
      /** First version; it or the time has to be given. */
      readonly startingVersion?: number;
      /** From the first version at or after it. */
      readonly startingTimestamp?: string;
      /** Last version; default: the current one. */
      readonly endingVersion?: number;
      /** Up to the last version at or before it. */
      readonly endingTimestamp?: string;
      /** Changes nothing: columns are those of now. */
      readonly includeHistoricalMetadata?: boolean;
    };
    readonly body: null;
    readonly answer: Uint8Array;
  };
  /** The rows that were removed and added between two versions of a dataset. */
  readonly listDatasetChanges: {
    readonly method: 'GET';
    readonly path: '/meta/datasets/{dataset_id}/changes';
    readonly pathParameters: {
      /** Catalogue id, of the form US####. */
      readonly dataset_id: string;
    };
    readonly query: {
      /** The earlier version. */
      readonly from: number;
      /** The later version; default: the current one. */
      readonly to?: number;
      /** Columns to sort by, separated by commas; a leading - sorts descending. */
      readonly sort?: string;
      /** Columns to return, separated by commas, in that order. */
      readonly columns?: string;
      /** A share of the rows, such as 0.01 or 1/100, the same ones on every page: those that a hash of the dataset's sort columns chooses. */
      readonly sample?: string;
      /** Rows to skip. */
      readonly offset?: number;
      /** Maximum number of rows. Default and maximum by format: json 1000, at most 10000; csv 3000, at most 30000; csv_gzip 8000, at most 80000; arrow 1000000, at most 1000000; parquet 1000000, at most 1000000. */
      readonly limit?: number;
      /** Format of the page; without it, what the header Accept wants most. */
      readonly response_format?: 'json' | 'csv' | 'csv_gzip' | 'arrow' | 'parquet';
      /** string: integers and decimals of rows are JSON strings, which lose no digit where numbers are doubles; with json alone. */
      readonly numbers?: 'number' | 'string';
      /** Adds a signed receipt to the answer, in X-Receipt. */
      readonly receipt?: boolean;
    };
    readonly body: null;
    readonly answer: {
      readonly data: readonly {
        readonly Change?: 'removed' | 'added';
      }[];
      readonly pagination: Pagination;
    };
  };
  /** The first 10 rows of the last week that the account may read. */
  readonly previewDataset: {
    readonly method: 'GET';
    readonly path: '/meta/datasets/{dataset_id}/preview';
    readonly pathParameters: {
      /** Catalogue id, of the form US####. */
      readonly dataset_id: string;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: RowPage;
  };
  /** Groups of the rows that the same path without its last segment reads. */
  readonly aggregate_trade_date_identifier: {
    readonly method: 'GET';
    readonly path: '/data/{group}/{segment}/{trade_date}/{identifier}/aggregate';
    readonly pathParameters: {
      /** Group of a data path. */
      readonly group: string;
      /** Dataset of a data path. */
      readonly segment: string;
      /** Trade date, YYYY-MM-DD, or latest. */
      readonly trade_date: string;
      /** Ticker, or the permanent integer id (ASID). */
      readonly identifier: string;
    };
    readonly query: {
      /** What is computed of each group, separated by commas: count, count(column), sum(column), min(column), max(column), avg(column), first(column), last(column), vwap(column,column), stddev(column), quantile(column,share). */
      readonly select: string;
      /** Columns whose equal values make a group, separated by commas; default: one group. */
      readonly by?: string;
      /** Groups rows by time as well: 1m, 5m, 10m, 15m, 30m, 1h, 1d, 1w, 1mo. */
      readonly interval?: '1m' | '5m' | '10m' | '15m' | '30m' | '1h' | '1d' | '1w' | '1mo';
      /** A share of the rows, such as 0.01 or 1/100, the same ones on every page: those that a hash of the dataset's sort columns chooses. */
      readonly sample?: string;
      /** Rows to skip. */
      readonly offset?: number;
      /** Maximum number of rows. Default and maximum by format: json 1000, at most 10000; csv 3000, at most 30000; csv_gzip 8000, at most 80000; arrow 1000000, at most 1000000; parquet 1000000, at most 1000000. */
      readonly limit?: number;
      /** Format of the page; without it, what the header Accept wants most. */
      readonly response_format?: 'json' | 'csv' | 'csv_gzip' | 'arrow' | 'parquet';
      /** string: integers and decimals of rows are JSON strings, which lose no digit where numbers are doubles; with json alone. */
      readonly numbers?: 'number' | 'string';
      /** Adds a signed receipt to the answer, in X-Receipt. */
      readonly receipt?: boolean;
      /** Tickers that meant more than one company on these dates: any tells of them in X-Symbols, strict refuses them. */
      readonly symbols?: 'any' | 'strict';
      /** Follows the company of a ticker through all its tickers. */
      readonly continuous?: boolean;
      /** Version of the dataset to read; default: the current one. */
      readonly dataset_version?: number;
      /** Reads the version that was current at this time, such as 2026-11-18T21:00:00Z; without an offset it is on the market's clock. Not together with dataset_version. */
      readonly as_of?: string;
    };
    readonly body: null;
    readonly answer: RowPage;
  };
  /** Groups of the rows that the same path without its last segment reads. */
  readonly aggregate_identifier: {
    readonly method: 'GET';
    readonly path: '/data/{group}/{segment}/{identifier}/aggregate';
    readonly pathParameters: {
      /** Group of a data path. */
      readonly group: string;
      /** Dataset of a data path. */
      readonly segment: string;
      /** Ticker, or the permanent integer id (ASID). */
      readonly identifier: string;
    };
    readonly query: {
      /** What is computed of each group, separated by commas: count, count(column), sum(column), min(column), max(column), avg(column), first(column), last(column), vwap(column,column), stddev(column), quantile(column,share). */
      readonly select: string;
      /** Columns whose equal values make a group, separated by commas; default: one group. */
      readonly by?: string;
      /** Groups rows by time as well: 1m, 5m, 10m, 15m, 30m, 1h, 1d, 1w, 1mo. */
      readonly interval?: '1m' | '5m' | '10m' | '15m' | '30m' | '1h' | '1d' | '1w' | '1mo';
      /** A share of the rows, such as 0.01 or 1/100, the same ones on every page: those that a hash of the dataset's sort columns chooses. */
      readonly sample?: string;
      /** Rows to skip. */
      readonly offset?: number;
      /** Maximum number of rows. Default and maximum by format: json 1000, at most 10000; csv 3000, at most 30000; csv_gzip 8000, at most 80000; arrow 1000000, at most 1000000; parquet 1000000, at most 1000000. */
      readonly limit?: number;
      /** Format of the page; without it, what the header Accept wants most. */
      readonly response_format?: 'json' | 'csv' | 'csv_gzip' | 'arrow' | 'parquet';
      /** string: integers and decimals of rows are JSON strings, which lose no digit where numbers are doubles; with json alone. */
      readonly numbers?: 'number' | 'string';
      /** Adds a signed receipt to the answer, in X-Receipt. */
      readonly receipt?: boolean;
      /** Tickers that meant more than one company on these dates: any tells of them in X-Symbols, strict refuses them. */
      readonly symbols?: 'any' | 'strict';
      /** Follows the company of a ticker through all its tickers. */
      readonly continuous?: boolean;
      /** Version of the dataset to read; default: the current one. */
      readonly dataset_version?: number;
      /** Reads the version that was current at this time, such as 2026-11-18T21:00:00Z; without an offset it is on the market's clock. Not together with dataset_version. */
      readonly as_of?: string;
    };
    readonly body: null;
    readonly answer: RowPage;
  };
  /** Groups of the rows that the same path without its last segment reads. */
  readonly aggregate_rows: {
    readonly method: 'GET';
    readonly path: '/data/{group}/{segment}/aggregate';
    readonly pathParameters: {
      /** Group of a data path. */
      readonly group: string;
      /** Dataset of a data path. */
      readonly segment: string;
    };
    readonly query: {
      /** What is computed of each group, separated by commas: count, count(column), sum(column), min(column), max(column), avg(column), first(column), last(column), vwap(column,column), stddev(column), quantile(column,share). */
      readonly select: string;
      /** Columns whose equal values make a group, separated by commas; default: one group. */
      readonly by?: string;
      /** Groups rows by time as well: 1m, 5m, 10m, 15m, 30m, 1h, 1d, 1w, 1mo. */
      readonly interval?: '1m' | '5m' | '10m' | '15m' | '30m' | '1h' | '1d' | '1w' | '1mo';
      /** A share of the rows, such as 0.01 or 1/100, the same ones on every page: those that a hash of the dataset's sort columns chooses. */
      readonly sample?: string;
      /** Rows to skip. */
      readonly offset?: number;
      /** Maximum number of rows. Default and maximum by format: json 1000, at most 10000; csv 3000, at most 30000; csv_gzip 8000, at most 80000; arrow 1000000, at most 1000000; parquet 1000000, at most 1000000. */
      readonly limit?: number;
      /** Format of the page; without it, what the header Accept wants most. */
      readonly response_format?: 'json' | 'csv' | 'csv_gzip' | 'arrow' | 'parquet';
      /** string: integers and decimals of rows are JSON strings, which lose no digit where numbers are doubles; with json alone. */
      readonly numbers?: 'number' | 'string';
      /** Adds a signed receipt to the answer, in X-Receipt. */
      readonly receipt?: boolean;
      /** Tickers that meant more than one company on these dates: any tells of them in X-Symbols, strict refuses them. */
      readonly symbols?: 'any' | 'strict';
      /** Follows the company of a ticker through all its tickers. */
      readonly continuous?: boolean;
      /** Version of the dataset to read; default: the current one. */
      readonly dataset_version?: number;
      /** Reads the version that was current at this time, such as 2026-11-18T21:00:00Z; without an offset it is on the market's clock. Not together with dataset_version. */
      readonly as_of?: string;
    };
    readonly body: null;
    readonly answer: RowPage;
  };
}
