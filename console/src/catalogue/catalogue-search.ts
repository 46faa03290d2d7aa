/** The filter of the dataset list, kept in the address. */
import type { CatalogueEntry } from '@ticklake/client';
import { isFound } from './found-datasets';

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

/** The entries that the search finds, of the group, and that the account may read where only those are asked for. */
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
