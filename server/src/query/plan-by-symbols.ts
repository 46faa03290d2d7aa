/**
 * Plans a request by what its symbols mean: a continuous contract by the contracts that it stands
 * for, a ticker as it was on each date and, with `continuous=true`, a ticker as its company's, by
 * permanent number.
 */
import { ApiError, type Problem } from '../base/errors.ts';
import { contractColumn } from '../catalog/contract-column.ts';
import type { Column, Dataset } from '../catalog/dataset.ts';
import { UnreadablePartError } from '../engine/engine.ts';
import { OPERATORS } from '../engine/operators.ts';
import type { QueryPlan, Rolls } from '../engine/query-plan.ts';
import { columnsOf, columnsOfIdentifier } from '../plan/conditions.ts';
import type { AskedContract } from '../plan/continuous-plan.ts';
import { type AskedTickers, askedTickers, PERMANENT_NUMBER, TICKER } from '../plan/identifiers.ts';
import type { DataRequest, RequestFilter } from '../request/data-request.ts';
import { type ProblemPlace, problemAt } from '../request/request-problem.ts';
import {
  CONTINUOUS_LEGAL,
  isContinuousAttempt,
  parseContinuous,
} from '../symbology/continuous-contract.ts';
import {
  ambiguousUses,
  companyOf,
  type ReusedTickers,
  type TickerUse,
  tickerUses,
} from '../symbology/reused-tickers.ts';
import { endOf, type Security } from '../symbology/security.ts';
import type { SymbolTable } from '../symbology/symbol-table.ts';
import { today } from '../time/market-time.ts';
import { type AskedRows, type NextPage, type PlannedRequest, planRequest } from './plan-request.ts';
import type { Reader } from './reader.ts';
import { findRolls, firstOf, rollHeaders } from './rolls.ts';
import { planMaster } from './securities.ts';

export interface PlannedBySymbols {
  readonly planned: PlannedRequest;
  /** Headers about the symbols. */
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

/** Rewrites the request to ask for permanent numbers; a path has one at most. */
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

/** Pins that keep later pages and files with these companies. */
function pinsOf({ pins, request }: PlannedRequest, ids: readonly string[], isInPath: boolean) {
  if (isInPath) {
    const replaced = [...(pins.replaced ?? []), 'continuous'];
    return { ...pins, replaced, identifier: ids.at(-1) } satisfies NextPage;
  }
  const names = request.filters.filter(namesTickers).map(({ name }) => name);
  const next: NextPage = {
    parameters: { ...pins.parameters, [`${PERMANENT_NUMBER}.in`]: ids.join(',') },
    replaced: [...(pins.replaced ?? []), ...names, 'continuous'],
  };
  return next;
}

async function followCompanies(
  reader: Reader,
  asked: AskedRows,
  planned: PlannedRequest,
  { tickers, days }: AskedTickers,
): Promise<PlannedBySymbols> {
  const { clock, symbolTables } = reader.services;
  const { plan: masterPlan, read } = await planMaster(reader, symbolTables.known);
  requireMaster(masterPlan);
  const { table } = await read();
  const date = days.last ?? today(planned.plan.dataset.timeZone, clock.now()).market;
  const companies = companiesOf(table, tickers, date);
  const ids = [...new Set(companies.map(({ asid }) => `${asid}`))];
  // A path may have a number beside a filter on the ticker.
  const isInPath = tickers.includes(planned.request.pathParameters.at(-1) ?? '');
  const request = byNumbers(planned.request, ids, isInPath);
  const followed = await planRequest(reader, { ...asked, request });
  const uses = companies.flatMap((company) => tickerUses(table, company, days));
  return {
    planned: { ...followed, pins: pinsOf(planned, ids, isInPath) },
    headers: uses.length === 0 ? {} : { 'X-Symbols': headerText(uses) },
  };
}

/** Values that a request names in a column, with the places that name them. */
function namesIn(
  { pathParameters, filters }: DataRequest,
  dataset: Dataset,
  column: Column,
): readonly { readonly place: ProblemPlace; readonly text: string }[] {
  const identifier = pathParameters.at(-1);
  const inPath = columnsOf(dataset, dataset.identifierColumns);
  const isInPath =
    identifier !== undefined && columnsOfIdentifier(inPath, identifier)[0] === column;
  const ofFilters = filters
    .filter((filter) => filter.column === column.name)
    .filter(({ operator }) => (operator ?? 'eq') === 'eq' || operator === 'in')
    .flatMap(({ name, texts }) => texts.map((text) => ({ place: ['query', name] as const, text })));
  if (!isInPath) return ofFilters;
  return [{ place: ['path', 'identifier'], text: identifier }, ...ofFilters];
}

/**
 * Throws an ApiError 'invalid' where one is nearly a continuous contract: no contract is called so.
 */
function requireNames(names: ReturnType<typeof namesIn>): void {
  const problems = names
    .filter(({ text }) => isContinuousAttempt(text))
    .map(({ place, text }) => {
      const msg = `'${text}' should be ${CONTINUOUS_LEGAL}`;
      return problemAt(place, 'continuous_contract', msg, text);
    });
  if (problems.length > 0) throw new ApiError('invalid', problems);
}

/**
 * The continuous contract that a request names; null: none. Throws an ApiError 'invalid' where it
 * names something else beside it or what is nearly one, since rows would not say which of the two
 * they are of.
 */
function continuousContractOf(request: DataRequest, dataset: Dataset): AskedContract | null {
  const column = contractColumn(dataset);
  if (!column) return null;
  const names = namesIn(request, dataset, column);
  requireNames(names);
  const [found] = names.flatMap(({ place, text }): AskedContract[] => {
    const contract = parseContinuous(text);
    return contract ? [{ ...contract, place }] : [];
  });
  if (!found) return null;
  const [, second] = names;
  if (!second) return found;
  const msg = 'Ask for a continuous contract alone, and send one request for each';
  throw new ApiError('invalid', [
    problemAt(
      ['query', second.place[1] as string],
      'continuous_contract_not_alone',
      msg,
      second.text,
    ),
  ]);
}

/** Rolls of the continuous contract in the request, if it names one. */
export async function rollsOf(
  reader: Reader,
  request: DataRequest,
  dataset: Dataset,
): Promise<Rolls | undefined> {
  const contract = continuousContractOf(request, dataset);
  return contract ? await findRolls(reader, contract, request) : undefined;
}

/** Rejects as its steps do, and where nobody can follow a ticker. */
export async function planBySymbols(reader: Reader, asked: AskedRows): Promise<PlannedBySymbols> {
  const { request, dataset } = asked;
  const rolls = await rollsOf(reader, request, dataset);
  const planned = await planRequest(reader, { ...asked, rolls });
  if (rolls) {
    if (request.followsCompanies) throw unfollowed();
    if (request.strictSymbols) throw unjudged();
    return { planned, headers: rollHeaders(planned.plan) };
  }
  if (!request.followsCompanies) {
    return { planned, headers: await judgeTickers(reader, planned) };
  }
  const named = askedTickers(planned.plan);
  if (!named) throw unfollowed();
  if (!named.areNamed && named.ids === null) throw unnamed();
  // Permanent numbers are followed as they are.
  if (named.tickers.length === 0) return { planned, headers: {} };
  return await followCompanies(reader, asked, planned, named);
}

function useText({ id, start, end }: TickerUse): string {
  return `${id} ${start}/${endOf(end) ?? '..'}`;
}

/** Tells of the first uses; `symbols=strict` tells of all. */
function headerText(uses: readonly TickerUse[]): string {
  return firstOf(uses.map((use) => `${encodeURIComponent(use.ticker)} ${useText(use)}`));
}

function ambiguity(ticker: string, uses: readonly TickerUse[]): Problem {
  const companies = uses.map(useText).join(', ');
  const msg =
    `'${ticker}' meant more than one company on these dates: ${companies}. ` +
    "Ask by 'ASID', for fewer dates, or without 'symbols=strict'";
  return problemAt(['query', 'symbols'], 'ambiguous_ticker', msg, ticker);
}

/** For a request with `symbols=strict` of rows that cannot be judged by it. */
function unjudged(): ApiError {
  const msg = "'symbols' should not be strict here: rows of this dataset name no companies by date";
  const place = ['query', 'symbols'] as const;
  return new ApiError('invalid', [problemAt(place, 'inapplicable_parameter', msg, 'strict')]);
}

/** Throws an ApiError 'not found' where nothing is published that tickers could be judged by. */
function requireMaster({ version, dataset }: QueryPlan): void {
  if (version !== null) return;
  const { name } = dataset;
  throw new ApiError('not found', `${name}, by which tickers are judged, is not published yet`);
}

/** Rejects as `planMaster` does and `requireMaster` throws. */
async function requiredTickers(reader: Reader): Promise<ReusedTickers> {
  const { plan, read } = await planMaster(reader, reader.services.symbolTables.reusedTickers);
  requireMaster(plan);
  return await read();
}

/** None where they cannot be known: an answer is never refused for its header. */
async function tickersForHeader(reader: Reader): Promise<ReusedTickers> {
  try {
    return await requiredTickers(reader);
  } catch (error) {
    if (error instanceof ApiError || error instanceof UnreadablePartError) return new Map();
    throw error;
  }
}

/**
 * The header `X-Symbols` of the answer, by the securities that the caller may read; none where
 * there is nothing to tell. With `symbols=strict` rejects with an ApiError 'invalid' instead, and
 * where it cannot be known.
 */
async function judgeTickers(
  reader: Reader,
  { request, plan }: PlannedRequest,
): Promise<Readonly<Record<string, string>>> {
  const { strictSymbols } = request;
  const asked = askedTickers(plan);
  if (!asked && strictSymbols) throw unjudged();
  if (!asked || asked.tickers.length === 0) return {};
  const { tickers, ids, days } = asked;
  // A ticker is one company's on any one day.
  if (days.first !== null && days.first === days.last) return {};
  const reused = await (strictSymbols ? requiredTickers(reader) : tickersForHeader(reader));
  const uses = ambiguousUses(reused, tickers, (id) => ids?.has(id) ?? true, days);
  if (uses.length === 0) return {};
  if (!strictSymbols) return { 'X-Symbols': headerText(uses) };
  const byTicker = Map.groupBy(uses, ({ ticker }) => ticker);
  throw new ApiError(
    'invalid',
    [...byTicker].map(([ticker, own]) => ambiguity(ticker, own)),
  );
}
