/** Row groups of recently read parts, so that the whole index need not be in memory. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { RowGroup } from '../engine/part.ts';

/** About 50 MB of row groups. */
const ROW_GROUPS_MAX = 100_000;

type RowGroups = readonly RowGroup[];

/** The row groups of each of the parts, in the same order. */
type ReadRowGroups = (partIds: readonly number[]) => Promise<readonly RowGroups[]>;

export class RowGroupCache {
  readonly #read: ReadRowGroups;
  readonly #byPart: LRUCache<number, RowGroups>;

  constructor(read: ReadRowGroups, rowGroupsMax = ROW_GROUPS_MAX) {
    this.#read = read;
    this.#byPart = new LRUCache({
      maxSize: rowGroupsMax,
      // A part with more row groups than there is room for takes all of it. No size may be 0.
      sizeCalculation: ({ length }) => Math.min(Math.max(length, 1), rowGroupsMax),
    });
  }

  /** The row groups of each of the parts, in the same order; what is not kept is read at once. */
  async get(partIds: readonly number[]): Promise<readonly RowGroups[]> {
    const known = new Map(partIds.map((partId) => [partId, this.#byPart.get(partId)]));
    const missing = partIds.filter((partId) => known.get(partId) === undefined);
    const read = missing.length > 0 ? await this.#read(missing) : [];
    for (const [index, partId] of missing.entries()) known.set(partId, read[index]);
    const found = partIds.map((partId) => known.get(partId) as RowGroups);
    for (const [index, partId] of partIds.entries())
      this.#byPart.set(partId, found[index] as RowGroups);
    // A request for a whole history reads many parts; others get their turns meanwhile.
    if (missing.length > 0) await nextTurn();
    return found;
  }
}
