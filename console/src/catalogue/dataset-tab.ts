/** Which part of a dataset is shown, as the address says it. */
const TABS = ['about', 'columns', 'preview', 'coverage', 'versions', 'rules', 'requests'] as const;
export type DatasetTab = (typeof TABS)[number];

export function readDatasetTab(search: Readonly<Record<string, unknown>>): { tab?: DatasetTab } {
  const tab = TABS.find((name) => name === search.tab);
  return tab === undefined ? {} : { tab };
}
