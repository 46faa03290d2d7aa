/** Row groups of recently read parts, so that the whole index need not be in memory. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { RowGroup } from '../engine/part.ts';

/** About 50 MB of row groups. */
const ROW_GROUPS_MAX = 100_000;

/** The row groups of each of the parts, in the same order. */
type ReadRowGroups<Groups> = (partIds: readonly number[]) => Promise<readonly Groups[]>;

/** `Groups`: the row groups of a part, or null where it may have none. */
export class RowGroupCache<Groups extends readonly RowGroup[] | null> {
  readonly #read: ReadRowGroups<Groups>;
  readonly #byPart: LRUCache<number, { readonly groups: Groups }>;

  constructor(read: ReadRowGroups<Groups>, rowGroupsMax = ROW_GROUPS_MAX) {
    this.#read = read;
    this.#byPart = new LRUCache({
      maxSize: rowGroupsMax,
      // A part with more row groups than there is room for takes all of it. No size may be 0.
      sizeCalculation: ({ groups }) => Math.min(Math.max(groups?.length ?? 0, 1), rowGroupsMax),
    });
  }

  /** The row groups of each of the parts, in the same order; what is not kept is read at once. */
  async get(partIds: readonly number[]): Promise<readonly Groups[]> {
    const known = new Map(partIds.map((partId) => [partId, this.#byPart.get(partId)]));
    const missing = partIds.filter((partId) => known.get(partId) === undefined);
    const read = missing.length > 0 ? await this.#read(missing) : [];
    for (const [index, partId] of missing.entries()) {
      known.set(partId, { groups: read[index] as Groups });
    }
    const found = partIds.map((partId) => known.get(partId) as { readonly groups: Groups });
    for (const [index, partId] of partIds.entries()) {
      this.#byPart.set(partId, found[index] as { readonly groups: Groups });
    }
    // A request for a whole history reads many parts; others get their turns meanwhile.
    if (missing.length > 0) await nextTurn();
    return found.map(({ groups }) => groups);
  }
}
