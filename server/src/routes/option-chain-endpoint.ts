/** The option chain of an underlying at a moment: `/symbology/option-chain`. */

import { stockCloseNanos } from '@ticklake/market/option-close.ts';
import { optional, required } from '../admin/field.ts';
import {
  COUNT,
  choiceOf,
  DATE,
  DATE_OR_LATEST,
  IDENTIFIER,
  MARKET_TIME,
  pageLimit,
  STRIKE,
  VERSION,
} from '../admin/field-kinds.ts';
import { ApiError, type Problem } from '../base/errors.ts';
import {
  type AskedChain,
  latestTickDate,
  planTicks,
  readAnalytics,
  readMaster,
  readTicks,
  rootsOf,
  type Source,
  ticksDataset,
} from '../query/option-chain.ts';
import { accountOf, inTurn } from '../query/reader.ts';
import { LATEST, parseDateTime } from '../request/literals.ts';
import { problemAt } from '../request/request-problem.ts';
import type { Answer } from '../schema/answer.ts';
import { type ChainContract, chainOf, expirationsOf } from '../symbology/option-chain.ts';
import type { ContractFilter, Range } from '../symbology/option-contract.ts';
import { osiSymbolOf } from '../symbology/option-contract.ts';
import { marketDate, marketTimeText, utcOfMarketTime } from '../time/market-time.ts';
import type { TimeZone } from '../time/time-zone.ts';
import { OPTION_CHAIN, type OPTION_CHAIN_CONTRACT } from './data-answers.ts';
import { type DataExchange, keyedEndpoint } from './endpoint.ts';
import { nextLink } from './http-headers.ts';
import { readQuery } from './request-fields.ts';

/** Writes a moment of a date, which counts from its midnight in nanoseconds. */
type ShowTime = (nanosOfDay: number) => string;

type ContractView = Answer<typeof OPTION_CHAIN_CONTRACT>;

function termsView({ terms, listed, analytics }: ChainContract) {
  return {
    root: terms.root,
    expiration_date: terms.expiration,
    strike: terms.strike,
    call_put: terms.callPut,
    osi_symbol: listed?.osiSymbol ?? osiSymbolOf(terms),
    asid: listed?.asid ?? null,
    option_style: listed?.style ?? analytics?.style ?? null,
    settlement_type: listed?.settlement ?? null,
    multiplier: listed?.multiplier ?? null,
    is_weekly: listed?.isWeekly ?? null,
    first_trade_date: listed?.firstTradeDate ?? null,
    last_trade_date: listed?.lastTradeDate ?? null,
  };
}

function marketView({ state }: ChainContract, show: ShowTime) {
  const { bid = null, ask = null } = state?.quotes ?? {};
  const trade = state?.trade ?? null;
  return {
    bid_price: bid?.price ?? null,
    bid_size: bid && Number(bid.quantity),
    bid_time: bid && show(bid.nanosOfDay),
    ask_price: ask?.price ?? null,
    ask_size: ask && Number(ask.quantity),
    ask_time: ask && show(ask.nanosOfDay),
    last_trade_price: trade?.price ?? null,
    last_trade_size: trade?.quantity ?? null,
    last_trade_time: trade && show(trade.nanosOfDay),
    open_interest: state?.openInterest ?? null,
  };
}

function analyticsView({ analytics }: ChainContract) {
  const { values } = analytics ?? {};
  return {
    implied_volatility: values?.MidImpliedVol ?? null,
    theoretical_price: values?.MidTheoPrice ?? null,
    delta: values?.MidDelta ?? null,
    gamma: values?.MidGamma ?? null,
    theta: values?.MidTheta ?? null,
    vega: values?.MidVega ?? null,
    rho: values?.MidRho ?? null,
    implied_volatility_convergence: analytics?.convergence ?? null,
  };
}

function contractView(contract: ChainContract, show: ShowTime): ContractView {
  return { ...termsView(contract), ...marketView(contract, show), ...analyticsView(contract) };
}

const ROLES = ['ticks', 'contracts', 'greeks'] as const;
/** The parameters that hold the next page to the versions of this one. */
const PINS = ['dataset_version', 'contracts_version', 'greeks_version'] as const;

async function readChain(exchange: DataExchange, asked: AskedChain, signal: AbortSignal) {
  const master = await readMaster(exchange, asked, signal);
  const roots = rootsOf(asked, master.listed);
  const ticks = await readTicks(exchange, asked, roots, signal);
  const greeks = await readAnalytics(exchange, asked, roots, signal);
  const parts = { ...master, ...ticks, ...greeks };
  return {
    ticks: ticks.ticks,
    greeksDate: greeks.analytics?.date ?? null,
    sources: [ticks.source, master.source, greeks.source],
    contracts: chainOf(parts, asked.filter, asked.date),
  };
}

/** Links to what follows the page, from the same versions. */
function linkNext(
  exchange: DataExchange,
  { timeField, date }: AskedChain,
  sources: readonly Source[],
  offset: number,
): void {
  const versions = PINS.flatMap((name, i) => {
    const version = sources[i]?.version ?? null;
    return version === null ? [] : [[name, version] as const];
  });
  const dated = timeField === 'date' ? { date } : {};
  const parameters = { ...dated, ...Object.fromEntries(versions), offset };
  exchange.reply.header('Link', nextLink(exchange, { parameters }));
}

async function showChain(exchange: DataExchange) {
  const { tally, services } = exchange;
  const dataset = ticksDataset(exchange);
  const asked = await readChainQuery(exchange, dataset.timeZone);
  Object.assign(tally, { datasetId: dataset.datasetId });
  // Refusals come before the request waits.
  const { plan } = await planTicks(exchange, asked);
  Object.assign(tally, { datasetVersion: plan.version });
  const { accountId } = accountOf(exchange);
  const chain = await inTurn(exchange, accountId, (signal) => readChain(exchange, asked, signal));
  const { ticks, sources, contracts, greeksDate } = chain;
  const { offset, limit } = asked;
  const page = contracts.slice(offset, offset + limit);
  const nextOffset = offset + limit < contracts.length ? offset + limit : null;
  if (nextOffset !== null) linkNext(exchange, asked, sources, nextOffset);
  tally.rowCount = page.length;
  services.metrics.rows.inc(page.length);
  const show: ShowTime = (nanos) =>
    marketTimeText(dataset.timeZone, ticks.midnight + BigInt(nanos));
  const { underlying } = ticks;
  return {
    underlying: asked.underlying,
    date: asked.date,
    at: marketTimeText(dataset.timeZone, asked.moment),
    underlying_bid_price: underlying?.bid ?? null,
    underlying_ask_price: underlying?.ask ?? null,
    underlying_time: underlying && show(underlying.nanosOfDay),
    greeks_date: greeksDate,
    sources: sources.map(({ textId, dataset, version, state }, at) => ({
      role: ROLES[at] as (typeof ROLES)[number],
      dataset_id: dataset?.datasetId ?? null,
      dataset_text_id: textId,
      dataset_version: version,
      state,
    })),
    expirations: expirationsOf(contracts).map(([expiration, count]) => ({
      expiration_date: expiration,
      contract_count: count,
    })),
    contract_count: contracts.length,
    contracts: page.map((contract) => contractView(contract, show)),
    pagination: { offset, limit, next_offset: nextOffset },
  };
}

/** Contracts that one answer may have. */
const CHAIN_CONTRACTS_MAX = 5000;
const NANOS_PER_MS = 1_000_000n;

export const CHAIN_FIELDS = {
  underlying: required(IDENTIFIER, 'Symbol of the underlying, such as AAPL or BRK.B'),
  date: optional(DATE_OR_LATEST, 'Trade date, as stock trading ends; give this or at'),
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

/**
 * Rejects with an ApiError 'invalid' with what is wrong. Times are read by the clock of the zone.
 */
async function readChainQuery(exchange: DataExchange, zone: TimeZone): Promise<AskedChain> {
  const query = readQuery(exchange, CHAIN_FIELDS);
  refuse([timeProblem(query)]);
  const versions = {
    ticks: query.dataset_version ?? null,
    contracts: query.contracts_version ?? null,
    analytics: query.greeks_version ?? null,
    asOf: query.as_of ?? null,
  };
  const date = query.date === LATEST ? await latestTickDate(exchange, versions) : query.date;
  return {
    underlying: query.underlying,
    ...timeOf({ ...query, date }, zone),
    filter: filterOf(query),
    offset: query.offset ?? 0,
    limit: query.limit ?? CHAIN_CONTRACTS_MAX,
    versions,
  };
}

export const OPTION_CHAIN_ENDPOINT = keyedEndpoint({
  endpoint: 'GET /symbology/option-chain',
  operationId: 'showOptionChain',
  summary:
    'The option contracts on an underlying at a moment: terms, quotes, open interest, greeks',
  answer: OPTION_CHAIN,
  errorStatuses: [404, 410, 504],
  isTagged: true,
  query: CHAIN_FIELDS,
  handle: showChain,
});
