/** The ways in which rows take their place among those that are published. */
import type { Dataset } from '../catalog/dataset.ts';
import type { RemovedRows } from '../engine/engine.ts';

export const PUBLISH_MODES = [
  'replace-dates',
  'replace',
  'replace-identifiers',
  'append',
  'replace-all',
] as const;
/**
 * `replace-dates`: the dates that the rows have are replaced, others stay. `replace`: the same of the partitions
 * that they fall into. `replace-identifiers`: in these partitions the rows of the identifiers are
 * replaced that the new ones have. `append`: the rows are merged into them, behind the rows of equal
 * keys. `replace-all`: other partitions are dropped.
 */
export type PublishMode = (typeof PUBLISH_MODES)[number];

type Dated = Pick<Dataset, 'dateColumn' | 'partitioning' | 'isTimeSeries'>;

/** What a load does to which nobody has said: lists and events that are one file are replaced whole. */
export function defaultMode({
  dateColumn,
  partitioning,
  isTimeSeries,
}: Dated): 'replace-dates' | 'replace' {
  const isByDate = dateColumn !== null && (isTimeSeries || partitioning.unit !== 'whole');
  return isByDate ? 'replace-dates' : 'replace';
}

const REMOVED: Readonly<Record<PublishMode, RemovedRows | null>> = {
  'replace-dates': { dates: 'staged', identifiers: null },
  replace: null,
  'replace-identifiers': { dates: null, identifiers: 'staged' },
  append: { dates: null, identifiers: [] },
  'replace-all': null,
};

/** How rows take their place in a dataset. */
export interface Placing {
  readonly dataset: Dataset;
  readonly mode: PublishMode;
  /** Which rows do not stay of the partitions that are written; absent: as `mode` says. */
  readonly removed?: RemovedRows | undefined;
}

/** Which rows do not stay of a partition that is written; null: none stays. */
export function removedOf({ dataset, mode, removed }: Placing): RemovedRows | null {
  const { dateColumn, partitioning } = dataset;
  const isOfOneDate = partitioning.unit === 'day' && partitioning.column === dateColumn;
  const isWhole = mode === 'replace-dates' && (isOfOneDate || dateColumn === null);
  return removed ?? (isWhole ? null : REMOVED[mode]);
}
