/** Records of what owners administer and watch, as the service sends them. */
import type {
  AccessRuleRecord,
  ApiKeyRecord,
  DatasetStatus,
  Identity,
  Limits,
} from '../api/records';

/** One page of a long list. */
export interface RowPage<T> {
  readonly data: readonly T[];
  readonly pagination: { readonly next_after: number | null };
}

export interface AdministeredIdentity extends Identity {
  readonly is_admin: boolean;
  readonly is_active: boolean;
  readonly created_at: string;
}

export interface AdministeredKey extends ApiKeyRecord {
  readonly identity_id: number;
}

/** Names are null where the catalogue no longer has the dataset. */
export interface AdministeredRule
  extends Omit<AccessRuleRecord, 'dataset_name' | 'dataset_text_id'> {
  readonly rule_id: number;
  readonly identity_id: number;
  readonly dataset_name: string | null;
  readonly dataset_text_id: string | null;
}

export interface IdentityLimits {
  readonly identity_id: number;
  readonly quotas_limit: { readonly month: Limits; readonly minute: Limits };
}

export interface Publication extends DatasetStatus {
  readonly dataset_name: string;
  readonly data_group: string;
  readonly first_trade_date: string | null;
  readonly stored_bytes: number;
  readonly file_count: number;
  /** Null before the first one. */
  readonly ingest: {
    readonly state: 'running' | 'succeeded' | 'refused' | 'failed';
    readonly started_at: string;
    readonly finished_at: string | null;
    readonly message: string | null;
  } | null;
}

interface WatchedRequest {
  readonly request_id: string;
  /** Null where nobody is known. */
  readonly identity_id: number | null;
  readonly identity_name: string | null;
  readonly method: string;
  readonly path: string;
}

export interface RunningRequest extends WatchedRequest {
  readonly key_id: number | null;
  readonly person_id: number | null;
  readonly dataset_id: string | null;
  readonly state: 'waiting' | 'reading' | 'sending';
  readonly started_at: string;
  readonly elapsed_ms: number;
}

export interface RefusedRequest extends WatchedRequest {
  readonly at: string;
  readonly source_address: string | null;
  readonly status: number;
  readonly detail: string;
}

export interface RequestBoard {
  readonly running: readonly RunningRequest[];
  /** The newest first. */
  readonly refused: readonly RefusedRequest[];
}

export type AuditState = Readonly<Record<string, unknown>>;

export interface AuditEntry {
  readonly audit_id: number;
  readonly happened_at: string;
  readonly actor: string;
  readonly source: string;
  readonly operation: string;
  readonly target: string;
  /** Null where there was nothing. */
  readonly before: AuditState | null;
  /** Null where there is nothing any more. */
  readonly after: AuditState | null;
}
