/** What a request for an option chain asks: of which underlying, at which moment, which contracts, which versions. */
import { stockCloseNanos } from '@ticklake/market/option-close.ts';
import { optional, required } from '../admin/field.ts';
import {
  COUNT,
  choiceOf,
  DATE,
  IDENTIFIER,
  MARKET_TIME,
  pageLimit,
  STRIKE,
  VERSION,
} from '../admin/field-kinds.ts';
import { ApiError, type Problem } from '../base/errors.ts';
import type { AskedChain } from '../query/option-chain.ts';
import { parseDateTime } from '../request/literals.ts';
import { problemAt } from '../request/request-problem.ts';
import type { ContractFilter, Range } from '../symbology/option-contract.ts';
import { marketDate, utcOfMarketTime } from '../time/market-time.ts';
import type { TimeZone } from '../time/time-zone.ts';
import type { KeyedExchange } from './endpoint.ts';
import { readQuery } from './query-fields.ts';

/** Contracts that one answer may have. */
export const CHAIN_CONTRACTS_MAX = 5000;
const NANOS_PER_MS = 1_000_000n;

export const CHAIN_FIELDS = {
  underlying: required(IDENTIFIER, 'Symbol of the underlying, such as AAPL or BRK.B'),
  date: optional(DATE, 'Trade date, as stock trading ends; give this or at'),
  at: optional(MARKET_TIME, "Moment, by the market's clock where it has no offset"),
  root: optional(IDENTIFIER, 'Only contracts of this root, such as SPXW'),
  expiration: optional(DATE, 'Only contracts that expire on this day'),
  'expiration.ge': optional(DATE, 'Only contracts that expire on this day or later'),
  'expiration.le': optional(DATE, 'Only contracts that expire on this day or earlier'),
  strike: optional(STRIKE, 'Only contracts with this strike price in dollars'),
  'strike.ge': optional(STRIKE, 'Only contracts with this strike price or a higher one'),
  'strike.le': optional(STRIKE, 'Only contracts with this strike price or a lower one'),
  call_put: optional(choiceOf(['C', 'P']), 'Only calls, C, or only puts, P'),
  offset: optional(COUNT, 'Contracts to leave out at the beginning; default: 0'),
  limit: optional(
    pageLimit(CHAIN_CONTRACTS_MAX),
    `Maximum number of contracts; default: ${CHAIN_CONTRACTS_MAX}`,
  ),
  dataset_version: optional(VERSION, 'Version of the ticks; default: the current one'),
  contracts_version: optional(
    VERSION,
    'Version of the master of contracts; default: the current one',
  ),
  greeks_version: optional(VERSION, 'Version of the daily analytics; default: the current one'),
  as_of: optional(MARKET_TIME, 'Versions of this time, of datasets whose version is not given'),
};

type ChainQuery = ReturnType<typeof readQuery<typeof CHAIN_FIELDS>>;

function refuse(problems: readonly (Problem | null)[]): void {
  const found = problems.filter((problem) => problem !== null);
  if (found.length > 0) throw new ApiError('invalid', found);
}

function timeProblem({ date, at }: ChainQuery): Problem | null {
  if ((date === undefined) !== (at === undefined)) return null;
  if (date === undefined) {
    return problemAt(['query', 'date'], 'missing', "'date' is missing; give it or 'at'", null);
  }
  const msg = "Give either 'date' or 'at', not both";
  return problemAt(['query', 'at'], 'exclusive_parameters', msg, at);
}

function rangeProblem(name: string, { from, to }: Range<string | number>): Problem | null {
  if (from === null || to === null || from <= to) return null;
  const msg = `'${name}.ge' should be no more than '${name}.le', ${to}`;
  return problemAt(['query', `${name}.ge`], 'end_before_start', msg, from);
}

const ofBounds = <T>(from: T | undefined, to: T | undefined): Range<T> => ({
  from: from ?? null,
  to: to ?? null,
});

function filterOf(query: ChainQuery): ContractFilter {
  const expirations = ofBounds(query['expiration.ge'], query['expiration.le']);
  const strikes = ofBounds(query['strike.ge'], query['strike.le']);
  refuse([rangeProblem('expiration', expirations), rangeProblem('strike', strikes)]);
  return {
    root: query.root ?? null,
    callPut: query.call_put ?? null,
    expiration: query.expiration ?? null,
    strike: query.strike ?? null,
    ...{ expirations, strikes },
  };
}

function timeOf({ date, at }: ChainQuery, zone: TimeZone) {
  const closeOf = (day: string) => utcOfMarketTime(zone, day, stockCloseNanos(day));
  if (at === undefined) {
    const day = date as string;
    return { timeField: 'date', date: day, moment: closeOf(day), isAfterClose: true } as const;
  }
  const moment = parseDateTime(at, zone, 'eq') as bigint;
  const day = marketDate(zone, Number(moment / NANOS_PER_MS));
  return { timeField: 'at', date: day, moment, isAfterClose: moment >= closeOf(day) } as const;
}

/** Throws an ApiError 'invalid' with what is wrong. Times are read by the clock of the zone. */
export function readChainQuery(exchange: KeyedExchange, zone: TimeZone): AskedChain {
  const query = readQuery(exchange, CHAIN_FIELDS);
  refuse([timeProblem(query)]);
  return {
    underlying: query.underlying,
    ...timeOf(query, zone),
    filter: filterOf(query),
    offset: query.offset ?? 0,
    limit: query.limit ?? CHAIN_CONTRACTS_MAX,
    versions: {
      ticks: query.dataset_version ?? null,
      contracts: query.contracts_version ?? null,
      analytics: query.greeks_version ?? null,
      asOf: query.as_of ?? null,
    },
  };
}
