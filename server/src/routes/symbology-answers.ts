/** Schemas of what symbols meant, and of securities that are found. */
import * as v from 'valibot';
import { date, integer, text } from '../schema/answer.ts';
import { GAP_REASONS } from '../symbology/roll-schedule.ts';
import { MATCHED_FIELDS } from '../symbology/search-securities.ts';
import { RESOLVED_TYPES } from '../symbology/symbol-table.ts';

const TICKER_CHANGE = v.nullable(v.strictObject({ ticker: text, date }));

/** What a symbol meant from `start_date` up to `end_date`; null: it still does. */
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
