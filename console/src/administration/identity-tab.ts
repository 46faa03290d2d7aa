/** Which part of an identity is shown, as the address says it. */
const TABS = ['settings', 'limits', 'rules', 'keys', 'usage', 'people'] as const;
export type IdentityTab = (typeof TABS)[number];

export function readIdentityTab(search: Readonly<Record<string, unknown>>): { tab?: IdentityTab } {
  const tab = TABS.find((name) => name === search.tab);
  return tab === undefined ? {} : { tab };
}
