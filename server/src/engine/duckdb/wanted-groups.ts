/** Which rows of which row groups make up a page. */
import type { QueryPlan } from '../query-plan.ts';
import type { PlacedGroup } from './placed-groups.ts';

/** Rows of a row group that belong to the page. */
export interface WantedGroup extends PlacedGroup {
  /** Rows that pass the conditions but come before the page. */
  readonly skipCount: number;
  /** Rows of the page; null: all that pass, which nobody has counted. */
  readonly takeCount: number | null;
}

export interface WantedGroups {
  readonly groups: readonly WantedGroup[];
  readonly nextOffset: number | null;
}

/** The groups of the part of that number. */
export type GroupsOfPart = (part: number) => Promise<readonly PlacedGroup[]>;
/** How many rows of each of the groups, which are of one part, pass the plan's conditions. */
export type CountRows = (groups: readonly PlacedGroup[]) => Promise<readonly number[]>;

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
): Promise<WantedGroups> {
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
