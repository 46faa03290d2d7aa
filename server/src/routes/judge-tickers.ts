/** Tells, or refuses, tickers that meant more than one company on the dates that a request asks for. */
import { ApiError, type Problem } from '../base/errors.ts';
import { UnreadablePartError } from '../engine/engine.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import { askedTickers } from '../plan/asked-tickers.ts';
import { problemAt } from '../request/request-problem.ts';
import { ambiguousUses, type ReusedTickers, type TickerUse } from '../symbology/reused-tickers.ts';
import { endOf } from '../symbology/security.ts';
import type { PlannedRequest } from './answer-page.ts';
import type { KeyedExchange } from './endpoint.ts';
import { planMaster } from './known-securities.ts';

/** A header stays short; `symbols=strict` tells of all. */
const TOLD_MAX = 30;

function refusal(type: string, msg: string, input: string): Problem {
  return problemAt(['query', 'symbols'], type, msg, input);
}

function useText({ id, start, end }: TickerUse): string {
  return `${id} ${start}/${endOf(end) ?? '..'}`;
}

export function headerText(uses: readonly TickerUse[]): string {
  const told = uses
    .slice(0, TOLD_MAX)
    .map((use) => `${encodeURIComponent(use.ticker)} ${useText(use)}`);
  const rest = uses.length - told.length;
  return [...told, ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
}

function ambiguity(ticker: string, uses: readonly TickerUse[]): Problem {
  const companies = uses.map(useText).join(', ');
  const msg =
    `'${ticker}' meant more than one company on these dates: ${companies}. ` +
    "Ask by 'ASID', for fewer dates, or without 'symbols=strict'";
  return refusal('ambiguous_ticker', msg, ticker);
}

/** For a request with `symbols=strict` of rows that cannot be judged by it. */
export function unjudged(): ApiError {
  const msg = "'symbols' should not be strict here: rows of this dataset name no companies by date";
  return new ApiError('invalid', [refusal('inapplicable_parameter', msg, 'strict')]);
}

/** Throws an ApiError 'not found' where nothing is published that tickers could be judged by. */
export function requireMaster({ version, dataset }: QueryPlan): void {
  if (version !== null) return;
  const { name } = dataset;
  throw new ApiError('not found', `${name}, by which tickers are judged, is not published yet`);
}

/** Rejects as `planMaster` does and `requireMaster` throws. */
async function requiredTickers(exchange: KeyedExchange): Promise<ReusedTickers> {
  const { plan, read } = await planMaster(exchange, exchange.services.symbolTables.reusedTickers);
  requireMaster(plan);
  return await read();
}

/** None where they cannot be known: an answer is never refused for its header. */
async function tickersForHeader(exchange: KeyedExchange): Promise<ReusedTickers> {
  try {
    return await requiredTickers(exchange);
  } catch (error) {
    if (error instanceof ApiError || error instanceof UnreadablePartError) return new Map();
    throw error;
  }
}

/**
 * The header `X-Symbols` of the answer, by the securities that the caller may read; none where there is nothing to tell.
 * With `symbols=strict` rejects with an ApiError 'invalid' instead, and where it cannot be known.
 */
export async function judgeTickers(
  exchange: KeyedExchange,
  { request, plan }: PlannedRequest,
): Promise<Readonly<Record<string, string>>> {
  const { strictSymbols } = request;
  const asked = askedTickers(plan);
  if (!asked && strictSymbols) throw unjudged();
  if (!asked || asked.tickers.length === 0) return {};
  const { tickers, ids, days } = asked;
  // A ticker is one company's on any one day.
  if (days.first !== null && days.first === days.last) return {};
  const reused = await (strictSymbols ? requiredTickers(exchange) : tickersForHeader(exchange));
  const uses = ambiguousUses(reused, tickers, (id) => ids?.has(id) ?? true, days);
  if (uses.length === 0) return {};
  if (!strictSymbols) return { 'X-Symbols': headerText(uses) };
  const byTicker = Map.groupBy(uses, ({ ticker }) => ticker);
  throw new ApiError(
    'invalid',
    [...byTicker].map(([ticker, own]) => ambiguity(ticker, own)),
  );
}
