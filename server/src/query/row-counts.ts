/** Exact numbers of rows, of a whole request or by the values of a column. */
import { ApiError } from '../base/errors.ts';
import type { Column } from '../catalog/dataset.ts';
import { rowsAtLeast, rowsAtMost } from '../delivery/manifest.ts';
import { cellText } from '../engine/cell-text.ts';
import { type ColumnBatch, cellAt } from '../engine/columns.ts';
import { ROW_COUNT } from '../engine/groups.ts';
import { type GroupedPlan, isMade, type QueryPlan } from '../engine/query-plan.ts';
import { planSource } from '../intervals/plan-source.ts';
import { EVERY_ROW } from '../plan/plan-bulk.ts';
import { problemAt } from '../request/request-problem.ts';
import type { PlannedRequest } from './plan-request.ts';
import { countScan, type Reader } from './reader.ts';

/** Stored rows that are read to count them. */
export const COUNTED_ROWS_MAX = 20_000_000;
/** Each row that is made takes far longer. */
const MADE_ROWS_MAX = 2_000_000;

/** Rows by the values of a column, '' where they have none; without a column, all by ''. */
export async function countRows(
  plan: QueryPlan,
  column: Column | null,
  read: (plan: GroupedPlan) => AsyncIterable<ColumnBatch>,
): Promise<ReadonlyMap<string, number>> {
  const keys = column ? [column] : [];
  const groups = { keys: keys.map((key) => ({ column: key })), measures: [ROW_COUNT.measure] };
  const page = { columns: [...keys, ROW_COUNT.column], sort: [], offset: 0, limit: EVERY_ROW };
  const counts = new Map<string, number>();
  for await (const batch of read({ ...plan, ...page, groups })) {
    for (let row = 0; row < batch.rowCount; row++) {
      const [value = null, count = value] = batch.columns.map((vector) => cellAt(vector, row));
      const text = column && cellText(column, value, plan.dataset.timeZone);
      counts.set(text ?? '', Number(count));
    }
  }
  return counts;
}

function tooMany(most: number): ApiError {
  const msg = `'count' reads at most ${most} rows: ask for fewer dates or identifiers`;
  return new ApiError('invalid', [problemAt(['query', 'count'], 'too_many_rows', msg, 'exact')]);
}

type PageEnd = { readonly rowCount: number; readonly nextOffset: number | null };

/** Told by the first page if there is no other one, or by the index; null: neither knows. */
export function knownTotal(
  { plan }: PlannedRequest,
  { rowCount, nextOffset }: PageEnd,
): number | null {
  if (nextOffset === null) return rowCount;
  const most = rowsAtMost(plan);
  return rowsAtLeast(plan) === most ? most : null;
}

/**
 * Counts the rows in the turn and by the plan of their page unless the number is known. They are
 * charged as scanned like the page. Rejects with an ApiError 'invalid' where there are too many.
 */
export async function totalRows(
  reader: Reader,
  planned: PlannedRequest,
  page: PageEnd,
  signal: AbortSignal,
): Promise<number> {
  const known = knownTotal(planned, page);
  if (known !== null) return known;
  const { plan } = planned;
  const limit = isMade(plan) ? MADE_ROWS_MAX : COUNTED_ROWS_MAX;
  if (plan.scannedRows > limit) throw tooMany(limit);
  countScan(reader, plan);
  const rowsOf = (grouped: GroupedPlan) => planSource(reader.services, grouped, signal).rows();
  return (await countRows(plan, null, rowsOf)).get('') ?? 0;
}
