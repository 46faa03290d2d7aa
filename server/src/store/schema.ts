/**
 * The tables that every kind of store has. What only one kind has stands in its folder. Times are
 * milliseconds since 1970 in the control store and texts in UTC, whole seconds, `Z`, in the lake's
 * index, unless a column says otherwise; dates are `YYYY-MM-DD`.
 *
 * A change of a released schema is a script behind the first one, in the folder of each kind of
 * store; these tables stay as the first script made them.
 */
import { LIMITED_STATUS } from './quantities.ts';
import { type ColumnType, rowsIn } from './queries.ts';
import { DAY_COLUMNS } from './usage.ts';

/** The control store or the lake's index: each has a version of its own. */
export type StorePart = 'control' | 'lake';

export interface Table {
  readonly name: string;
  /** A type of `Dialect` for each column, and what else SQL says of it. */
  readonly columns: Readonly<Record<string, string>>;
  /** The number of the later script that has made it; missing: the first one. */
  readonly since?: number;
  /** Columns that later scripts have added, by the number of the script. */
  readonly added?: Readonly<Record<number, Readonly<Record<string, string>>>>;
  /** The columns of the primary key. */
  readonly key: readonly string[];
  /** More constraints. */
  readonly checks?: readonly string[];
  readonly indexes?: readonly string[];
  /** Rows are large: so many are in memory together when a store is copied. */
  readonly batchRows?: number;
}

export const CONTROL_TABLES: readonly Table[] = [
  {
    name: 'offer',
    key: ['offer_id'],
    columns: {
      offer_id: 'counter',
      name: 'text NOT NULL UNIQUE',
      // JSON.
      limits: "text NOT NULL DEFAULT '{}'",
      contract_ends_at: 'integer',
      // Or how many days a contract lasts.
      contract_days: 'integer',
      created_at: 'integer NOT NULL',
    },
    checks: ['CHECK (contract_ends_at IS NULL OR contract_days IS NULL)'],
  },
  {
    name: 'identity',
    key: ['identity_id'],
    columns: {
      identity_id: 'counter',
      name: 'text NOT NULL UNIQUE',
      is_admin: 'flag NOT NULL DEFAULT false',
      is_active: 'flag NOT NULL DEFAULT true',
      max_active_api_keys: 'integer NOT NULL',
      // JSON: an array, and an object.
      ip_subnets: "text NOT NULL DEFAULT '[]'",
      limits: "text NOT NULL DEFAULT '{}'",
      contract_ends_at: 'integer',
      offer_id: 'integer REFERENCES offer',
      offer_given_at: 'integer',
      created_at: 'integer NOT NULL',
    },
    indexes: ['INDEX identity_of_offer ON identity (offer_id) WHERE offer_id IS NOT NULL'],
  },
  {
    name: 'api_key',
    key: ['key_id'],
    columns: {
      // The id of a deleted key is never given again: usage and audit still speak of it.
      key_id: 'counter',
      identity_id: 'integer NOT NULL REFERENCES identity',
      name: 'text NOT NULL',
      // SHA-256 in hexadecimal, as all hashes here.
      key_hash: 'text NOT NULL UNIQUE',
      reference: 'text NOT NULL',
      created_at: 'integer NOT NULL',
      expires_at: 'integer NOT NULL',
      last_used_at: 'integer',
      is_active: 'flag NOT NULL DEFAULT true',
    },
    indexes: ['INDEX api_key_of_identity ON api_key (identity_id)'],
  },
  {
    name: 'access_rule',
    key: ['rule_id'],
    columns: {
      rule_id: 'counter',
      identity_id: 'integer REFERENCES identity',
      offer_id: 'integer REFERENCES offer ON DELETE CASCADE',
      dataset_id: 'text NOT NULL',
      start_date: 'text NOT NULL',
      end_date: 'text',
      // JSON array.
      universe: "text NOT NULL DEFAULT '[]'",
    },
    // JSON array; null: every column.
    added: { 2: { columns: 'text' } },
    checks: ['CHECK ((identity_id IS NULL) <> (offer_id IS NULL))'],
    indexes: [
      'INDEX access_rule_of_dataset ON access_rule (identity_id, dataset_id, start_date)',
      'INDEX access_rule_of_offer ON access_rule (offer_id) WHERE offer_id IS NOT NULL',
    ],
  },
  {
    name: 'person',
    key: ['person_id'],
    columns: {
      person_id: 'counter',
      // In lower case.
      email: 'text NOT NULL UNIQUE',
      role: 'text NOT NULL',
      identity_id: 'integer REFERENCES identity',
      password_hash: 'text NOT NULL',
      is_password_initial: 'flag NOT NULL',
      is_active: 'flag NOT NULL DEFAULT true',
      created_at: 'integer NOT NULL',
      last_sign_in_at: 'integer',
      has_second_factor: 'flag NOT NULL DEFAULT false',
    },
    checks: ["CHECK (role = 'owner' OR role IN ('member', 'manager') AND identity_id IS NOT NULL)"],
    indexes: ['INDEX person_of_identity ON person (identity_id)'],
  },
  {
    name: 'session',
    key: ['token_hash'],
    columns: {
      // Only the hash of its token is kept: whoever reads the store cannot use the session.
      token_hash: 'text NOT NULL',
      person_id: 'integer NOT NULL REFERENCES person ON DELETE CASCADE',
      created_at: 'integer NOT NULL',
      seen_at: 'integer NOT NULL',
      source: "text NOT NULL DEFAULT ''",
      browser: "text NOT NULL DEFAULT ''",
    },
    indexes: ['INDEX session_of_person ON session (person_id, created_at)'],
  },
  {
    name: 'sign_in_place',
    key: ['person_id', 'network'],
    columns: {
      person_id: 'integer NOT NULL REFERENCES person ON DELETE CASCADE',
      network: 'text NOT NULL',
      signed_in_at: 'integer NOT NULL',
    },
  },
  {
    name: 'person_link',
    // A person has one: a new one takes its place.
    key: ['person_id'],
    columns: {
      person_id: 'integer NOT NULL REFERENCES person ON DELETE CASCADE',
      token_hash: 'text NOT NULL UNIQUE',
      kind: 'text NOT NULL',
      created_at: 'integer NOT NULL',
      expires_at: 'integer NOT NULL',
    },
  },
  {
    name: 'second_factor',
    key: ['person_id'],
    columns: {
      person_id: 'integer NOT NULL REFERENCES person ON DELETE CASCADE',
      secret: 'text NOT NULL',
      is_on: 'flag NOT NULL',
      last_step: 'integer NOT NULL',
      failure_count: 'integer NOT NULL',
      // JSON array.
      recovery_hashes: 'text NOT NULL',
    },
  },
  {
    name: 'access_request',
    key: ['request_id'],
    columns: {
      request_id: 'counter',
      identity_id: 'integer NOT NULL REFERENCES identity ON DELETE CASCADE',
      dataset_id: 'text NOT NULL',
      asked_by: 'text NOT NULL',
      note: 'text NOT NULL',
      state: "text NOT NULL DEFAULT 'open'",
      created_at: 'integer NOT NULL',
      decided_at: 'integer',
    },
    indexes: [
      'INDEX access_request_of_identity ON access_request (identity_id, state)',
      // One may be open for a dataset.
      "UNIQUE INDEX access_request_open ON access_request (identity_id, dataset_id) WHERE state = 'open'",
    ],
  },
  {
    name: 'enquiry',
    since: 4,
    key: ['enquiry_id'],
    columns: {
      enquiry_id: 'counter',
      email: 'text NOT NULL',
      dataset_id: 'text',
      note: 'text NOT NULL',
      created_at: 'integer NOT NULL',
    },
    indexes: ['INDEX enquiry_of ON enquiry (email)'],
  },
  {
    // The quota counters of a month are the sums of its days.
    name: 'usage_day',
    key: ['identity_id', 'day', 'key_id', 'dataset_id'],
    columns: {
      identity_id: 'integer NOT NULL',
      day: 'text NOT NULL',
      key_id: 'integer NOT NULL',
      // Empty for what belongs to no dataset.
      dataset_id: 'text NOT NULL',
      ...Object.fromEntries(DAY_COLUMNS.map((column) => [column, 'integer NOT NULL'])),
      row_count: 'integer NOT NULL',
    },
  },
  {
    // Each identifier that an account has asked for in a month, `YYYY-MM`.
    name: 'usage_symbol',
    key: ['identity_id', 'month', 'symbol'],
    columns: {
      identity_id: 'integer NOT NULL',
      month: 'text NOT NULL',
      symbol: 'text NOT NULL',
    },
  },
  {
    // One row for each counted request.
    name: 'usage_ledger',
    key: ['ledger_id'],
    columns: {
      // Rows are many: to note the greatest number that was ever given would cost each of them.
      ledger_id: 'number',
      answered_at: 'integer NOT NULL',
      request_id: 'text NOT NULL',
      identity_id: 'integer NOT NULL',
      key_id: 'integer NOT NULL',
      dataset_id: 'text NOT NULL',
      dataset_version: 'integer',
      counts_in_minute: 'integer NOT NULL',
      row_count: 'integer NOT NULL',
      scanned_bytes: 'integer NOT NULL',
      returned_bytes: 'integer NOT NULL',
      duration_ms: 'double NOT NULL',
      status: 'integer NOT NULL',
      // JSON array.
      symbols: "text NOT NULL DEFAULT '[]'",
    },
    // Empty of requests from before these columns.
    added: { 3: { path: "text NOT NULL DEFAULT ''", reason: "text NOT NULL DEFAULT ''" } },
    indexes: [
      // By time alone: rows come in its order, which keeps writing them cheap.
      'INDEX usage_ledger_by_time ON usage_ledger (answered_at)',
      'INDEX usage_ledger_of_identity ON usage_ledger (identity_id, ledger_id)',
      // Refusals are few, and asked for often.
      `INDEX usage_ledger_refused ON usage_ledger (answered_at, identity_id) WHERE status = ${LIMITED_STATUS}`,
    ],
  },
  {
    // Append-only, by triggers.
    name: 'audit_log',
    key: ['audit_id'],
    columns: {
      audit_id: 'own_counter',
      happened_at: 'integer NOT NULL',
      actor: 'text NOT NULL',
      source: 'text NOT NULL',
      operation: 'text NOT NULL',
      target: 'text NOT NULL',
      // JSON objects.
      before_change: 'text',
      after_change: 'text',
    },
  },
];

export const LAKE_TABLES: readonly Table[] = [
  {
    name: 'publication',
    key: ['publication_id'],
    columns: {
      publication_id: 'counter',
      state: `text NOT NULL CHECK (state IN
        ('running', 'published', 'unchanged', 'refused', 'failed', 'rolled_back'))`,
      kind: 'text NOT NULL',
      // The command, such as 'ingest', and who ran it.
      command: 'text NOT NULL',
      actor: 'text NOT NULL',
      reason: 'text',
      vendor: 'text',
      // Names the lock that its process holds while it runs; null: open for any process.
      life_mark: 'text',
      started_at: 'text NOT NULL',
      finished_at: 'text',
      // Why nothing was published, or what was.
      message: 'text',
      // JSON array of findings.
      checks: "text NOT NULL DEFAULT '[]'",
      // Ids are given at the beginning, and a later publication may end earlier.
      ended_number: 'integer',
      // Dates that somebody has to look after, written and read by `noted-loads.ts` alone; null:
      // there never were any.
      refused_dates: 'text',
    },
    indexes: [
      "INDEX publication_running ON publication (publication_id) WHERE state = 'running'",
      'UNIQUE INDEX publication_ended ON publication (ended_number) WHERE ended_number IS NOT NULL',
      'INDEX publication_refused ON publication (publication_id) WHERE refused_dates IS NOT NULL',
    ],
  },
  {
    name: 'publication_dataset',
    key: ['publication_id', 'dataset_id'],
    columns: {
      publication_id: 'integer NOT NULL REFERENCES publication',
      dataset_id: 'text NOT NULL',
      // True if it has a change that waits for the commit, and the version that must be current
      // then.
      is_staged: 'flag NOT NULL DEFAULT false',
      base_version: 'integer',
      // Null: it published no version of it.
      version: 'integer',
      // The last rollback that undoes it and stands; null: it stands itself.
      rolled_back_by: 'integer REFERENCES publication',
    },
    indexes: [
      'INDEX publication_dataset_of ON publication_dataset (dataset_id, publication_id)',
      `UNIQUE INDEX publication_version ON publication_dataset (dataset_id, version)
        WHERE version IS NOT NULL`,
    ],
  },
  {
    // Which rollbacks undo which publications, also rollbacks that are undone themselves.
    name: 'publication_undoing',
    key: ['dataset_id', 'publication_id', 'undone_by'],
    columns: {
      dataset_id: 'text NOT NULL',
      publication_id: 'integer NOT NULL REFERENCES publication',
      undone_by: 'integer NOT NULL REFERENCES publication',
    },
  },
  {
    name: 'publication_source',
    key: ['publication_id', 'dataset_id', 'source_number'],
    columns: {
      publication_id: 'integer NOT NULL REFERENCES publication',
      dataset_id: 'text NOT NULL',
      source_number: 'integer NOT NULL',
      name: 'text NOT NULL',
      byte_count: 'integer NOT NULL',
      sha256: 'text NOT NULL',
      // How rows were computed from it, as JSON; null: they were loaded.
      derivation: 'text',
    },
    indexes: ['INDEX publication_source_of ON publication_source (dataset_id, sha256)'],
  },
  {
    // Summary of a dataset's publications, so that nobody has to look through all of them.
    name: 'publication_outcome',
    key: ['dataset_id'],
    columns: {
      dataset_id: 'text NOT NULL',
      // The one that ended last.
      last_publication_id: 'integer NOT NULL REFERENCES publication',
      // How many were refused or failed.
      unpublished_count: 'integer NOT NULL',
    },
  },
  {
    name: 'dataset',
    key: ['dataset_id'],
    columns: {
      dataset_id: 'text NOT NULL',
      version: 'integer NOT NULL',
      published_at: 'text NOT NULL',
      // The first version that can still be read.
      first_version: 'integer NOT NULL',
    },
  },
  {
    // Every version there ever was.
    name: 'version',
    key: ['dataset_id', 'version'],
    columns: {
      dataset_id: 'text NOT NULL',
      version: 'integer NOT NULL',
      publication_id: 'integer NOT NULL REFERENCES publication',
      published_at: 'text NOT NULL',
      part_count: 'integer NOT NULL',
      row_count: 'integer NOT NULL',
      byte_count: 'integer NOT NULL',
      first_date: 'text',
      last_date: 'text',
      content_digest: 'text NOT NULL',
    },
  },
  {
    name: 'stored_columns',
    key: ['stored_columns_id'],
    columns: {
      stored_columns_id: 'counter',
      // Names and types of the columns that parts were stored with, as JSON.
      columns: 'text NOT NULL',
      // In hexadecimal; the text itself may be too long for an index.
      columns_sha256: 'text NOT NULL UNIQUE',
    },
  },
  {
    // Kept for as long as its rows are: readers of an earlier version still ask for its row groups.
    name: 'part',
    key: ['part_id'],
    batchRows: 16,
    columns: {
      part_id: 'counter',
      dataset_id: 'text NOT NULL',
      key: 'text NOT NULL',
      location: 'text NOT NULL UNIQUE',
      // SHA-256 of what is stored, in hexadecimal.
      digest: 'text NOT NULL',
      // Digest of its rows.
      content_digest: 'text NOT NULL',
      row_count: 'integer NOT NULL',
      byte_count: 'integer NOT NULL',
      stored_byte_count: 'integer NOT NULL',
      first_date: 'text',
      last_date: 'text',
      // JSON arrays: who its rows come from, and which publications loaded them.
      vendors: 'text NOT NULL',
      publication_ids: 'text NOT NULL',
      stored_columns_id: 'integer NOT NULL REFERENCES stored_columns',
      // Written and read by `row-group-text.ts` alone.
      row_groups: 'text NOT NULL',
      // Milliseconds since 1970; null while a version that is retained has it, or a change to come.
      retired_at: 'integer',
    },
    indexes: ['INDEX part_retired ON part (retired_at) WHERE retired_at IS NOT NULL'],
  },
  {
    // The versions that have a part: from the first one to the one before the end; a part that was
    // rolled back to has several spans.
    name: 'part_span',
    key: ['dataset_id', 'key', 'first_version'],
    columns: {
      dataset_id: 'text NOT NULL',
      key: 'text NOT NULL',
      first_version: 'integer NOT NULL',
      // Null: the current version has it.
      end_version: 'integer',
      part_id: 'integer NOT NULL REFERENCES part',
    },
    indexes: [
      'UNIQUE INDEX part_span_current ON part_span (dataset_id, key) WHERE end_version IS NULL',
      'INDEX part_span_ended ON part_span (dataset_id, end_version) WHERE end_version IS NOT NULL',
      'INDEX part_span_part ON part_span (part_id)',
    ],
  },
  {
    // Changes of partitions by publications. Parts are named even when they are gone.
    name: 'publication_part',
    key: ['publication_id', 'dataset_id', 'key'],
    columns: {
      publication_id: 'integer NOT NULL REFERENCES publication',
      dataset_id: 'text NOT NULL',
      key: 'text NOT NULL',
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
    // Changes that wait for the commit of their publication.
    name: 'staged_part',
    key: ['publication_id', 'dataset_id', 'key'],
    columns: {
      publication_id: 'integer NOT NULL REFERENCES publication',
      dataset_id: 'text NOT NULL',
      key: 'text NOT NULL',
      // Null: the partition will be gone.
      part_id: 'integer REFERENCES part',
      // The part that has to be current at the commit; null: none.
      base_part_id: 'integer',
    },
    indexes: ['INDEX staged_part_part ON staged_part (part_id)'],
  },
  {
    // Locations at which something is being written, and since when, in milliseconds since 1970.
    name: 'pending_part',
    key: ['location'],
    columns: { location: 'text NOT NULL', noted_at: 'integer NOT NULL' },
  },
  {
    name: 'security',
    key: ['security_id'],
    columns: {
      // Given once, and never to another one.
      security_id: 'integer NOT NULL',
      first_ticker: 'text NOT NULL',
      // Null: a ticker without a history.
      first_date: 'text',
      history_name: 'text',
      // JSON array of the periods of its tickers.
      periods: 'text NOT NULL',
    },
    indexes: ["UNIQUE INDEX security_first ON security (first_ticker, (coalesce(first_date, '')))"],
  },
  {
    // Parts as they are stored in a place that the lake is being moved to.
    name: 'moved_part',
    key: ['place', 'part_id'],
    batchRows: 16,
    columns: {
      place: 'text NOT NULL',
      part_id: 'integer NOT NULL',
      location: 'text NOT NULL',
      // Empty while the part is being written.
      digest: 'text NOT NULL',
      byte_count: 'integer NOT NULL',
      stored_byte_count: 'integer NOT NULL',
      row_groups: 'text NOT NULL',
    },
  },
  {
    // The place of all parts, in one row; none: nobody has opened the lake yet.
    name: 'place',
    key: ['place_id'],
    columns: {
      place_id: 'integer NOT NULL CHECK (place_id = 1)',
      name: 'text NOT NULL',
      // That of the last claim of the parts.
      epoch: 'integer NOT NULL DEFAULT 0',
    },
  },
];

/**
 * Whose records changed that requests are judged by: an account with its keys and its rules, an
 * offer, or a person with their sessions. Triggers write it. The newest change of a subject tells
 * all that its older ones did.
 */
export const CHANGE_LOG: Table = {
  name: 'change_log',
  key: ['change_id'],
  columns: {
    change_id: 'own_counter',
    subject: "text NOT NULL CHECK (subject IN ('identity', 'offer', 'person'))",
    subject_id: 'integer NOT NULL',
  },
  checks: ['UNIQUE (subject, subject_id)'],
};

/** A table whose changes the log tells of. */
export interface Watched {
  readonly table: string;
  /** Concerned records; ids are in the columns `SUBJECT_id`, the first that is not null. */
  readonly subjects: readonly ('identity' | 'offer' | 'person')[];
  /** The columns that count; missing: all. */
  readonly columns?: readonly string[];
}

export const WATCHED: readonly Watched[] = [
  { table: 'offer', subjects: ['offer'] },
  { table: 'identity', subjects: ['identity'] },
  {
    table: 'api_key',
    subjects: ['identity'],
    // A key's last use is not among what requests are judged by.
    columns: ['name', 'key_hash', 'reference', 'created_at', 'expires_at', 'is_active'],
  },
  { table: 'access_rule', subjects: ['identity', 'offer'] },
  { table: 'person', subjects: ['person'] },
  { table: 'session', subjects: ['person'] },
];

/** A table with all columns that it has by now. */
export function withAdded(table: Table): Table {
  const added = Object.values(table.added ?? {});
  return { ...table, columns: Object.assign({}, table.columns, ...added) };
}

/** The table of this name in the control store or the lake's index, with all columns. */
export function tableNamed(name: string): Table {
  const found = [...CONTROL_TABLES, ...LAKE_TABLES].find((table) => table.name === name);
  if (!found) throw new Error(`there is no table ${name}`);
  return withAdded(found);
}

const TYPES = ['integer', 'double', 'text', 'flag'] as const;
/**
 * Numbers that the store gives: those of `counter` never again, those of `own_counter` to nobody
 * who brings one.
 */
const COUNTERS = ['number', 'counter', 'own_counter'] as const;

type Word = (typeof TYPES)[number] | (typeof COUNTERS)[number];

/** The types that values are bound as. */
const BOUND: Readonly<Record<Word, ColumnType>> = {
  ...{ integer: 'bigint', number: 'bigint', counter: 'bigint', own_counter: 'bigint' },
  ...{ double: 'double precision', text: 'text', flag: 'boolean' },
};

export function columnsBut({ columns }: Table, ...without: readonly string[]): string[] {
  return Object.keys(columns).filter((name) => !without.includes(name));
}

/** The table `given` of the rows that `runEach` is given: objects with these columns of a table. */
export function givenRows({ columns }: Table, names: readonly string[]): string {
  const typeOf = (said = '') => BOUND[said.split(' ')[0] as Word];
  return rowsIn('given', Object.fromEntries(names.map((name) => [name, typeOf(columns[name])])));
}

/** How a kind of store writes what tables say. */
export interface Dialect {
  /** The types of columns. */
  readonly types: Readonly<Record<Word, string>>;
  /** SQL behind the columns of a table. */
  options(table: Table): string;
}

/** The column whose numbers the store gives; null: there is none. */
export function counterOf({ columns }: Table): string | null {
  const found = Object.entries(columns).find(([, said]) => COUNTERS.some((type) => type === said));
  return found?.[0] ?? null;
}

function columnSql(name: string, said: string, { types }: Dialect): string {
  const [, type = '', rest = ''] = /^(\w+)(.*)$/s.exec(said) ?? [];
  return `${name} ${types[type as keyof Dialect['types']]}${rest}`;
}

/** The statements that make a table with its indexes. */
export function tableSql(table: Table, dialect: Dialect): string {
  const { name, columns, key, checks = [], indexes = [] } = table;
  const lines = [
    ...Object.entries(columns).map(([column, said]) => columnSql(column, said, dialect)),
    ...(counterOf(table) === null ? [`PRIMARY KEY (${key.join(', ')})`] : []),
    ...checks,
  ];
  const made = `CREATE TABLE ${name} (${lines.join(', ')}) ${dialect.options(table)}`;
  return [made, ...indexes.map((index) => `CREATE ${index}`)].map((sql) => `${sql};\n`).join('');
}

/** The statements that make the tables of the first script. */
export function firstSql(tables: readonly Table[], dialect: Dialect): string {
  const first = tables.filter(({ since }) => since === undefined);
  return first.map((table) => tableSql(table, dialect)).join('');
}

/** The statements that add the columns and tables of one later script. */
export function addedSql(tables: readonly Table[], script: number, dialect: Dialect): string {
  const added = tables.flatMap(({ name, added = {} }) =>
    Object.entries(added[script] ?? {}).map(
      ([column, said]) => `${name} ADD COLUMN ${columnSql(column, said, dialect)}`,
    ),
  );
  const made = tables.filter(({ since }) => since === script);
  return [
    ...added.map((each) => `ALTER TABLE ${each};\n`),
    ...made.map((table) => tableSql(table, dialect)),
  ].join('');
}
