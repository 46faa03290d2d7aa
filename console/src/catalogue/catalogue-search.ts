import { readEach, readSearchText, readTab, type Search, textOf } from '../layout/known-search';

export interface CatalogueSearch {
  /** Words that all have to be found. */
  readonly q?: string;
  readonly group?: string;
  /** Only what the account may read. */
  readonly mine?: true;
}

export function readCatalogueSearch(search: Search): CatalogueSearch {
  const texts = readEach(['q', 'group'], search, textOf);
  return { ...texts, ...(search.mine === true && { mine: true }) };
}

const TABS = ['about', 'columns', 'preview', 'coverage', 'versions', 'rules', 'requests'] as const;
export type DatasetTab = (typeof TABS)[number];

/** The tab, and the search of the table in it. */
export const readDatasetTab = (search: Search) => ({
  ...readTab(TABS, search),
  ...readSearchText(search),
});
