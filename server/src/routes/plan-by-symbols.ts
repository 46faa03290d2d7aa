/**
 * Plans requests for continuous contracts by the contracts that they stand for, requests whose tickers mean what they meant on each date, and with `continuous=true` those whose tickers stand
 * for companies: such a request is planned as one for permanent numbers, and is that from then on.
 */
import { ApiError, type Problem } from '../base/errors.ts';
import { OPERATORS } from '../engine/operators.ts';
import type { Rolls } from '../engine/query-plan.ts';
import {
  type AskedTickers,
  askedTickers,
  PERMANENT_NUMBER,
  TICKER,
} from '../plan/asked-tickers.ts';
import { continuousContractOf } from '../plan/continuous-plan.ts';
import type { DataRequest } from '../request/data-request.ts';
import type { RequestFilter } from '../request/filters.ts';
import { problemAt } from '../request/request-problem.ts';
import { companyOf, tickerUses } from '../symbology/company-of.ts';
import type { Security } from '../symbology/security.ts';
import type { SymbolTable } from '../symbology/symbol-table.ts';
import { today } from '../time/market-time.ts';
import type { PlannedRequest } from './answer-page.ts';
import type { KeyedExchange } from './endpoint.ts';
import { headerText, judgeTickers, requireMaster, unjudged } from './judge-tickers.ts';
import { findRolls } from './known-rolls.ts';
import { planMaster } from './known-securities.ts';
import type { NextPage } from './next-link.ts';
import { type Asking, planRequest } from './plan-request.ts';
import { rollHeaders } from './roll-headers.ts';

export interface PlannedBySymbols {
  readonly planned: PlannedRequest;
  /** What is told of the symbols. */
  readonly headers: Readonly<Record<string, string>>;
}

function refusal(msg: string, type: string, input: string): Problem {
  return problemAt(['query', 'continuous'], type, msg, input);
}

function unfollowed(): ApiError {
  const msg = "'continuous' does not apply here: rows of this dataset name no companies by date";
  return new ApiError('invalid', [refusal(msg, 'inapplicable_parameter', 'true')]);
}

function unnamed(): ApiError {
  const msg = `'continuous' follows companies by their tickers; name some with '${TICKER}' or '${TICKER}.in'`;
  return new ApiError('invalid', [refusal(msg, 'inapplicable_parameter', 'true')]);
}

function unknownTicker(ticker: string, date: string): Problem {
  const msg = `No company whose data you can read had the ticker '${ticker}' on or before ${date}`;
  return refusal(msg, 'unknown_ticker', ticker);
}

/** Throws an ApiError 'invalid' that tells of each ticker without a company. */
function companiesOf(table: SymbolTable, tickers: readonly string[], date: string): Security[] {
  const problems: Problem[] = [];
  const companies = tickers.flatMap((ticker) => {
    const company = companyOf(table, ticker, date);
    if (company === null) problems.push(unknownTicker(ticker, date));
    return company ?? [];
  });
  if (problems.length > 0) throw new ApiError('invalid', problems);
  return companies;
}

function namesTickers({ column, operator }: RequestFilter): boolean {
  return column === TICKER && OPERATORS[operator ?? 'eq'].isNaming;
}

/** The same request for permanent numbers; a path has one at most. */
function byNumbers(request: DataRequest, ids: readonly string[], isInPath: boolean): DataRequest {
  const filters = request.filters.filter((filter) => !namesTickers(filter));
  if (isInPath) {
    const pathParameters = [...request.pathParameters.slice(0, -1), ...ids];
    return { ...request, filters, pathParameters };
  }
  const column = PERMANENT_NUMBER;
  const named: RequestFilter = { name: `${column}.in`, column, operator: 'in', texts: ids };
  return { ...request, filters: [...filters, named] };
}

/** What pages and files that follow are asked by, so that they stay with these companies. */
function pinsOf({ pins, request }: PlannedRequest, ids: readonly string[], isInPath: boolean) {
  if (isInPath) {
    const replaced = [...(pins.replaced ?? []), 'continuous'];
    return { ...pins, replaced, lastSegment: ids.at(-1) } satisfies NextPage;
  }
  const names = request.filters.filter(namesTickers).map(({ name }) => name);
  const next: NextPage = {
    parameters: { ...pins.parameters, [`${PERMANENT_NUMBER}.in`]: ids.join(',') },
    replaced: [...(pins.replaced ?? []), ...names, 'continuous'],
  };
  return next;
}

async function followCompanies(
  exchange: KeyedExchange,
  planned: PlannedRequest,
  asking: Asking,
  { tickers, days }: AskedTickers,
): Promise<PlannedBySymbols> {
  const { clock, symbolTables } = exchange.services;
  const { plan: masterPlan, read } = await planMaster(exchange, symbolTables.known);
  requireMaster(masterPlan);
  const { table } = await read();
  const date = days.last ?? today(planned.plan.dataset.timeZone, clock.now()).market;
  const companies = companiesOf(table, tickers, date);
  const ids = [...new Set(companies.map(({ asid }) => `${asid}`))];
  // A path may have a number beside a filter on the ticker.
  const isInPath = tickers.includes(planned.request.pathParameters.at(-1) ?? '');
  const request = byNumbers(planned.request, ids, isInPath);
  const followed = await planRequest(exchange, request, asking);
  const uses = companies.flatMap((company) => tickerUses(table, company, days));
  return {
    planned: { ...followed, pins: pinsOf(planned, ids, isInPath) },
    headers: uses.length === 0 ? {} : { 'X-Symbols': headerText(uses) },
  };
}

/** The rolls of the continuous contract that the request names; undefined: none. Rejects as `findRolls` does. */
export async function rollsOf(
  exchange: KeyedExchange,
  request: DataRequest,
  { choose }: Asking,
): Promise<Rolls | undefined> {
  const contract = continuousContractOf(request, choose(request, exchange.services.catalog));
  return contract ? await findRolls(exchange, contract, request) : undefined;
}

/** Rejects as `rollsOf`, `planRequest` and `judgeTickers` do, and where a ticker is to be followed that nobody can follow. */
export async function planBySymbols(
  exchange: KeyedExchange,
  request: DataRequest,
  asking: Asking,
): Promise<PlannedBySymbols> {
  const rolls = await rollsOf(exchange, request, asking);
  const planned = await planRequest(exchange, request, asking, rolls);
  if (rolls) {
    if (request.followsCompanies) throw unfollowed();
    if (request.strictSymbols) throw unjudged();
    return { planned, headers: rollHeaders(planned.plan) };
  }
  if (!request.followsCompanies) {
    return { planned, headers: await judgeTickers(exchange, planned) };
  }
  const asked = askedTickers(planned.plan);
  if (!asked) throw unfollowed();
  if (!asked.areNamed && asked.ids === null) throw unnamed();
  // Permanent numbers are followed as they are.
  if (asked.tickers.length === 0) return { planned, headers: {} };
  return await followCompanies(exchange, planned, asking, asked);
}
