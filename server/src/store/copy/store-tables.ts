/**
 * The tables that every kind of store has, with their columns: what a copy of one consists of. What belongs to
 * running servers alone is not among them, nor what triggers write.
 */

/**
 * How a column's values are written in a copy: whole numbers, doubles and texts as they are, yes or no as 1 or 0, JSON and
 * lists of texts as JSON text, bytes in hexadecimal.
 */
export const COLUMN_KINDS = [
  'integer',
  'double',
  'text',
  'flag',
  'json',
  'texts',
  'bytes',
] as const;
export type ColumnKind = (typeof COLUMN_KINDS)[number];

export type StoreValue = string | number | null;
export type StoreRow = readonly StoreValue[];

export interface StoreTable {
  /** The control store, or the lake's index. */
  readonly part: 'control' | 'lake';
  readonly name: string;
  readonly columns: Readonly<Record<string, ColumnKind>>;
  /** The columns of its primary key: the order of its rows. */
  readonly key: readonly string[];
  /** The column whose numbers the store gives; none is ever given again. */
  readonly counter?: string;
  /** Rows that are in memory together, where they are large. */
  readonly batchRows?: number;
}

const USED = { requests: 'integer', scanned_bytes: 'integer', returned_bytes: 'integer' } as const;

const CONTROL_TABLES = [
  {
    name: 'offer',
    key: ['offer_id'],
    counter: 'offer_id',
    columns: {
      offer_id: 'integer',
      name: 'text',
      limits: 'json',
      contract_ends_at: 'integer',
      contract_days: 'integer',
      created_at: 'integer',
    },
  },
  {
    name: 'identity',
    key: ['identity_id'],
    counter: 'identity_id',
    columns: {
      identity_id: 'integer',
      name: 'text',
      is_admin: 'flag',
      is_active: 'flag',
      max_active_api_keys: 'integer',
      ip_subnets: 'texts',
      limits: 'json',
      contract_ends_at: 'integer',
      offer_id: 'integer',
      offer_given_at: 'integer',
      created_at: 'integer',
    },
  },
  {
    name: 'api_key',
    key: ['key_id'],
    counter: 'key_id',
    columns: {
      key_id: 'integer',
      identity_id: 'integer',
      name: 'text',
      key_hash: 'bytes',
      reference: 'text',
      created_at: 'integer',
      expires_at: 'integer',
      last_used_at: 'integer',
      is_active: 'flag',
    },
  },
  {
    name: 'access_rule',
    key: ['rule_id'],
    counter: 'rule_id',
    columns: {
      rule_id: 'integer',
      identity_id: 'integer',
      offer_id: 'integer',
      dataset_id: 'text',
      start_date: 'text',
      end_date: 'text',
      universe: 'texts',
    },
  },
  {
    name: 'person',
    key: ['person_id'],
    counter: 'person_id',
    columns: {
      person_id: 'integer',
      email: 'text',
      role: 'text',
      identity_id: 'integer',
      password_hash: 'text',
      is_password_initial: 'flag',
      is_active: 'flag',
      created_at: 'integer',
      last_sign_in_at: 'integer',
      has_second_factor: 'flag',
    },
  },
  {
    name: 'session',
    key: ['token_hash'],
    columns: {
      token_hash: 'bytes',
      person_id: 'integer',
      created_at: 'integer',
      seen_at: 'integer',
      source: 'text',
      browser: 'text',
    },
  },
  {
    name: 'sign_in_place',
    key: ['person_id', 'network'],
    columns: { person_id: 'integer', network: 'text', signed_in_at: 'integer' },
  },
  {
    name: 'person_link',
    key: ['person_id'],
    columns: {
      person_id: 'integer',
      token_hash: 'bytes',
      kind: 'text',
      created_at: 'integer',
      expires_at: 'integer',
    },
  },
  {
    name: 'second_factor',
    key: ['person_id'],
    columns: {
      person_id: 'integer',
      secret: 'text',
      is_on: 'flag',
      last_step: 'integer',
      failure_count: 'integer',
      recovery_hashes: 'texts',
    },
  },
  {
    name: 'access_request',
    key: ['request_id'],
    counter: 'request_id',
    columns: {
      request_id: 'integer',
      identity_id: 'integer',
      dataset_id: 'text',
      asked_by: 'text',
      note: 'text',
      state: 'text',
      created_at: 'integer',
      decided_at: 'integer',
    },
  },
  {
    name: 'usage_day',
    key: ['identity_id', 'day', 'key_id', 'dataset_id'],
    columns: {
      identity_id: 'integer',
      day: 'text',
      key_id: 'integer',
      dataset_id: 'text',
      ...USED,
      row_count: 'integer',
    },
  },
  {
    name: 'usage_symbol',
    key: ['identity_id', 'month', 'symbol'],
    columns: { identity_id: 'integer', month: 'text', symbol: 'text' },
  },
  {
    name: 'usage_ledger',
    key: ['ledger_id'],
    counter: 'ledger_id',
    columns: {
      ledger_id: 'integer',
      answered_at: 'integer',
      request_id: 'text',
      identity_id: 'integer',
      key_id: 'integer',
      dataset_id: 'text',
      dataset_version: 'integer',
      counts_in_minute: 'integer',
      row_count: 'integer',
      scanned_bytes: 'integer',
      returned_bytes: 'integer',
      duration_ms: 'double',
      status: 'integer',
      symbols: 'text',
    },
  },
  {
    name: 'audit_log',
    key: ['audit_id'],
    counter: 'audit_id',
    columns: {
      audit_id: 'integer',
      happened_at: 'integer',
      actor: 'text',
      source: 'text',
      operation: 'text',
      target: 'text',
      before_change: 'json',
      after_change: 'json',
    },
  },
] as const satisfies readonly Omit<StoreTable, 'part'>[];

const LAKE_TABLES = [
  {
    name: 'publication',
    key: ['publication_id'],
    counter: 'publication_id',
    columns: {
      publication_id: 'integer',
      state: 'text',
      kind: 'text',
      command: 'text',
      actor: 'text',
      reason: 'text',
      vendor: 'text',
      life_mark: 'text',
      started_at: 'text',
      finished_at: 'text',
      message: 'text',
      checks: 'text',
      ended_number: 'integer',
      refused_dates: 'text',
    },
  },
  {
    name: 'publication_dataset',
    key: ['publication_id', 'dataset_id'],
    columns: {
      publication_id: 'integer',
      dataset_id: 'text',
      is_staged: 'flag',
      base_version: 'integer',
      version: 'integer',
      rolled_back_by: 'integer',
    },
  },
  {
    name: 'publication_undoing',
    key: ['dataset_id', 'publication_id', 'undone_by'],
    columns: { dataset_id: 'text', publication_id: 'integer', undone_by: 'integer' },
  },
  {
    name: 'publication_source',
    key: ['publication_id', 'dataset_id', 'source_number'],
    columns: {
      publication_id: 'integer',
      dataset_id: 'text',
      source_number: 'integer',
      name: 'text',
      byte_count: 'integer',
      sha256: 'text',
      derivation: 'text',
    },
  },
  {
    name: 'publication_outcome',
    key: ['dataset_id'],
    columns: { dataset_id: 'text', last_publication_id: 'integer', unpublished_count: 'integer' },
  },
  {
    name: 'dataset',
    key: ['dataset_id'],
    columns: {
      dataset_id: 'text',
      version: 'integer',
      published_at: 'text',
      first_version: 'integer',
    },
  },
  {
    name: 'version',
    key: ['dataset_id', 'version'],
    columns: {
      dataset_id: 'text',
      version: 'integer',
      publication_id: 'integer',
      published_at: 'text',
      part_count: 'integer',
      row_count: 'integer',
      byte_count: 'integer',
      first_date: 'text',
      last_date: 'text',
      content_digest: 'text',
    },
  },
  {
    name: 'stored_columns',
    key: ['stored_columns_id'],
    counter: 'stored_columns_id',
    columns: { stored_columns_id: 'integer', columns: 'text' },
  },
  {
    name: 'part',
    key: ['part_id'],
    counter: 'part_id',
    batchRows: 16,
    columns: {
      part_id: 'integer',
      dataset_id: 'text',
      key: 'text',
      location: 'text',
      digest: 'text',
      content_digest: 'text',
      row_count: 'integer',
      byte_count: 'integer',
      stored_byte_count: 'integer',
      first_date: 'text',
      last_date: 'text',
      vendors: 'json',
      publication_ids: 'json',
      stored_columns_id: 'integer',
      row_groups: 'text',
      retired_at: 'integer',
    },
  },
  {
    name: 'part_span',
    key: ['dataset_id', 'key', 'first_version'],
    columns: {
      dataset_id: 'text',
      key: 'text',
      first_version: 'integer',
      end_version: 'integer',
      part_id: 'integer',
    },
  },
  {
    name: 'publication_part',
    key: ['publication_id', 'dataset_id', 'key'],
    columns: {
      publication_id: 'integer',
      dataset_id: 'text',
      key: 'text',
      before_part_id: 'integer',
      before_row_count: 'integer',
      before_byte_count: 'integer',
      before_digest: 'text',
      after_part_id: 'integer',
      after_row_count: 'integer',
      after_byte_count: 'integer',
      after_digest: 'text',
    },
  },
  {
    name: 'staged_part',
    key: ['publication_id', 'dataset_id', 'key'],
    columns: {
      publication_id: 'integer',
      dataset_id: 'text',
      key: 'text',
      part_id: 'integer',
      base_part_id: 'integer',
    },
  },
  {
    name: 'security',
    key: ['security_id'],
    columns: {
      security_id: 'integer',
      first_ticker: 'text',
      first_date: 'text',
      history_name: 'text',
      periods: 'text',
    },
  },
  {
    name: 'moved_part',
    key: ['place', 'part_id'],
    batchRows: 16,
    columns: {
      place: 'text',
      part_id: 'integer',
      location: 'text',
      digest: 'text',
      byte_count: 'integer',
      stored_byte_count: 'integer',
      row_groups: 'text',
    },
  },
  {
    name: 'place',
    key: ['place_id'],
    columns: { place_id: 'integer', name: 'text', epoch: 'integer' },
  },
  { name: 'pending_part', key: ['location'], columns: { location: 'text', noted_at: 'integer' } },
] as const satisfies readonly Omit<StoreTable, 'part'>[];

/** Each after those that it refers to. */
export const STORE_TABLES: readonly StoreTable[] = [
  ...CONTROL_TABLES.map((table) => ({ ...table, part: 'control' as const })),
  ...LAKE_TABLES.map((table) => ({ ...table, part: 'lake' as const })),
];
