/** Schemas of what administrative operations answer, and of the same things elsewhere. */
import * as v from 'valibot';
import { ACCOUNT_STATUSES } from '../access/account-status.ts';
import { KEY_STATUSES } from '../access/api-key.ts';
import {
  anyObject,
  date,
  flag,
  integer,
  pageBefore,
  pageOf,
  text,
  texts,
  time,
} from '../schema/answer.ts';
import type { Schema } from '../schema/schema.ts';
import { ACCESS_REQUEST_STATES } from '../store/access-requests.ts';
import { ROLES } from '../store/people.ts';
import { LINK_KINDS } from '../store/person-links.ts';
import { QUANTITIES, QUANTITY_NAMES, type QuantityField } from '../store/quantities.ts';

function ofQuantities<S extends Schema>(schema: S): Record<QuantityField, S> {
  const entries = QUANTITY_NAMES.map((quantity) => [QUANTITIES[quantity].field, schema]);
  return Object.fromEntries(entries);
}

/** Null is no limit. */
const LIMITS = v.strictObject(ofQuantities(v.nullable(integer)));
const USED_FIELDS = ofQuantities(integer);

export const QUOTAS_LIMIT = v.strictObject({ month: LIMITS, minute: LIMITS });
const USED = v.strictObject(USED_FIELDS);
export const QUOTAS_USAGE = v.strictObject({ month: USED, minute: USED });

export const ADMINISTERED_ACCOUNT = v.strictObject({
  identity_id: integer,
  name: text,
  is_admin: flag,
  is_active: flag,
  max_active_api_keys: integer,
  ip_subnets: texts,
  plan_id: v.nullable(integer),
  contract_ends_at: v.nullable(time),
  own_contract_ends_at: v.nullable(time),
  status: v.picklist(ACCOUNT_STATUSES),
  created_at: time,
});
export const ACCOUNT_PAGE = pageOf(ADMINISTERED_ACCOUNT);

const KEY_FIELDS = {
  name: text,
  reference: text,
  created_at: time,
  expires_at: time,
  last_used_at: v.nullable(time),
  is_active: flag,
  status: v.picklist(KEY_STATUSES),
};
const ADMINISTERED_KEY_FIELDS = { key_id: integer, identity_id: integer, ...KEY_FIELDS };
/** A key as its own account sees it. */
export const API_KEY = v.strictObject({ key_id: integer, ...KEY_FIELDS });
export const ADMINISTERED_API_KEY = v.strictObject(ADMINISTERED_KEY_FIELDS);
export const ADMINISTERED_API_KEY_LIST = v.array(ADMINISTERED_API_KEY);
export const NEW_API_KEY = v.strictObject({ ...ADMINISTERED_KEY_FIELDS, api_key: text });
export const DELETED_API_KEY = v.strictObject({ key_id: integer, is_deleted: flag });

/** The part of a rule that is the same for everybody who looks at it. */
export const RULE_FIELDS = {
  dataset_version: text,
  start_date: date,
  end_date: v.nullable(date),
  universe_identifiers: texts,
};
/** Names are null where the catalogue no longer has the dataset. */
export const ADMINISTERED_RULE = v.strictObject({
  rule_id: integer,
  /** Whose it is: an account's or a plan's; the other one is null. */
  identity_id: v.nullable(integer),
  plan_id: v.nullable(integer),
  dataset_id: text,
  dataset_name: v.nullable(text),
  dataset_text_id: v.nullable(text),
  ...RULE_FIELDS,
  /** Null: all. */
  columns: v.nullable(texts),
});
export const ADMINISTERED_RULE_LIST = v.array(ADMINISTERED_RULE);
export const DELETED_RULE = v.strictObject({ rule_id: integer, is_deleted: flag });

const RULE_EFFECT = v.strictObject({
  identity_id: integer,
  identity_name: text,
  /** The active ones, which all read the same. */
  key_ids: v.array(integer),
  dataset_id: text,
  effect: v.picklist(['gains', 'loses']),
  /** Null, as all that is told of rows: there are too many to be counted. */
  row_count: v.nullable(integer),
  first_trade_date: v.nullable(date),
  last_trade_date: v.nullable(date),
  identifier_count: v.nullable(integer),
  /** The first of them. */
  identifiers: texts,
  columns: texts,
});
export const RULE_EFFECTS = v.strictObject({ data: v.array(RULE_EFFECT) });

export const ACCESS_REQUEST = v.strictObject({
  request_id: integer,
  identity_id: integer,
  dataset_id: text,
  dataset_name: v.nullable(text),
  asked_by: text,
  note: text,
  state: v.picklist(ACCESS_REQUEST_STATES),
  created_at: time,
  decided_at: v.nullable(time),
});
export const ACCESS_REQUEST_PAGE = pageBefore(ACCESS_REQUEST);

export const ENQUIRY = v.strictObject({
  enquiry_id: integer,
  email: text,
  dataset_id: v.nullable(text),
  dataset_name: v.nullable(text),
  note: text,
  created_at: time,
});
export const ENQUIRY_LIST = v.array(ENQUIRY);
export const DECLINED_ENQUIRY = v.strictObject({ enquiry_id: integer, is_deleted: flag });

/** Limits that hold, and what they come from. */
export const QUOTA_LIMITS = v.strictObject({
  identity_id: integer,
  quotas_limit: QUOTAS_LIMIT,
  own_quotas_limit: QUOTAS_LIMIT,
  plan_quotas_limit: v.nullable(QUOTAS_LIMIT),
});

export const ADDED_RULES = v.strictObject({
  added: ADMINISTERED_RULE_LIST,
  skipped_dataset_ids: texts,
});

export const OFFER = v.strictObject({
  plan_id: integer,
  name: text,
  account_count: integer,
  quotas_limit: QUOTAS_LIMIT,
  contract_ends_at: v.nullable(time),
  contract_days: v.nullable(integer),
  created_at: time,
});
export const OFFER_PAGE = pageOf(OFFER);
export const DELETED_OFFER = v.strictObject({ plan_id: integer, is_deleted: flag });
export const ASSIGNED_OFFER = v.strictObject({
  plan_id: integer,
  identity_ids: v.array(integer),
});

export const USAGE_OF_DAY = v.strictObject({
  day: date,
  dataset_id: v.nullable(text),
  key_id: v.nullable(integer),
  ...USED_FIELDS,
});
export const USAGE = v.strictObject({
  identity_id: integer,
  from: date,
  to: date,
  data: v.array(USAGE_OF_DAY),
  total: USED,
});

/** A request of an account, and what it cost. */
export const COUNTED_REQUEST = v.strictObject({
  ledger_id: integer,
  request_id: text,
  answered_at: time,
  dataset_id: v.nullable(text),
  dataset_version: v.nullable(integer),
  /** Null of what people read in a session. */
  key_id: v.nullable(integer),
  /** With its query; values that may be secret as `*`, cut where it is long. Empty of a step. */
  path: text,
  status: integer,
  /** Why it was refused or failed, and what helps; null: it was not. */
  reason: v.nullable(text),
  /** One of several entries of an answer that takes long: what was sent since the one before. */
  is_step: flag,
  row_count: integer,
  ...USED_FIELDS,
  duration_ms: integer,
});
export const COUNTED_REQUEST_PAGE = pageBefore(COUNTED_REQUEST);

/** For an invoice. `symbols` counts different identifiers that were named. */
export const USAGE_OF_MONTH = v.strictObject({
  month: text,
  identity_id: integer,
  name: text,
  ...USED_FIELDS,
  row_count: integer,
  symbol_count: integer,
});
export const MONTHLY_USAGE = v.strictObject({
  from: text,
  to: text,
  data: v.array(USAGE_OF_MONTH),
});

/** A request as the ledger keeps it, with the identifiers that it named. */
export const LEDGER_ROW = v.strictObject({
  ...COUNTED_REQUEST.entries,
  identity_id: integer,
  symbols: texts,
});
export const LEDGER_PAGE = pageOf(LEDGER_ROW);

export const AUDIT_ENTRY = v.strictObject({
  audit_id: integer,
  happened_at: time,
  actor: text,
  /** Name of the person or account that acted; null if unknown. */
  actor_name: v.nullable(text),
  /** The change, in words that follow the name. */
  summary: text,
  source: text,
  operation: text,
  target: text,
  before: v.nullable(anyObject()),
  after: v.nullable(anyObject()),
});
export const AUDIT_PAGE = pageOf(AUDIT_ENTRY);

const PERSON_FIELDS = {
  person_id: integer,
  email: text,
  role: v.picklist(ROLES),
  identity_id: v.nullable(integer),
  is_active: flag,
  is_password_initial: flag,
  has_second_factor: flag,
  created_at: time,
  last_sign_in_at: v.nullable(time),
};
export const PERSON = v.strictObject(PERSON_FIELDS);
export const PERSON_PAGE = pageOf(PERSON);
export const NEW_PERSON = v.strictObject({ ...PERSON_FIELDS, password: text });
export const PERSON_LINK = v.strictObject({
  ...PERSON_FIELDS,
  /** Null where it was e-mailed. */
  link: v.nullable(text),
  link_kind: v.picklist(LINK_KINDS),
  link_expires_at: time,
  is_link_sent: flag,
});
export const PERSON_SESSION = v.strictObject({
  session_id: text,
  created_at: time,
  last_used_at: time,
  source_address: text,
  browser: text,
  /** True for the session that asks. */
  is_current: flag,
});
export const PERSON_SESSION_LIST = v.array(PERSON_SESSION);
export const ENDED_SESSIONS = v.strictObject({ ended_count: integer });
export const DELETED_PERSON = v.strictObject({ person_id: integer, is_deleted: flag });

export const SUBNET_CHECK = v.strictObject({
  address: text,
  is_allowed: flag,
  source_address: text,
  is_source_allowed: flag,
});
