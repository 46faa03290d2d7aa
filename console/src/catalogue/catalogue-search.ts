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

const TABS = ['about', 'columns', 'preview', 'coverage', 'versions', 'rules', 'requests'] as const;
export type DatasetTab = (typeof TABS)[number];

export function readDatasetTab(search: Readonly<Record<string, unknown>>): { tab?: DatasetTab } {
  const tab = TABS.find((name) => name === search.tab);
  return tab === undefined ? {} : { tab };
}
