/** The words that a list is searched for, as the address says them. */
export function readSearchText(search: Readonly<Record<string, unknown>>): { q?: string } {
  const { q } = search;
  // The address may hold a text that reads as a number.
  const text = typeof q === 'string' || typeof q === 'number' ? String(q) : '';
  return text === '' ? {} : { q: text };
}
