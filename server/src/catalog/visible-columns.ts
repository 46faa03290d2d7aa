/** Datasets of which only some columns exist for whoever reads them. */
import { LRUCache } from 'lru-cache';
import { type Dataset, withColumns } from './dataset.ts';

/** By these columns rows are found, told apart and put in order, so that nobody reads without. */
export function keyColumnsOf(dataset: Dataset): string[] {
  const { naturalOrder, identifierColumns, universeColumns, requiredFilters, intervals } = dataset;
  const { dateColumn, rootColumn, alsoStoredBy } = dataset;
  const single = [dateColumn, rootColumn, alsoStoredBy, intervals?.time ?? null];
  const lists = [naturalOrder, identifierColumns, universeColumns, requiredFilters];
  const all = [...lists.flat(), ...(intervals?.by ?? []), ...single];
  return [...new Set(all.filter((name) => name !== null))];
}

const KEPT_OF_DATASET_MAX = 100;

/** Kept, so that what is known of the dataset stays known. */
const known = new WeakMap<Dataset, LRUCache<string, Dataset>>();

function cut(dataset: Dataset, visible: ReadonlySet<string>): Dataset {
  const { columns, intervals } = dataset;
  const shown = columns.filter(({ name }) => visible.has(name));
  const kept: Dataset = { ...withColumns(dataset, shown), hidesColumns: true };
  if (intervals === null) return kept;
  const rules = [...intervals.columns].filter(
    ([name, rule]) => visible.has(name) && !('other' in rule && !visible.has(rule.other)),
  );
  return { ...kept, intervals: { ...intervals, columns: new Map(rules) } };
}

/**
 * The dataset without its other columns, and without columns of longer bars that are made by one of
 * them.
 */
export function withVisibleColumns(dataset: Dataset, visible: ReadonlySet<string>): Dataset {
  if (dataset.columns.every(({ name }) => visible.has(name))) return dataset;
  const ofDataset = known.get(dataset) ?? new LRUCache({ max: KEPT_OF_DATASET_MAX });
  known.set(dataset, ofDataset);
  const key = [...visible].sort().join();
  const before = ofDataset.get(key);
  if (before) return before;
  const made = cut(dataset, visible);
  ofDataset.set(key, made);
  return made;
}
