/** Schemas of what endpoints answer that are not made from operations. */

import { ADJUSTED_KINDS } from '@ticklake/market/adjustment.ts';
import { CONDITION_USES } from '@ticklake/market/condition-uses.ts';
import { SESSION_NAMES } from '@ticklake/market/sessions.ts';
import * as v from 'valibot';
import { API_KEY, PERSON, QUOTAS_LIMIT, QUOTAS_USAGE, RULE_FIELDS } from '../admin/answers.ts';
import { DATA_TYPES } from '../catalog/dataset.ts';
import { COMPUTATION_NAMES } from '../catalog/derivation.ts';
import { BAR_RULES } from '../catalog/interval.ts';
import { operatorNames } from '../engine/operators.ts';
import { FORMATS } from '../formats/formats.ts';
import { UPLOAD_STATES } from '../ingest/uploads/upload.ts';
import { DAY_STATES, STATUS_CODES } from '../lake/dataset-status.ts';
import { DECIDED_PARTS, OUTCOMES } from '../query/explain.ts';
import { PUBLIC_KEY } from '../receipts/receipt-keys.ts';
import { PATH_PARAMETERS } from '../request/data-request.ts';
import { anyObject, date, flag, integer, text, texts, time } from '../schema/answer.ts';
import { LINK_KINDS } from '../store/person-links.ts';
import { PUBLICATION_STATES } from '../store/publications.ts';

export const SYSTEM_STATUS = v.strictObject({
  status: v.picklist(['ok', 'degraded']),
  version: text,
});
export const OPEN_API_DOCUMENT = anyObject();
/** A message of the Model Context Protocol. */
export const TOOL_ANSWER = anyObject();
/** The rest of the quotas; null where unlimited. */
const QUOTAS_LEFT = {
  requests_left: v.nullable(integer),
  data_returned_left: v.nullable(integer),
  data_scanned_left: v.nullable(integer),
};
export const ALLOWANCE = v.strictObject({ fits: flag, ...QUOTAS_LEFT });
/** Identifiers of a list that have no rows: how many of them, and the names of the first ones. */
export const MISSING_IDENTIFIERS = v.strictObject({
  count: integer,
  of: integer,
  identifiers: texts,
});
export const MANIFEST = v.strictObject({
  dataset_id: text,
  dataset_version: v.nullable(integer),
  factors_version: v.nullable(integer),
  window: v.nullable(text),
  symbols: v.nullable(text),
  missing: v.nullable(MISSING_IDENTIFIERS),
  response_format: text,
  canonical_request: text,
  row_count: integer,
  byte_count: integer,
  rowless_stream: v.nullable(text),
  expires_at: time,
  hint: v.nullable(text),
  files: v.array(
    v.strictObject({
      url: text,
      name: text,
      row_count: integer,
      byte_count: integer,
      sha256: text,
      first_partition: text,
      last_partition: text,
    }),
  ),
  allowance: ALLOWANCE,
});
export const RECEIPT_KEYS = v.strictObject({ keys: v.array(PUBLIC_KEY) });

export const ACCOUNT = v.strictObject({
  identity_id: integer,
  name: text,
  max_active_api_keys: integer,
  ip_subnets: texts,
});
export const QUOTAS = v.strictObject({ quotas_usage: QUOTAS_USAGE, quotas_limit: QUOTAS_LIMIT });
/** The first steps that an account has taken. */
export const FIRST_STEPS = v.strictObject({
  has_key: flag,
  has_query: flag,
  has_key_query: flag,
});
export const API_KEY_LIST = v.array(API_KEY);
/** Absent: all. */
const RULE_COLUMNS = { columns: v.exactOptional(texts) };
export const DATA_ACCESS_RULE = v.strictObject({
  dataset_id: text,
  dataset_name: text,
  dataset_text_id: text,
  ...RULE_FIELDS,
  ...RULE_COLUMNS,
});
export const DATA_ACCESS_RULE_LIST = v.array(DATA_ACCESS_RULE);

const NOBODY = v.strictObject({ person: v.null() });
const LIVE_SESSION = v.strictObject({
  person: PERSON,
  identity: v.nullable(
    v.strictObject({ identity_id: integer, name: text, contract_ends_at: v.nullable(time) }),
  ),
  csrf_token: text,
  expires_at: time,
  source_address: text,
});
export const SESSION = v.union([NOBODY, LIVE_SESSION]);
/** Without a session where the password was right and a code is still needed. */
export const SIGN_IN = v.union([
  v.strictObject({ person: v.null(), needs_code: v.literal(true) }),
  NOBODY,
  LIVE_SESSION,
]);

/** Setup data for an authenticator app. */
export const NEW_SECOND_FACTOR = v.strictObject({ secret: text, uri: text });
export const RECOVERY_CODES = v.strictObject({ recovery_codes: texts });
export const SECOND_FACTOR = v.strictObject({ is_on: flag, recovery_codes_left: integer });

/** Answer for an open link to choose a password. */
export const OPEN_LINK = v.strictObject({
  email: text,
  identity_name: v.nullable(text),
  link_kind: v.picklist(LINK_KINDS),
  link_expires_at: time,
});
export const SENT_ENQUIRY = v.strictObject({ is_received: flag });
export const CHOSEN_PASSWORD = v.strictObject({ email: text });

const DATASET_FIELDS = {
  dataset_id: text,
  dataset_name: text,
  data_group: text,
  vendor: text,
  dataset_text_id: text,
};
export const DATASET_ROW = v.strictObject(DATASET_FIELDS);
export const DATASET_LIST = v.array(DATASET_ROW);
export const DATASET_INFO = v.strictObject({
  ...DATASET_FIELDS,
  description: text,
  dataset_class: text,
  dataset_format: text,
  time_granularity: text,
  documentation_link: text,
  start_date: date,
  end_date: v.nullable(date),
  is_time_series: flag,
  universe_identifier: text,
  creation_date: date,
});
/** The type of a column; a decimal has so many digits, of which `scale` after its point. */
const TYPE_FIELDS = {
  data_type: v.picklist(DATA_TYPES),
  precision: v.exactOptional(integer),
  scale: v.exactOptional(integer),
};

/** Values that a column has, as far as its definition tells; rows may have others. */
const KNOWN_VALUES = v.exactOptional(texts);

export const COLUMN = v.strictObject({
  name: text,
  ...TYPE_FIELDS,
  description: text,
  values: KNOWN_VALUES,
});
export const COLUMN_LIST = v.array(COLUMN);

const CONDITION_USE = v.picklist(CONDITION_USES);

const COMPUTED_FIELDS = {
  computation: v.picklist(COMPUTATION_NAMES),
  meaning: text,
  rule_version: integer,
  inputs: v.array(v.strictObject({ role: text, dataset_id: text, dataset_text_id: text })),
  parameters: v.array(v.strictObject({ name: text, value: v.number() })),
};

/**
 * `derived_from` is null for rows that are loaded; condition tables are empty where conditions
 * decide nothing.
 */
export const DATASET_RULES = v.strictObject({
  dataset_id: text,
  derived_from: v.nullable(
    v.strictObject({
      ...COMPUTED_FIELDS,
      aggregation_logic: v.nullable(text),
      otherwise: v.nullable(v.strictObject(COMPUTED_FIELDS)),
    }),
  ),
  adjusted_columns: v.array(v.strictObject({ name: text, kind: v.picklist(ADJUSTED_KINDS) })),
  interval_columns: v.array(
    v.strictObject({ name: text, rule: v.picklist(BAR_RULES), by: v.nullable(text) }),
  ),
  trade_conditions: v.array(
    v.strictObject({
      bit: integer,
      name: text,
      vendor: CONDITION_USE,
      vendor_with_regular: CONDITION_USE,
      industry_std: CONDITION_USE,
      industry_std_outside_hours: CONDITION_USE,
    }),
  ),
  quote_conditions: v.array(
    v.strictObject({ bit: integer, name: text, is_counted: flag, is_counted_with_regular: flag }),
  ),
});

const STATUS_FIELDS = {
  dataset_id: text,
  status_code: v.picklist(STATUS_CODES),
  last_update: v.nullable(time),
  next_expected_update: v.nullable(time),
  last_trade_date: v.nullable(date),
  version: integer,
};
/** Null: the account may not read all of the rows. */
export const DATASET_STATUS = v.strictObject({ ...STATUS_FIELDS, row_count: v.nullable(integer) });

/**
 * `rows` and `identifiers` are those that the account may read; null where they are not counted.
 */
export const DATASET_COVERAGE = v.strictObject({
  dataset_id: text,
  version: integer,
  first_trade_date: v.nullable(date),
  last_trade_date: v.nullable(date),
  days: v.array(
    v.strictObject({
      date,
      state: v.nullable(v.picklist(DAY_STATES)),
      rows: v.nullable(integer),
      identifiers: v.nullable(integer),
      version: v.nullable(integer),
    }),
  ),
});

export const PUBLICATION = v.strictObject({
  ...STATUS_FIELDS,
  row_count: integer,
  dataset_name: text,
  data_group: text,
  first_trade_date: v.nullable(date),
  stored_bytes: integer,
  file_count: integer,
  ingest: v.nullable(
    v.strictObject({
      state: v.picklist(PUBLICATION_STATES),
      started_at: time,
      finished_at: v.nullable(time),
      message: v.nullable(text),
    }),
  ),
});
export const PUBLICATION_LIST = v.array(PUBLICATION);

export const UPLOAD = v.strictObject({
  upload_id: text,
  dataset_id: text,
  name: text,
  offset: integer,
  is_complete: flag,
  state: v.picklist(UPLOAD_STATES),
  created_at: time,
  expires_at: time,
  report: v.nullable(anyObject()),
  error: v.nullable(text),
});

const REQUEST_FIELDS = {
  request_id: text,
  identity_id: v.nullable(integer),
  identity_name: v.nullable(text),
  method: text,
  path: text,
};
export const RUNNING_REQUEST = v.strictObject({
  ...REQUEST_FIELDS,
  key_id: v.nullable(integer),
  person_id: v.nullable(integer),
  dataset_id: v.nullable(text),
  state: v.picklist(['waiting', 'reading', 'sending']),
  started_at: time,
  elapsed_ms: integer,
});
export const REFUSED_REQUEST = v.strictObject({
  ...REQUEST_FIELDS,
  at: time,
  source_address: v.nullable(text),
  status: integer,
  detail: text,
});
export const REQUEST_BOARD = v.strictObject({
  running: v.array(RUNNING_REQUEST),
  refused: v.array(REFUSED_REQUEST),
});

const OPERATORS = v.array(v.picklist(operatorNames()));
const PATH_PARAMETER = v.picklist([...new Set(Object.values(PATH_PARAMETERS).flat())]);
const ROW_LIMIT = v.strictObject({ default: integer, maximum: integer });

/** Everything that a form for rows of a dataset is made from. */
export const QUERY_FORM = v.strictObject({
  dataset_id: text,
  group: text,
  segment: text,
  path_parameters: v.array(PATH_PARAMETER),
  aliases: texts,
  parameters: v.array(
    v.strictObject({
      name: text,
      values: texts,
      pattern: v.nullable(text),
      default: v.nullable(text),
    }),
  ),
  variants: v.array(
    v.strictObject({
      dataset_id: text,
      dataset_name: text,
      parameters: v.record(text, text),
      is_entitled: flag,
    }),
  ),
  required_filters: v.array(texts),
  required_filter_operators: OPERATORS,
  unfilterable_columns: texts,
  path_forms: v.array(
    v.strictObject({ identifier_column: v.nullable(text), unfilterable_columns: texts }),
  ),
  default_period: v.nullable(text),
  date_column: v.nullable(text),
  identifier_columns: texts,
  /** The column whose value starts a contract's symbol; null if rows are not contracts. */
  root_column: v.nullable(text),
  time_zone: text,
  filter_time_zone: text,
  /** The hours of a trading day by the clock of `time_zone`, and those of a half day. */
  sessions: v.array(
    v.strictObject({
      name: v.picklist(SESSION_NAMES),
      ...{ start: text, end: text, half_day_start: text, half_day_end: text },
    }),
  ),
  /** Empty where sessions are the same on all days. */
  half_days: v.array(date),
  /** From the first rows to the end of the year: weekdays without trading, weekend days with it. */
  trading_calendar: v.strictObject({
    ...{ start: date, end: date, irregular_days: v.array(date) },
    /** Days that only products with these roots have. */
    product_groups: v.array(v.strictObject({ roots: texts, days: v.array(date) })),
  }),
  sort_columns: texts,
  columns: v.array(
    v.strictObject({ name: text, ...TYPE_FIELDS, operators: OPERATORS, values: KNOWN_VALUES }),
  ),
  interval_columns: texts,
  limits: v.strictObject(Object.fromEntries(FORMATS.map(({ name }) => [name, ROW_LIMIT]))),
  is_entitled: flag,
  rules: v.array(
    v.strictObject({
      start_date: date,
      end_date: v.nullable(date),
      universe_identifiers: texts,
      ...RULE_COLUMNS,
    }),
  ),
});

export const DATA_SCAN = v.strictObject({
  dataset_id: text,
  dataset_version: v.nullable(integer),
  /** Version of the adjustment factors, if rows are adjusted on request. */
  factors_version: v.nullable(integer),
  /** Version of the dataset that ranks contracts, for a continuous contract. */
  rolls_version: v.nullable(integer),
  canonical_request: text,
  rows_scanned: integer,
  bytes_scanned: integer,
  /** Null, and the numbers beside it rounded, unless the account may read all scanned rows. */
  files_scanned: v.nullable(integer),
  is_exact: flag,
  /** From the request's offset on there are no more. */
  row_count_max: integer,
  /** There are at least so many; as many as above where the index knows the number. */
  row_count_min: integer,
  formats: v.array(
    v.strictObject({
      response_format: text,
      page_count_max: integer,
      byte_count_estimate: integer,
      /** At the rate of the server's latest pages; null: not known. */
      seconds_estimate: v.nullable(v.number()),
    }),
  ),
  allowance: ALLOWANCE,
  /** The rest of the last minute's quotas. */
  minute: v.strictObject(QUOTAS_LEFT),
});

export const EXPLANATION = v.strictObject({
  dataset_id: text,
  /** That of the answer to the request, but for limits and for formats. */
  status: integer,
  /** Null where the request would be refused. */
  canonical_request: v.nullable(text),
  /** The account's rules for the dataset and for those that its rows are made of on request. */
  rules: v.array(
    v.strictObject({ dataset_id: text, ...RULE_FIELDS, ...RULE_COLUMNS, is_of_plan: flag }),
  ),
  decisions: v.array(
    v.strictObject({
      part: v.picklist(DECIDED_PARTS),
      outcome: v.picklist(OUTCOMES),
      /** Places in the list of rules, counted from 0. */
      rules: v.array(integer),
      reason: text,
      remedy: v.nullable(text),
    }),
  ),
});

export const PAGINATION = v.strictObject({
  offset: integer,
  limit: integer,
  next_offset: v.nullable(integer),
});

export const ERROR = v.strictObject({ detail: text });
const PROBLEM = v.strictObject({
  type: text,
  loc: texts,
  msg: text,
  input: v.unknown(),
  ctx: anyObject(),
});
export const VALIDATION_ERROR = v.strictObject({ detail: v.union([v.array(PROBLEM), text]) });
