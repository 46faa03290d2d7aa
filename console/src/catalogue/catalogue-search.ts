import { readEach, readSearchText, readTab, type Search, textOf } from '../layout/known-search';

export type CatalogueSearch = ReturnType<typeof readCatalogueSearch>;

/** Words that all have to be found, a group, and `mine`: only what the account may read. */
export function readCatalogueSearch(search: Search) {
  const texts = readEach(['q', 'group'], search, textOf);
  return { ...texts, ...(search.mine === true && { mine: true as const }) };
}

const TABS = ['about', 'columns', 'preview', 'coverage', 'versions', 'rules', 'requests'] as const;
export type DatasetTab = (typeof TABS)[number];

/** The tab, and the search of the table in it. */
export const readDatasetTab = (search: Search) => ({
  ...readTab(TABS, search),
  ...readSearchText(search),
});
