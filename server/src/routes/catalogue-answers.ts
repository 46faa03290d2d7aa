/** Schemas of the catalogue as people look through it. */
import * as v from 'valibot';
import { anyObject, date, flag, integer, text, texts } from '../schema/answer.ts';
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
});
export const PUBLIC_CATALOGUE = v.array(PUBLIC_DATASET);

/** A page of rows as JSON has it; each dataset has its own columns. */
export const ROW_PAGE = v.strictObject({
  data: v.array(anyObject()),
  pagination: PAGINATION,
});
