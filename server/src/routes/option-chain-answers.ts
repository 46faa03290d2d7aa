/** Schemas of option chains. */
import * as v from 'valibot';
import { SOURCE_STATES } from '../query/option-chain.ts';
import { date, flag, integer, text } from '../schema/answer.ts';
import { keywords } from '../schema/schema.ts';
import { PAGINATION } from './answers.ts';

const price = v.nullable(v.number());
const count = v.nullable(integer);
/** By the market's clock, with nine fraction digits and the offset. */
const moment = v.nullable(v.pipe(text, keywords({ format: 'date-time' })));

/** What the chain has of a dataset. Fields of one that was not read are null. */
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
  /** Of the whole chain, not of this page alone. */
  expirations: v.array(OPTION_CHAIN_EXPIRATION),
  contract_count: integer,
  contracts: v.array(OPTION_CHAIN_CONTRACT),
  pagination: PAGINATION,
});
