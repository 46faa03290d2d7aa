/**
 * A plan for all rows of parts, by nobody's rules: for what moves rows, computes from them or
 * checks them. It is the one place that makes such a plan, and `scripts/import-rules.ts` keeps it
 * from whatever answers requests.
 */
import type { Dataset } from '../catalog/dataset.ts';
import type { Part } from './part.ts';
import type { Grant, QueryPlan } from './query-plan.ts';

const ALL_ROWS: Grant = { window: null, universe: null };

/** In natural order. */
export function planOfAll(dataset: Dataset, parts: readonly Part[]): QueryPlan {
  return {
    ...{ dataset, version: null, parts, predicates: [], grants: [ALL_ROWS], closedDates: null },
    ...{ columns: dataset.columns, sort: [], offset: 0, limit: Number.MAX_SAFE_INTEGER - 1 },
    scannedRows: parts.reduce((sum, { rowCount }) => sum + rowCount, 0),
    scannedBytes: parts.reduce((sum, { byteCount }) => sum + byteCount, 0),
  };
}
