/**
 * Endpoints for the meanings of symbols, continuous contracts included, and for finding securities
 * by the beginning of a ticker, a name or a number.
 */
import { optional, required } from '../admin/field.ts';
import {
  CONTINUOUS_SYMBOL,
  choiceOf,
  DATE,
  pageLimit,
  SEARCHED_TEXT,
  SYMBOLS,
  VERSION,
} from '../admin/field-kinds.ts';
import { ApiError } from '../base/errors.ts';
import { FIRST_DATE, LAST_DATE } from '../engine/accepted-values.ts';
import type { DateSpan } from '../engine/query-plan.ts';
import { findRolls } from '../query/rolls.ts';
import { planMaster, resolveContracts } from '../query/securities.ts';
import { earlierOf, laterOf } from '../request/literals.ts';
import { problemAt } from '../request/request-problem.ts';
import { GAP_TEXTS } from '../symbology/roll-schedule.ts';
import type { FoundSecurity } from '../symbology/search-securities.ts';
import { type Dated, endOf, valueOn } from '../symbology/security.ts';
import {
  type AskedDates,
  RESOLVED_TYPES,
  resolveSymbol,
  type SymbolInterval,
  type SymbolType,
} from '../symbology/symbol-table.ts';
import { FOUND_ROLLS, FOUND_SECURITIES, RESOLVED_SYMBOLS } from './data-answers.ts';
import { type DataExchange, type KeyedEndpoint, keyedEndpoint } from './endpoint.ts';
import { readQuery } from './request-fields.ts';

const FOUND = 10;
const FOUND_MAX = 100;

const RESOLVE_FIELDS = {
  symbols: required(SYMBOLS, 'Symbols, separated by commas, as the type writes them'),
  type: optional(choiceOf(RESOLVED_TYPES), 'Type of the symbols; default: Ticker'),
  start: optional(DATE, 'First date; default: the first there is'),
  end: optional(DATE, 'Last date; default: the last there is'),
};

const ROLL_FIELDS = {
  symbol: required(CONTINUOUS_SYMBOL, 'A continuous contract, such as ES.c.0'),
  start: optional(DATE, 'First date; default: the first there is'),
  end: optional(DATE, 'Last date; default: the last there is'),
  rolls_version: optional(VERSION, 'Version of the dataset that ranks; default: the current one'),
};

const SEARCH_FIELDS = {
  q: required(SEARCHED_TEXT, 'Beginning of a ticker, of a word of a name, or of a number'),
  limit: optional(pageLimit(FOUND_MAX), `Maximum number of securities; default: ${FOUND}`),
};

const changeAt = (ticker: Dated | null, date: 'start' | 'end') =>
  ticker && { ticker: ticker.value, date: ticker[date] };

function intervalView({ security, ...interval }: SymbolInterval) {
  const { start, end, ticker, name, exchange, before, after } = interval;
  return {
    start_date: start,
    end_date: endOf(end),
    ticker,
    asid: security.asid,
    sec_id: security.secId,
    name,
    primary_exchange: exchange,
    security_description: security.description,
    list_status: security.listStatus,
    figi: security.figis.at(-1)?.value ?? null,
    isin: valueOn(security.isins, end),
    cusip: valueOn(security.cusips, end),
    sedol: security.sedol,
    previous: changeAt(before, 'end'),
    next: changeAt(after, 'start'),
  };
}

/** The request is about the security master, for the ledger. */
async function readable(exchange: DataExchange) {
  const { plan, read } = await planMaster(exchange, exchange.services.symbolTables.known);
  const { dataset, version } = plan;
  Object.assign(exchange.tally, { datasetId: dataset.datasetId, datasetVersion: version });
  return { ...(await read()), version };
}

async function resolveSecurities(
  exchange: DataExchange,
  type: SymbolType,
  symbols: readonly string[],
  asked: AskedDates,
) {
  const { table, version } = await readable(exchange);
  const resolved = symbols.map((symbol) => ({
    symbol,
    intervals: resolveSymbol(table, type, symbol, asked).map(intervalView),
  }));
  return { resolved, version };
}

function requireDatesInOrder({ start, end }: AskedDates): void {
  if (start <= end) return;
  const msg = `'start' should be no later than 'end', ${end}`;
  throw new ApiError('invalid', [problemAt(['query', 'start'], 'end_before_start', msg, start)]);
}

async function resolve(exchange: DataExchange) {
  const query = readQuery(exchange, RESOLVE_FIELDS);
  const { symbols, type = 'Ticker', start = FIRST_DATE, end = LAST_DATE } = query;
  requireDatesInOrder({ start, end });
  const { resolved, version } =
    type === 'OSI'
      ? await resolveContracts(exchange, symbols, { start, end })
      : await resolveSecurities(exchange, type, symbols, { start, end });
  return {
    dataset_version: version,
    type,
    resolved: resolved.filter(({ intervals }) => intervals.length > 0),
    not_found: resolved.flatMap(({ symbol, intervals }) => (intervals.length > 0 ? [] : symbol)),
  };
}

function foundView({ security, field, value }: FoundSecurity) {
  const last = security.tickers.at(-1);
  return {
    ticker: last?.value ?? null,
    asid: security.asid,
    sec_id: security.secId,
    name: security.names.at(-1)?.value ?? null,
    primary_exchange: security.exchanges.at(-1)?.value ?? null,
    security_description: security.description,
    list_status: security.listStatus,
    start_date: security.tickers[0]?.start ?? null,
    end_date: last ? endOf(last.end) : null,
    matched: { field, value },
  };
}

async function search(exchange: DataExchange) {
  const { q, limit = FOUND } = readQuery(exchange, SEARCH_FIELDS);
  const { search: securities, version } = await readable(exchange);
  return { dataset_version: version, securities: securities.find(q, limit).map(foundView) };
}

/** The part of spans that is on the dates asked for. */
function cut<T extends DateSpan>(spans: readonly T[], { start, end }: AskedDates) {
  return spans
    .filter((span) => span.start <= end && span.end >= start)
    .map((span) => ({
      ...span,
      dates: { start_date: laterOf(span.start, start), end_date: earlierOf(span.end, end) },
    }));
}

async function rolls(exchange: DataExchange) {
  const query = readQuery(exchange, ROLL_FIELDS);
  const { symbol: contract, start = FIRST_DATE, end = LAST_DATE } = query;
  requireDatesInOrder({ start, end });
  const asked = { version: null, rollsVersion: query.rolls_version ?? null };
  const found = await findRolls(exchange, { ...contract, place: ['query', 'symbol'] }, asked);
  const { datasetId } = found.ranking;
  Object.assign(exchange.tally, { datasetId, datasetVersion: found.version });
  return {
    dataset_version: found.version,
    symbol: contract.symbol,
    rolls: cut(found.spans, { start, end }).map(({ dates, ticker }) => ({ ...dates, ticker })),
    gaps: cut(found.gaps, { start, end }).map(({ dates, reason }) => ({
      ...dates,
      reason,
      detail: GAP_TEXTS[reason],
    })),
  };
}

export const SYMBOLOGY_ENDPOINTS: readonly KeyedEndpoint[] = [
  keyedEndpoint({
    endpoint: 'GET /symbology/resolve',
    operationId: 'resolveSymbols',
    summary: 'The securities that symbols stood for, by date, and what became of them',
    answer: RESOLVED_SYMBOLS,
    errorStatuses: [404, 504],
    isTagged: true,
    query: RESOLVE_FIELDS,
    handle: resolve,
  }),
  keyedEndpoint({
    endpoint: 'GET /symbology/search',
    operationId: 'searchSecurities',
    summary: 'Securities by the beginning of a ticker, of a word of a name, or of a number',
    answer: FOUND_SECURITIES,
    errorStatuses: [404, 504],
    isTagged: true,
    query: SEARCH_FIELDS,
    handle: search,
  }),
  keyedEndpoint({
    endpoint: 'GET /symbology/rolls',
    operationId: 'showRolls',
    summary: 'The contracts that a continuous contract stood for, with dates',
    answer: FOUND_ROLLS,
    errorStatuses: [404, 410, 504],
    isTagged: true,
    query: ROLL_FIELDS,
    handle: rolls,
  }),
];
