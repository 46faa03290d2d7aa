/** The exact number of rows of a whole request. */
import { ApiError } from '../base/errors.ts';
import { rowsAtLeast, rowsAtMost } from '../delivery/manifest.ts';
import { cellAt } from '../engine/columns.ts';
import { ROW_COUNT } from '../engine/groups.ts';
import { isMade } from '../engine/query-plan.ts';
import { planSource } from '../intervals/plan-source.ts';
import { problemAt } from '../request/request-problem.ts';
import type { PlannedRequest } from './plan-request.ts';
import { countScan, type Reader } from './reader.ts';

/** Rows that are read to count them; of those that are made, each takes far longer. */
const STORED_ROWS_MAX = 20_000_000;
const MADE_ROWS_MAX = 2_000_000;

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
  const limit = isMade(plan) ? MADE_ROWS_MAX : STORED_ROWS_MAX;
  if (plan.scannedRows > limit) throw tooMany(limit);
  countScan(reader, plan);
  const groups = { keys: [], measures: [ROW_COUNT.measure] };
  const counted = { ...plan, groups, columns: [ROW_COUNT.column], sort: [], limit: 1 };
  let total = 0;
  for await (const { rowCount, columns } of planSource(reader.services, counted, signal).rows()) {
    const [vector] = columns;
    if (vector && rowCount > 0) total = Number(cellAt(vector, 0));
  }
  return total;
}
