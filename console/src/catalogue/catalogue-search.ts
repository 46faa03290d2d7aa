import type { CatalogueEntry } from '@ticklake/client';

interface SearchedDataset {
  readonly dataset_id: string;
  readonly dataset_text_id?: string;
  readonly dataset_name: string;
  readonly data_group: string;
  readonly vendor: string;
  readonly description: string;
  readonly time_granularity: string;
  readonly column_names: readonly string[];
}

const COLUMNS_SHOWN_MAX = 4;

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}

function shownText(dataset: SearchedDataset): string {
  const { dataset_name, dataset_id, dataset_text_id = '', vendor, data_group } = dataset;
  return [dataset_name, dataset_id, dataset_text_id, vendor, data_group, dataset.time_granularity]
    .join(' ')
    .toLowerCase();
}

export function isFound(dataset: SearchedDataset, text: string): boolean {
  const searched = [shownText(dataset), dataset.description, dataset.column_names.join(' ')]
    .join(' ')
    .toLowerCase();
  return wordsOf(text).every((word) => searched.includes(word));
}

/** The first columns by which a search found the dataset, where its names alone do not say why. */
export function foundColumns(dataset: SearchedDataset, text: string): readonly string[] {
  const shown = shownText(dataset);
  const words = wordsOf(text).filter((word) => !shown.includes(word));
  return dataset.column_names
    .filter((name) => words.some((word) => name.toLowerCase().includes(word)))
    .slice(0, COLUMNS_SHOWN_MAX);
}

export function groupsOf(datasets: readonly Pick<SearchedDataset, 'data_group'>[]) {
  return [...new Set(datasets.map(({ data_group: group }) => group))].sort();
}

export interface CatalogueSearch {
  /** Words that all have to be found. */
  readonly q?: string;
  readonly group?: string;
  /** Only what the account may read. */
  readonly mine?: true;
}

function textOf(value: unknown): string | undefined {
  // The address may hold a text that reads as a number.
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

export function readCatalogueSearch(search: Readonly<Record<string, unknown>>): CatalogueSearch {
  const q = textOf(search.q);
  const group = textOf(search.group);
  return { ...(q && { q }), ...(group && { group }), ...(search.mine === true && { mine: true }) };
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

const TABS = ['about', 'columns', 'preview', 'coverage', 'versions', 'rules', 'requests'] as const;
export type DatasetTab = (typeof TABS)[number];

export function readDatasetTab(search: Readonly<Record<string, unknown>>): { tab?: DatasetTab } {
  const tab = TABS.find((name) => name === search.tab);
  return tab === undefined ? {} : { tab };
}
