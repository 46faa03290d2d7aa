import type { CatalogueEntry, PublicDataset } from '@ticklake/client';
import { holdsAll } from '../format/texts';
import type { CatalogueSearch } from './catalogue-search';

type Offered = 'row_count' | 'stored_bytes' | 'has_sample' | 'price';
type SearchedDataset = Omit<PublicDataset, Offered>;

const COLUMNS_SHOWN_MAX = 4;

function shownText(dataset: SearchedDataset): string {
  const { dataset_name, dataset_id, dataset_text_id = '', vendor, data_group } = dataset;
  return [dataset_name, dataset_id, dataset_text_id, vendor, data_group, dataset.time_granularity]
    .join(' ')
    .toLowerCase();
}

export function isFound(dataset: SearchedDataset, text: string): boolean {
  return holdsAll(
    [shownText(dataset), dataset.description, ...dataset.column_names].join(' '),
    text,
  );
}

/** The first columns by which a search found the dataset, where its names alone do not say why. */
export function foundColumns(dataset: SearchedDataset, text: string): readonly string[] {
  const shown = shownText(dataset);
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => !shown.includes(word));
  return dataset.column_names
    .filter((name) => words.some((word) => name.toLowerCase().includes(word)))
    .slice(0, COLUMNS_SHOWN_MAX);
}

export function groupsOf(datasets: readonly Pick<SearchedDataset, 'data_group'>[]) {
  return [...new Set(datasets.map(({ data_group: group }) => group))];
}

export function matchingEntries(
  entries: readonly CatalogueEntry[],
  { q = '', group, mine }: CatalogueSearch,
): readonly CatalogueEntry[] {
  return entries.filter(
    (entry) =>
      (group === undefined || entry.data_group === group) &&
      (!mine || entry.is_entitled) &&
      isFound(entry, q),
  );
}
