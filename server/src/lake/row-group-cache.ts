/** Row groups of the partitions asked for last, so that the whole index need not be in memory. */
import type { RowGroup } from '../engine/partition.ts';

/** About 50 MB of row groups. */
const ROW_GROUPS_MAX = 100_000;

export class RowGroupCache {
  readonly #read: (file: string) => readonly RowGroup[];
  readonly #rowGroupsMax: number;
  /** Least recently used first. */
  readonly #byFile = new Map<string, readonly RowGroup[]>();
  #rowGroupCount = 0;

  constructor(read: (file: string) => readonly RowGroup[], rowGroupsMax = ROW_GROUPS_MAX) {
    this.#read = read;
    this.#rowGroupsMax = rowGroupsMax;
  }

  get(file: string): readonly RowGroup[] {
    const known = this.#byFile.get(file);
    if (known) this.#byFile.delete(file);
    const rowGroups = known ?? this.#read(file);
    this.#byFile.set(file, rowGroups);
    if (!known) {
      this.#rowGroupCount += rowGroups.length;
      this.#evict();
    }
    return rowGroups;
  }

  #evict(): void {
    for (const [file, rowGroups] of this.#byFile) {
      if (this.#rowGroupCount <= this.#rowGroupsMax || this.#byFile.size === 1) return;
      this.#byFile.delete(file);
      this.#rowGroupCount -= rowGroups.length;
    }
  }
}
