/**
 * The rows of any plan, as formats want them: those that the engine finds, or others that are made
 * of them on their way to the renderer, longer bars and rows restated on request. What is made the
 * engine sorts and writes as it does its own.
 */
import type { FactorTables } from '../adjustments/factor-events.ts';
import { restatingReader } from '../adjustments/restated-reader.ts';
import { ApiError } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { BarRule, BarRules } from '../catalog/interval.ts';
import {
  batchOfRows,
  type CellValue,
  type ColumnBatch,
  type ColumnVector,
  daysOfDate,
} from '../engine/columns.ts';
import { type EngineReader, OutOfRangeError } from '../engine/engine.ts';
import { walkFingerprint } from '../engine/plan-fingerprint.ts';
import {
  type GroupedPlan,
  isGrouped,
  isMade,
  type PlannedBars,
  type QueryPlan,
  rowsOfGroups,
  sortedColumns,
} from '../engine/query-plan.ts';
import { type RowSource, rowSource } from '../engine/row-source.ts';
import type { WalkPositions } from '../engine/walk-positions.ts';
import { columnOf, dateColumnOf } from '../plan/conditions.ts';
import { EVERY_ROW, filePlansOf, type MayBegin } from '../plan/plan-bulk.ts';
import { alternatives, problemAt } from '../request/request-problem.ts';
import { type BarClock, barClock } from './bar-clock.ts';
import { OpenBars } from './open-bars.ts';
import { sessionReader } from './session-rows.ts';

/** Tools for reading and computing rows. */
export interface RowTools {
  readonly engine: Pick<
    EngineReader,
    'scan' | 'text' | 'parquet' | 'writeParquet' | 'sortRows' | 'aggregate'
  >;
  readonly factorTables: FactorTables;
  readonly madeWalks: WalkPositions;
}

/** Rows that are made for a sort or for groups: all of them for the first page. */
const GATHERED_ROWS_MAX = 2_000_000;

/** The page of a plan, in natural order whatever its sort. */
function madeRows(
  tools: RowTools,
  plan: QueryPlan,
  signal: AbortSignal,
): AsyncIterable<ColumnBatch> {
  const reader = sessionReader(restatingReader(tools), tools.madeWalks);
  if (!isOfBars(plan)) return reader.scan(plan, signal);
  const walk = tools.madeWalks.of(walkFingerprint(plan));
  const { dataset, columns, offset, limit } = plan;
  const rules = requireRules(dataset);
  const { ordinal, row: source } = walk.before(offset).point;
  const stored = storedPlan(plan, rules, source);
  let readCount = source;
  const onNoneOpen = (row: number, closedCount: number) => {
    const point = { ordinal: ordinal + closedCount, file: 0, row: readCount + row };
    // Pages that follow begin no later.
    if (point.ordinal <= offset + limit) walk.add(point);
  };
  const clock = clockOf(plan);
  const bars = new OpenBars({ dataset, rules, clock, columns, asked: plan.bars, onNoneOpen });
  const names = stored.columns.map(({ name }) => name);
  const rows = barRows(reader.scan(stored, signal), names, bars, (rowCount) => {
    readCount += rowCount;
  });
  return inBatches(slice(rows, offset - ordinal, limit + 1), plan);
}

function tooManyRows({ sort }: QueryPlan, rowsMax: number): ApiError {
  const most = rowsMax.toLocaleString('en-US');
  if (sort.length === 0) {
    const msg =
      `At most ${most} rows that are adjusted on request or of a session can be aggregated: ask for ` +
      'fewer dates or identifiers';
    return new ApiError('invalid', [problemAt(['query', 'select'], 'too_many_rows', msg, null)]);
  }
  const msg =
    `At most ${most} rows that are adjusted on request or built with interval can be sorted: ask for ` +
    'fewer dates or identifiers, or leave out sort';
  const text = sort.map(({ column, descending }) => (descending ? '-' : '') + column.name).join();
  return new ApiError('invalid', [problemAt(['query', 'sort'], 'too_many_rows', msg, text)]);
}

/** All rows that the plan sorts or groups. */
async function* allRows(
  tools: RowTools,
  plan: QueryPlan,
  rowsMax: number,
  signal: AbortSignal,
): AsyncGenerator<ColumnBatch> {
  const all = { ...plan, columns: sortedColumns(plan), offset: 0, limit: EVERY_ROW };
  let rowCount = 0;
  for await (const batch of madeRows(tools, all, signal)) {
    rowCount += batch.rowCount;
    if (rowCount > rowsMax) throw tooManyRows(plan, rowsMax);
    yield batch;
  }
}

/** Tells of the measures that engines compute exactly, or not at all. */
function outOfRange({ columns, groups: { keys, measures } }: GroupedPlan): ApiError {
  const names = measures.flatMap(({ kind, columns: [column] }, m) => {
    const isExact = kind === 'stddev' || column?.dataType === 'decimal';
    return isExact ? (columns[keys.length + m]?.name ?? []) : [];
  });
  const msg = `Values of these rows are too large for ${alternatives(names)} in 'select'`;
  return new ApiError('invalid', [
    problemAt(['query', 'select'], 'out_of_range', msg, names.join(',')),
  ]);
}

/** The groups of a plan; the engine finds their rows where these are not made. */
async function* groupsOf(
  tools: RowTools,
  plan: GroupedPlan,
  rowsMax: number,
  signal: AbortSignal,
): AsyncIterable<ColumnBatch> {
  const rows = rowsOfGroups(plan);
  const made = (whileWanted: AbortSignal) => allRows(tools, rows, rowsMax, whileWanted);
  try {
    yield* tools.engine.aggregate(plan, signal, isMade(rows) ? made : undefined);
  } catch (error) {
    throw error instanceof OutOfRangeError ? outOfRange(plan) : error;
  }
}

/** Sorts and groups at most `gatheredRowsMax` computed rows. */
export function planSource(
  tools: RowTools,
  plan: QueryPlan,
  signal: AbortSignal,
  gatheredRowsMax = GATHERED_ROWS_MAX,
): RowSource {
  const { engine } = tools;
  if (!isMade(plan)) return rowSource(engine, plan, signal);
  const rows = () => {
    if (isGrouped(plan)) return groupsOf(tools, plan, gatheredRowsMax, signal);
    return plan.sort.length === 0
      ? madeRows(tools, plan, signal)
      : engine.sortRows(
          plan,
          (whileWanted) => allRows(tools, plan, gatheredRowsMax, whileWanted),
          signal,
        );
  };
  return { rows, parquet: (times) => engine.writeParquet(plan, rows(), signal, times) };
}

/** The plans of the files of a request, in natural order, no bar of which lies in two. */
export function planFiles(plan: QueryPlan): QueryPlan[] {
  return filePlansOf(plan, isOfBars(plan) ? barBorders(plan) : undefined);
}

const BATCH_ROWS = 2048;

export type BarPlan = QueryPlan & { readonly bars: PlannedBars };

function isOfBars(plan: QueryPlan): plan is BarPlan {
  return plan.bars !== undefined;
}

function columnsOfRule(rule: BarRule | undefined): string[] {
  return rule && 'other' in rule ? [rule.other] : [];
}

/** The columns to read for those of the bars. */
function storedColumns({ dataset, columns }: QueryPlan, rules: BarRules): string[] {
  const asked = columns.filter(({ name }) => rules.columns.has(name)).map(({ name }) => name);
  const others = asked.flatMap((name) => columnsOfRule(rules.columns.get(name)));
  const time = rules.time === null ? [] : [rules.time];
  return [...new Set([dateColumnOf(dataset).name, ...time, ...rules.by, ...asked, ...others])];
}

/** The plan of the stored bars, past so many of them. */
function storedPlan(plan: QueryPlan, rules: BarRules, offset: number): QueryPlan {
  const { bars, ...stored } = plan;
  const columns = storedColumns(plan, rules).map((name) => columnOf(plan.dataset, name));
  const page = { columns, sort: [], offset, limit: EVERY_ROW - offset };
  return { ...stored, ...bars?.sessions?.rows, ...page };
}

/** The rows from `offset` on, and as many as `count` of them. */
async function* slice(
  rows: AsyncIterable<CellValue[]>,
  offset: number,
  count: number,
): AsyncGenerator<CellValue[]> {
  let passed = 0;
  for await (const row of rows) {
    if (passed++ < offset) continue;
    yield row;
    if (passed - offset === count) return;
  }
}

/** Prefetches: each item is requested while the one before is processed. */
async function* oneAhead<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item> {
  const iterator = items[Symbol.asyncIterator]();
  let next = iterator.next();
  try {
    for (;;) {
      const { done, value } = await next;
      if (done) return;
      next = iterator.next();
      // The next batch may fail before anybody waits for it.
      next.catch(() => {});
      yield value;
    }
  } finally {
    await iterator.return?.();
  }
}

async function* barRows(
  batches: AsyncIterable<ColumnBatch>,
  columns: readonly string[],
  bars: OpenBars,
  onBatch: (rowCount: number) => void,
): AsyncGenerator<CellValue[]> {
  const places = new Map(columns.map((name, place) => [name, place]));
  for await (const batch of oneAhead(batches)) {
    const vectors = (name: string) => batch.columns[places.get(name) as number] as ColumnVector;
    yield* bars.add({ rowCount: batch.rowCount, vectors });
    onBatch(batch.rowCount);
    batch.release?.();
  }
  yield* bars.end();
}

async function* inBatches(
  rows: AsyncIterable<CellValue[]>,
  { columns }: QueryPlan,
): AsyncGenerator<ColumnBatch> {
  let gathered: CellValue[][] = [];
  for await (const row of rows) {
    gathered.push(row);
    if (gathered.length < BATCH_ROWS) continue;
    yield batchOfRows(columns, gathered);
    gathered = [];
  }
  if (gathered.length > 0) yield batchOfRows(columns, gathered);
}

function requireRules({ intervals, textId }: Dataset): BarRules {
  if (intervals === null) throw new Error(`rows of ${textId} are no bars`);
  return intervals;
}

function clockOf({ dataset, session, bars: { interval, firstDate } }: BarPlan): BarClock {
  const first = firstDate === null ? null : daysOfDate(firstDate);
  return barClock(dataset, requireRules(dataset), interval, {
    firstDate: first,
    session: session ?? null,
  });
}

/** With which days files of longer bars may begin, so that no bar lies in two. */
function barBorders(plan: BarPlan): MayBegin {
  const clock = clockOf(plan);
  return (day) => clock.beginsOn(daysOfDate(day));
}
