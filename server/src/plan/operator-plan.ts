/**
 * The plan of an operator's own reads, such as exports and checks: all that is published of a dataset.
 * It is granted without rules, and so this is the one place that makes it, which nothing that answers
 * requests may import; a test looks.
 */
import type { Dataset } from '../catalog/dataset.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import type { DatasetSnapshot } from '../lake/snapshot.ts';

export function operatorPlan(dataset: Dataset, snapshot: DatasetSnapshot): QueryPlan {
  return {
    dataset,
    version: snapshot.version,
    parts: snapshot.parts,
    predicates: [],
    grants: [{ window: null, universe: null }],
    closedDates: null,
    columns: dataset.columns,
    sort: [],
    offset: 0,
    // One more is read, to tell whether there are more.
    limit: Number.MAX_SAFE_INTEGER - 1,
    scannedRows: snapshot.rowCount,
    scannedBytes: snapshot.byteCount,
  };
}
