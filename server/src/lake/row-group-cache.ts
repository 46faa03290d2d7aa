/** Row groups of the partitions asked for last, so that the whole index need not be in memory. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RowGroup } from '../engine/partition.ts';

/** About 50 MB of row groups. */
const ROW_GROUPS_MAX = 100_000;

type RowGroups = readonly RowGroup[];

/** The row groups of each of the files, in the same order. */
type ReadRowGroups = (files: readonly string[]) => Promise<readonly RowGroups[]>;

export class RowGroupCache {
  readonly #read: ReadRowGroups;
  readonly #rowGroupsMax: number;
  /** Least recently used first. */
  readonly #byFile = new Map<string, RowGroups>();
  #rowGroupCount = 0;

  constructor(read: ReadRowGroups, rowGroupsMax = ROW_GROUPS_MAX) {
    this.#read = read;
    this.#rowGroupsMax = rowGroupsMax;
  }

  /** The row groups of each of the files, in the same order; what is not kept is read at once. */
  async get(files: readonly string[]): Promise<readonly RowGroups[]> {
    const known = new Map(files.map((file) => [file, this.#byFile.get(file)]));
    const missing = files.filter((file) => known.get(file) === undefined);
    const read = missing.length > 0 ? await this.#read(missing) : [];
    for (const [index, file] of missing.entries()) known.set(file, read[index]);
    const found = files.map((file) => known.get(file) as RowGroups);
    for (const [index, file] of files.entries()) this.#keep(file, found[index] as RowGroups);
    // A question about a whole history reads many files: others have their turns meanwhile.
    if (missing.length > 0) await nextTurn();
    return found;
  }

  #keep(file: string, rowGroups: RowGroups): void {
    const known = this.#byFile.get(file);
    this.#byFile.delete(file);
    this.#byFile.set(file, rowGroups);
    this.#rowGroupCount += rowGroups.length - (known?.length ?? 0);
    for (const [oldest, { length }] of this.#byFile) {
      if (this.#rowGroupCount <= this.#rowGroupsMax || this.#byFile.size === 1) return;
      this.#byFile.delete(oldest);
      this.#rowGroupCount -= length;
    }
  }
}
