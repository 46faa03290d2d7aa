/** The contracts that a continuous one stands for, by the daily values that the caller may read. */
import { tradingDayFrom } from '@ticklake/market/calendars.ts';
import { ApiError } from '../base/errors.ts';
import type { Column, Dataset } from '../catalog/dataset.ts';
import { type ColumnBatch, type ColumnVector, dateOfDays } from '../engine/columns.ts';
import { sizeReader, textReader } from '../engine/gathered-columns.ts';
import { rowsFingerprint } from '../engine/plan-fingerprint.ts';
import type { DateSpan, QueryPlan, Rolls } from '../engine/query-plan.ts';
import { dateColumnOf } from '../plan/conditions.ts';
import { type AskedContract, requireWholeRoot } from '../plan/continuous-plan.ts';
import { findDays } from '../plan/date-range.ts';
import type { Hint } from '../plan/hints.ts';
import type { DataRequest } from '../request/data-request.ts';
import { addDays } from '../request/literals.ts';
import { problemAt } from '../request/request-problem.ts';
import type { AskedVersion } from '../request/standard-parameters.ts';
import { KNOWN_WEEKDAYS } from '../symbology/continuous-contract.ts';
import {
  type ContractDay,
  GAP_TEXTS,
  type RollSchedule,
  rollSchedule,
} from '../symbology/roll-schedule.ts';
import { datasetFor, filterOf, readDataset } from './read-dataset.ts';
import type { Reader } from './reader.ts';

/** The dataset that ranks contracts, by its text id. */
const RANKING = 'fut_daily';
const RANKING_COLUMNS = ['TradeDate', 'Ticker', 'TotalQuantity', 'OpenInterest'];

/** Which version of the ranking is read, as a request says. */
export type AskedRanking = Pick<DataRequest, 'version' | 'rollsVersion'>;

function rankingVersion({ version, rollsVersion }: AskedRanking): AskedVersion | null {
  if (rollsVersion !== null) return { version: rollsVersion };
  return version && 'asOf' in version ? version : null;
}

function* contractDays(
  { columns, rowCount }: ColumnBatch,
  [, , quantity, interest]: readonly Column[],
): Iterable<ContractDay> {
  const [dates, tickers, quantities, interests] = columns as [
    ...[ColumnVector, ColumnVector, ColumnVector, ColumnVector],
  ];
  const tickerAt = textReader(tickers);
  const quantityAt = sizeReader(quantities, quantity as Column);
  const interestAt = sizeReader(interests, interest as Column);
  for (let row = 0; row < rowCount; row++) {
    const [quantity, openInterest] = [quantityAt(row), interestAt(row)];
    yield {
      date: dateOfDays(dates.values[row] as number),
      ticker: tickerAt(row) ?? '',
      quantity: Number.isNaN(quantity) ? 0 : quantity,
      openInterest: Number.isNaN(openInterest) ? null : openInterest,
    };
  }
}

/** Throws an ApiError 'invalid' where a symbol has no contract on any date. */
function requireSpans(
  { symbol, root, place }: AskedContract,
  { name }: Dataset,
  { spans, gaps, rankedMax }: RollSchedule,
): void {
  if (spans.length > 0) return;
  const refuse = (type: string, msg: string, ctx?: Readonly<Record<string, number>>) =>
    new ApiError('invalid', [problemAt(place, type, msg, symbol, ctx)]);
  if (gaps.length === 0) {
    throw refuse('unknown_root', `'${root}' has no contracts that you can read in ${name}`);
  }
  if (rankedMax > 0) {
    const most = `'${root}' never has more than ${rankedMax} ranked contracts at once in ${name}`;
    const last = rankedMax - 1;
    throw refuse('unknown_rank', `${most}; the last rank is ${last}`, { rank_max: last });
  }
  const figures = gaps[0]?.reason === 'no_volume' ? 'volume' : 'open interest';
  const msg = `'${symbol}' has no contract on any date: ${name} has no ${figures} of '${root}' from the ${KNOWN_WEEKDAYS} weekdays before one`;
  throw refuse('no_figures', msg);
}

/**
 * Rejects with an ApiError: 'not found' without such a dataset, or without anything published in
 * it; 'forbidden' where the caller may not read all contracts of the root; 'invalid' where none
 * ever has the rank.
 */
export async function findRolls(
  reader: Reader,
  contract: AskedContract,
  asked: AskedRanking,
): Promise<Rolls> {
  const { catalog, rollSchedules } = reader.services;
  const { known } = rollSchedules;
  const { symbol, root } = contract;
  const ranking = datasetFor(catalog, RANKING, 'which ranks contracts');
  const reading = await readDataset(reader, ranking, {
    columns: RANKING_COLUMNS,
    filters: [filterOf('BaseSymbol', 'eq', root)],
    version: rankingVersion(asked),
  });
  requireWholeRoot(ranking, reading.rules, root);
  const { version } = reading.plan;
  if (version === null) {
    throw new ApiError('not found', `${ranking.name}, which ranks contracts, is not published yet`);
  }
  const keyOf = (plan: QueryPlan) => `${symbol} ${rowsFingerprint(plan)}`;
  const readInTurn = () =>
    reading.inTurn(async ({ plan, rules, batches }) => {
      requireWholeRoot(ranking, rules, root);
      const days: ContractDay[] = [];
      for await (const batch of batches) days.push(...contractDays(batch, plan.columns));
      const schedule = rollSchedule(contract, days);
      known.set(keyOf(plan), schedule);
      return schedule;
    });
  const schedule = known.get(keyOf(reading.plan)) ?? (await readInTurn());
  requireSpans(contract, ranking, schedule);
  const { spans, gaps, lastDate, next: ticker } = schedule;
  const after = lastDate && tradingDayFrom(ranking.calendar, addDays(lastDate, 1), root);
  const next = ticker === null || after === null ? null : { ticker, start: after, end: after };
  return { symbol, root, ranking, version, spans, gaps, next };
}

/** A header stays short. */
const TOLD_MAX = 30;

/** The value of a header that names many: the first of them, and how many more there are. */
export function firstOf(texts: readonly string[]): string {
  const rest = texts.length - TOLD_MAX;
  return [...texts.slice(0, TOLD_MAX), ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
}

/** Spans that overlap the dates of the plan. */
function onDates<T extends DateSpan>(
  { dataset, predicates }: QueryPlan,
  spans: readonly T[],
): readonly T[] {
  const { first, last } = findDays(dateColumnOf(dataset), predicates);
  return spans.filter(
    ({ start, end }) => (last === null || start <= last) && (first === null || end >= first),
  );
}

/** Why a continuous contract stands for none on dates of the plan; null: it always does. */
export function gapHint(plan: QueryPlan): Hint | null {
  const [gap] = plan.rolls ? onDates(plan, plan.rolls.gaps) : [];
  if (!plan.rolls || !gap) return null;
  const { symbol } = plan.rolls;
  const text = `'${symbol}' has no contract from ${gap.start} to ${gap.end}. ${GAP_TEXTS[gap.reason]}`;
  return { code: 'no_contract', text };
}

/** `X-Rolls` has the spans that meet the dates of the plan; `symbology/rolls` tells of all. */
export function rollHeaders(plan: QueryPlan): Record<string, string> {
  const { rolls } = plan;
  if (!rolls) return {};
  const texts = onDates(plan, rolls.spans).map(
    ({ ticker, start, end }) => `${encodeURIComponent(ticker)} ${start}/${end}`,
  );
  return {
    'X-Rolls-Version': `${rolls.version}`,
    ...(texts.length > 0 && { 'X-Rolls': firstOf(texts) }),
  };
}
