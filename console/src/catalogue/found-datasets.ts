/** Which datasets a search finds: by their names, their descriptions and their columns. */

/** What a search looks at; signed in or not. */
export interface SearchedDataset {
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

/** What stands in the list itself. */
function shownText(dataset: SearchedDataset): string {
  const { dataset_name, dataset_id, dataset_text_id = '', vendor, data_group } = dataset;
  return [dataset_name, dataset_id, dataset_text_id, vendor, data_group, dataset.time_granularity]
    .join(' ')
    .toLowerCase();
}

/** Whether every word of the text stands somewhere in the dataset. */
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

/** Names of data groups, each once, in the order of the alphabet. */
export function groupsOf(datasets: readonly Pick<SearchedDataset, 'data_group'>[]) {
  return [...new Set(datasets.map(({ data_group: group }) => group))].sort();
}
