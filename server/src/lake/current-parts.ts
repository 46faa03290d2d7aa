/** A dataset's parts as a publication sees them: published ones, replaced by those it has staged */
import type { IndexedPart, LakeIndex } from '../store/lake-index.ts';

export interface CurrentParts {
  /** The published version; 0: none. */
  readonly version: number;
  readonly parts: readonly IndexedPart[];
  /** The publication's staged parts, by key; null if the partition will be gone. */
  readonly staged: ReadonlyMap<string, IndexedPart | null>;
  /** Null: the partition has no rows. */
  partOf(key: string): IndexedPart | null;
  /** The id of the part that is published; null: none. */
  baseOf(key: string): number | null;
}

/** `publicationId` null: what is published. */
export async function currentParts(
  index: LakeIndex,
  publicationId: number | null,
  datasetId: string,
): Promise<CurrentParts> {
  const published = await index.versions.version(datasetId);
  const changes =
    publicationId === null ? [] : await index.versions.staged(publicationId, datasetId);
  const staged = new Map(changes?.map(({ key, part }) => [key, part]));
  const bases = new Map(published?.parts.map(({ key, id }) => [key, id]));
  const parts = new Map(published?.parts.map((part) => [part.key, part]));
  for (const [key, part] of staged) {
    if (part) parts.set(key, part);
    else parts.delete(key);
  }
  return {
    version: published?.version ?? 0,
    parts: [...parts.values()].sort((a, b) => (a.key < b.key ? -1 : 1)),
    staged,
    partOf: (key) => parts.get(key) ?? null,
    baseOf: (key) => bases.get(key) ?? null,
  };
}

/** The vendors of all parts, those of most rows first, then by name. */
export function vendorsByRows(
  parts: readonly Pick<IndexedPart, 'vendors' | 'rowCount'>[],
): string[] {
  const rowCounts = new Map<string, number>();
  for (const { vendors, rowCount } of parts) {
    for (const vendor of vendors) {
      rowCounts.set(vendor, (rowCounts.get(vendor) ?? 0) + rowCount);
    }
  }
  return [...rowCounts]
    .sort(([a, aRows], [b, bRows]) => bRows - aRows || (a < b ? -1 : 1))
    .map(([vendor]) => vendor);
}
