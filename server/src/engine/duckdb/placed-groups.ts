/** The row groups of a plan's parts that may hold rows of it, out of the footers of their files. */
import { LRUCache } from 'lru-cache';
import type { Part } from '../part.ts';
import { readingsOf } from '../stored-columns.ts';
import { type FolderPlan, fileOf } from './folder-plan.ts';
import { groupVerdict, type Verdict } from './group-verdict.ts';
import { LakeFooter } from './lake-footer.ts';
import { unreadable } from './objects/object-failures.ts';
import type { GivenRowGroup } from './parquet-assembly.ts';
import { readFooter } from './parquet-footer.ts';
import type { PartFiles } from './part-files.ts';

/** Rows of a part that follow each other, such as a row group. */
export interface PlacedGroup {
  /** Number of the part among those of the plan. */
  readonly part: number;
  readonly startRow: number;
  /** Exclusive. */
  readonly endRow: number;
  /** How many of them pass the plan's conditions. */
  readonly verdict: Exclude<Verdict, 'none'>;
  /** The row group as it is stored; null where it has to be read to stand in an answer. */
  readonly give: (() => GivenRowGroup) | null;
}

/** Bytes of the footers that are kept; a day of ticks has about a hundred thousand. */
const FOOTER_BYTES_MAX = 33_554_432;

export class PlacedGroups {
  readonly #files: PartFiles;
  /** By file; files never change. */
  readonly #footers = new LRUCache<string, LakeFooter>({
    maxSize: FOOTER_BYTES_MAX,
    sizeCalculation: ({ byteCount }) => byteCount + 1,
  });

  constructor(files: PartFiles) {
    this.#files = files;
  }

  /** Rejects with an UnreadablePartError where the footer of the part cannot be read. */
  async of(plan: FolderPlan, partNumber: number): Promise<PlacedGroup[]> {
    const part = plan.parts[partNumber] as Part;
    const whole = { part: partNumber, startRow: 0, endRow: part.rowCount };
    if (readingsOf(part, plan.dataset).length > 0) {
      return part.rowCount > 0 ? [{ ...whole, verdict: 'some', give: null }] : [];
    }
    // What is sent is not held for as long as the query, so that it goes by the name in the lake.
    const footer = await this.#footerOf(fileOf({ root: plan.root }, part), part);
    const canGive = footer.canGive(plan.columns);
    return footer.groups.flatMap((group): PlacedGroup[] => {
      const verdict = groupVerdict(plan, (column) => footer.bounds(group, column));
      if (verdict === 'none') return [];
      const { open } = this.#files;
      const give = canGive ? () => ({ ...footer.give(group, plan.columns), open }) : null;
      const { startRow, endRow } = group;
      return [{ part: partNumber, startRow, endRow, verdict, give }];
    });
  }

  async #footerOf(file: string, { rowCount }: Part): Promise<LakeFooter> {
    try {
      // What is copied is not read before the answer has begun.
      const size = await this.#files.size(file);
      const known = this.#footers.get(file);
      if (known?.fileByteCount === size) return known;
      const found = await readFooter(this.#files, file);
      const footer = new LakeFooter(file, found.fileByteCount, found.footer);
      if (footer.rowCount !== rowCount) throw new Error(`${file} has not all of its rows`);
      this.#footers.set(file, footer);
      return footer;
    } catch (error) {
      throw unreadable(`the file ${file}`, error);
    }
  }
}
