/** Schemas of the catalogue as people look through it. */
import * as v from 'valibot';
import { SOURCE_STATES } from '../query/option-chain.ts';
import { anyObject, date, flag, integer, pageBefore, text, texts, time } from '../schema/answer.ts';
import { keywords } from '../schema/schema.ts';
import { PART_CHANGES, PUBLICATION_KINDS, PUBLICATION_STATES } from '../store/publications.ts';
import { GAP_REASONS } from '../symbology/roll-schedule.ts';
import { MATCHED_FIELDS } from '../symbology/search-securities.ts';
import { RESOLVED_TYPES } from '../symbology/symbol-table.ts';
import { DATASET_ROW, PAGINATION } from './answers.ts';

const ENTRY_FIELDS = {
  ...DATASET_ROW.entries,
  description: text,
  time_granularity: text,
  column_names: texts,
};

/** Null: the account may not know, or nothing is published. */
export const CATALOGUE_ENTRY = v.strictObject({
  ...ENTRY_FIELDS,
  is_entitled: flag,
  first_trade_date: v.nullable(date),
  last_trade_date: v.nullable(date),
  row_count: v.nullable(integer),
});
export const CATALOGUE = v.array(CATALOGUE_ENTRY);

export const PUBLIC_DATASET = v.strictObject({
  ...ENTRY_FIELDS,
  first_trade_date: v.nullable(date),
  last_trade_date: v.nullable(date),
  row_count: integer,
  stored_bytes: integer,
  has_sample: flag,
  price: v.nullable(text),
});
export const PUBLIC_CATALOGUE = v.array(PUBLIC_DATASET);

/** A page of rows as JSON has it; each dataset has its own columns. */
export const ROW_PAGE = v.strictObject({
  data: v.array(anyObject()),
  pagination: PAGINATION,
});

/** Null where it would tell of rows that the account may not read. */
const amount = v.nullable(integer);

const VERSION_FIELDS = {
  version: integer,
  published_at: time,
  publication_id: integer,
  kind: v.picklist(PUBLICATION_KINDS),
  vendor: v.nullable(text),
  reason: v.nullable(text),
  is_current: flag,
  is_available: flag,
  row_count: amount,
  stored_bytes: amount,
  content_digest: v.nullable(text),
};
export const DATASET_VERSION = v.strictObject(VERSION_FIELDS);
export const DATASET_VERSION_PAGE = pageBefore(DATASET_VERSION);

const PARTITION_CHANGE = v.strictObject({
  partition: text,
  change: v.picklist(PART_CHANGES),
  rows_before: amount,
  rows_after: amount,
  stored_bytes_before: amount,
  stored_bytes_after: amount,
});
export const DATASET_VERSION_DETAIL = v.strictObject({
  ...VERSION_FIELDS,
  dataset_id: text,
  partitions: v.array(PARTITION_CHANGE),
  pagination: v.strictObject({
    after: v.nullable(text),
    limit: integer,
    next_after: v.nullable(text),
  }),
});

export const PUBLICATION_EVENT = v.strictObject({
  publication_id: integer,
  state: v.picklist(PUBLICATION_STATES),
  kind: v.picklist(PUBLICATION_KINDS),
  finished_at: time,
  vendor: v.nullable(text),
  reason: v.nullable(text),
  message: v.nullable(text),
  datasets: v.array(
    v.strictObject({
      dataset_id: text,
      dataset_name: v.nullable(text),
      version: v.nullable(integer),
      partition_count: integer,
      partitions: texts,
    }),
  ),
});
export const PUBLICATION_FEED = v.strictObject({
  data: v.array(PUBLICATION_EVENT),
  pagination: v.strictObject({
    after: integer,
    limit: integer,
    next_after: integer,
    has_more: flag,
  }),
});

const TICKER_CHANGE = v.nullable(v.strictObject({ ticker: text, date }));

/** The meaning of a symbol from `start_date` up to `end_date`; a null end means it still holds. */
export const SYMBOL_INTERVAL = v.strictObject({
  start_date: date,
  end_date: v.nullable(date),
  ticker: text,
  asid: v.nullable(integer),
  sec_id: v.nullable(integer),
  name: v.nullable(text),
  primary_exchange: v.nullable(text),
  security_description: v.nullable(text),
  list_status: v.nullable(text),
  figi: v.nullable(text),
  isin: v.nullable(text),
  cusip: v.nullable(text),
  sedol: v.nullable(text),
  /** The ticker before this one, and its last day. */
  previous: TICKER_CHANGE,
  /** The ticker after this one, and its first day. */
  next: TICKER_CHANGE,
});

export const RESOLVED_SYMBOLS = v.strictObject({
  dataset_version: v.nullable(integer),
  type: v.picklist(RESOLVED_TYPES),
  resolved: v.array(v.strictObject({ symbol: text, intervals: v.array(SYMBOL_INTERVAL) })),
  not_found: v.array(text),
});

export const FOUND_SECURITY = v.strictObject({
  ticker: v.nullable(text),
  asid: v.nullable(integer),
  sec_id: v.nullable(integer),
  name: v.nullable(text),
  primary_exchange: v.nullable(text),
  security_description: v.nullable(text),
  list_status: v.nullable(text),
  start_date: v.nullable(date),
  end_date: v.nullable(date),
  matched: v.strictObject({ field: v.picklist(MATCHED_FIELDS), value: text }),
});
export const FOUND_SECURITIES = v.strictObject({
  dataset_version: v.nullable(integer),
  securities: v.array(FOUND_SECURITY),
});

/** Trade dates on which a contract has the rank, both inclusive. */
export const ROLL_SPAN = v.strictObject({ start_date: date, end_date: date, ticker: text });

/** Trade dates on which no contract has the rank, both inclusive, and why. */
export const ROLL_GAP = v.strictObject({
  start_date: date,
  end_date: date,
  reason: v.picklist(GAP_REASONS),
  detail: text,
});

export const FOUND_ROLLS = v.strictObject({
  dataset_version: integer,
  symbol: text,
  rolls: v.array(ROLL_SPAN),
  gaps: v.array(ROLL_GAP),
});

const price = v.nullable(v.number());
const count = v.nullable(integer);
/** By the market's clock, with nine fraction digits and the offset. */
const moment = v.nullable(v.pipe(text, keywords({ format: 'date-time' })));

/** How the chain used one dataset. Fields of a dataset that was not read are null. */
export const OPTION_CHAIN_SOURCE = v.strictObject({
  role: v.picklist(['ticks', 'contracts', 'greeks']),
  dataset_id: v.nullable(text),
  dataset_text_id: text,
  dataset_version: v.nullable(integer),
  state: v.picklist(SOURCE_STATES),
});

/** A contract at the moment. Prices are dollars per share of the underlying, sizes contracts. */
export const OPTION_CHAIN_CONTRACT = v.strictObject({
  root: text,
  expiration_date: date,
  strike: v.number(),
  call_put: v.picklist(['C', 'P']),
  osi_symbol: v.nullable(text),
  /** Permanent number of the root. */
  asid: v.nullable(integer),
  /** A: American, E: European. */
  option_style: v.nullable(text),
  /** AM or PM. */
  settlement_type: v.nullable(text),
  multiplier: count,
  is_weekly: v.nullable(flag),
  first_trade_date: v.nullable(date),
  last_trade_date: v.nullable(date),
  bid_price: price,
  bid_size: count,
  bid_time: moment,
  ask_price: price,
  ask_size: count,
  ask_time: moment,
  last_trade_price: price,
  last_trade_size: count,
  last_trade_time: moment,
  open_interest: count,
  implied_volatility: price,
  theoretical_price: price,
  delta: price,
  gamma: price,
  theta: price,
  vega: price,
  rho: price,
  implied_volatility_convergence: v.nullable(text),
});

export const OPTION_CHAIN_EXPIRATION = v.strictObject({
  expiration_date: date,
  contract_count: integer,
});

export const OPTION_CHAIN = v.strictObject({
  underlying: text,
  date,
  /** Quotes and trades are those up to then; of a `date`, before then. */
  at: v.pipe(text, keywords({ format: 'date-time' })),
  underlying_bid_price: price,
  underlying_ask_price: price,
  underlying_time: moment,
  /** The date that the analytics are of, never later than was known at the moment. */
  greeks_date: v.nullable(date),
  sources: v.array(OPTION_CHAIN_SOURCE),
  /** Expirations of the whole chain, not just this page. */
  expirations: v.array(OPTION_CHAIN_EXPIRATION),
  contract_count: integer,
  contracts: v.array(OPTION_CHAIN_CONTRACT),
  pagination: PAGINATION,
});
