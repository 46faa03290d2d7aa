/** The row groups of a plan's parts that may hold rows of it, out of the footers of their files. */
import { LRUCache } from 'lru-cache';
import type { Verdict } from '../../../plan/prune.ts';
import type { Part } from '../../part.ts';
import type { QueryPlan } from '../../query-plan.ts';
import { readingsOf } from '../../stored-columns.ts';
import { unreadable } from '../objects/object-failures.ts';
import type { PartFiles } from '../part-files.ts';
import { type FolderPlan, fileOf } from '../reading/folder-plan.ts';
import type { GivenRowGroup } from './assembly.ts';
import { readFooter } from './footer.ts';
import type { GroupVerdict } from './group-verdict.ts';
import { LakeFooter } from './lake-footer.ts';

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

  /**
   * By the verdict of the plan's conditions. Rejects with an UnreadablePartError where the part's
   * footer cannot be read.
   */
  async of(plan: FolderPlan, verdictBy: GroupVerdict, partNumber: number): Promise<PlacedGroup[]> {
    const part = plan.parts[partNumber] as Part;
    const whole = { part: partNumber, startRow: 0, endRow: part.rowCount };
    if (readingsOf(part, plan.dataset).length > 0) {
      return part.rowCount > 0 ? [{ ...whole, verdict: 'some', give: null }] : [];
    }
    // The cache holds parts no longer than the query, so files to be sent are named in the lake.
    const footer = await this.#footerOf(fileOf({ root: plan.root }, part), part);
    const canGive = footer.canGive(plan.columns);
    return footer.groups.flatMap((group): PlacedGroup[] => {
      const verdict = verdictBy((column) => footer.bounds(group, column));
      if (verdict === 'none') return [];
      const { open } = this.#files;
      const give = canGive ? () => ({ ...footer.give(group, plan.columns), open }) : null;
      const { startRow, endRow } = group;
      return [{ part: partNumber, startRow, endRow, verdict, give }];
    });
  }

  async #footerOf(file: string, { rowCount }: Part): Promise<LakeFooter> {
    try {
      // Copied row groups are not read before the answer has begun, so look at the file now.
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

/** Rows of a row group that belong to the page. */
export interface WantedGroup extends PlacedGroup {
  /** Rows that pass the conditions but come before the page. */
  readonly skipCount: number;
  /** Rows of the page; null: all that pass, which nobody has counted. */
  readonly takeCount: number | null;
}

/** The groups of the part of that number. */
type GroupsOfPart = (part: number) => Promise<readonly PlacedGroup[]>;
/** How many rows of each of the groups, which are of one part, pass the plan's conditions. */
type CountRows = (groups: readonly PlacedGroup[]) => Promise<readonly number[]>;

type Page = Pick<QueryPlan, 'parts' | 'offset' | 'limit'>;

export const rowsIn = ({ startRow, endRow }: Pick<PlacedGroup, 'startRow' | 'endRow'>) =>
  endRow - startRow;

/** All groups where the page holds them whatever they have; else null. */
async function allGroups(page: Page, groupsOf: GroupsOfPart): Promise<PlacedGroup[] | null> {
  if (page.offset > 0) return null;
  const all: PlacedGroup[] = [];
  let rowCount = 0;
  for (const part of page.parts.keys()) {
    const groups = await groupsOf(part);
    all.push(...groups);
    rowCount += groups.reduce((sum, group) => sum + rowsIn(group), 0);
    if (rowCount > page.limit) return null;
  }
  return all;
}

/** The rows are only counted where the page may begin or end among them. */
export async function wantedGroups(
  page: Page,
  groupsOf: GroupsOfPart,
  countRows: CountRows,
): Promise<{ readonly groups: readonly WantedGroup[]; readonly nextOffset: number | null }> {
  const all = await allGroups(page, groupsOf);
  if (all !== null) {
    const groups = all.map((group) => ({ ...group, skipCount: 0, takeCount: null }));
    return { groups, nextOffset: null };
  }
  const wanted: WantedGroup[] = [];
  const end = page.offset + page.limit;
  let ordinal = 0;
  for (const part of page.parts.keys()) {
    const groups = await groupsOf(part);
    const counts = await countRows(groups);
    for (const [g, group] of groups.entries()) {
      const count = counts[g] as number;
      if (count > 0 && ordinal >= end) return { groups: wanted, nextOffset: end };
      const skipCount = Math.max(0, page.offset - ordinal);
      const takeCount = Math.min(count, end - ordinal) - skipCount;
      const verdict = count === rowsIn(group) ? 'all' : group.verdict;
      if (takeCount > 0) wanted.push({ ...group, verdict, skipCount, takeCount });
      ordinal += count;
      if (ordinal > end) return { groups: wanted, nextOffset: end };
    }
  }
  return { groups: wanted, nextOffset: null };
}
