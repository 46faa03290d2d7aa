/**
 * The rows of any plan, as formats want them: those that the engine finds, or others that are made of them on their way
 * to the renderer, longer bars and rows restated on request. What is made the engine sorts and writes as it does its own.
 */
import type { FactorTables } from '../adjustments/factor-tables.ts';
import { restatingReader } from '../adjustments/restated-reader.ts';
import { ApiError } from '../base/errors.ts';
import type { ColumnBatch } from '../engine/columns.ts';
import type { EngineReader } from '../engine/engine.ts';
import type { MadeWalks } from '../engine/made-walks.ts';
import { isMade, type QueryPlan, sortedColumns } from '../engine/query-plan.ts';
import { type RowSource, rowSource } from '../engine/row-source.ts';
import { EVERY_ROW, filePlansOf } from '../plan/plan-bulk.ts';
import { problemAt } from '../request/request-problem.ts';
import { barBorders, isOfBars, longerBars } from './longer-bars.ts';

/** What rows are read and made with. */
export interface RowTools {
  readonly engine: Pick<EngineReader, 'scan' | 'parquet' | 'writeParquet' | 'sortRows'>;
  readonly factorTables: FactorTables;
  readonly madeWalks: MadeWalks;
}

/** Rows of a walk that are made for a sort: all of them for its first page. */
export const SORTED_MADE_ROWS_MAX = 2_000_000;

/** The page of a plan, in natural order whatever its sort. */
function madeRows(
  tools: RowTools,
  plan: QueryPlan,
  signal: AbortSignal,
): AsyncIterable<ColumnBatch> {
  const reader = restatingReader(tools);
  if (!isOfBars(plan)) return reader.scan(plan, signal);
  return longerBars(reader, plan, tools.madeWalks.of(plan), signal);
}

function tooManyRows({ sort }: QueryPlan, rowsMax: number): ApiError {
  const most = rowsMax.toLocaleString('en-US');
  const msg =
    `At most ${most} rows that are adjusted on request or built with interval can be sorted: ask for ` +
    'fewer dates or identifiers, or leave out sort';
  const text = sort.map(({ column, descending }) => (descending ? '-' : '') + column.name).join();
  return new ApiError('invalid', [problemAt(['query', 'sort'], 'too_many_rows', msg, text)]);
}

/** All rows that the plan sorts. */
async function* rowsToSort(
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

/** Of rows that are made, at most `sortedRowsMax` are sorted. */
export function planSource(
  tools: RowTools,
  plan: QueryPlan,
  signal: AbortSignal,
  sortedRowsMax = SORTED_MADE_ROWS_MAX,
): RowSource {
  const { engine } = tools;
  if (!isMade(plan)) return rowSource(engine, plan, signal);
  const rows = () =>
    plan.sort.length === 0
      ? madeRows(tools, plan, signal)
      : engine.sortRows(
          plan,
          (whileWanted) => rowsToSort(tools, plan, sortedRowsMax, whileWanted),
          signal,
        );
  return { rows, parquet: (times) => engine.writeParquet(plan, rows(), signal, times) };
}

/** The plans of the files of a request, in natural order, no bar of which lies in two. */
export function planFiles(plan: QueryPlan): QueryPlan[] {
  return filePlansOf(plan, isOfBars(plan) ? barBorders(plan) : undefined);
}
