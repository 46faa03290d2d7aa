/** The filter of the dataset list, kept in the address. */
import type { DatasetRow } from '@ticklake/client';

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

function searchedText(row: DatasetRow): string {
  const { dataset_name, dataset_id, dataset_text_id = '', vendor } = row;
  return [dataset_name, dataset_id, dataset_text_id, vendor].join(' ').toLowerCase();
}

/** The rows that hold every word, of the group, and of `ownIds` where only those are asked for. */
export function matchingRows(
  rows: readonly DatasetRow[],
  { q = '', group, mine }: CatalogueSearch,
  ownIds: ReadonlySet<string>,
): readonly DatasetRow[] {
  const words = q.toLowerCase().split(/\s+/);
  return rows.filter(
    (row) =>
      (group === undefined || row.data_group === group) &&
      (!mine || ownIds.has(row.dataset_id)) &&
      words.every((word) => searchedText(row).includes(word)),
  );
}

/** Each once, in the order of the alphabet. */
export function groupsOf(rows: readonly DatasetRow[]): readonly string[] {
  return [...new Set(rows.map((row) => row.data_group))].sort();
}
