/** Wanted row groups -> pieces of a file: those that are copied, and runs of those that are cut. Pure. */

import type { Stretch } from './compile-query.ts';
import { type FolderPlan, fileOf } from './folder-plan.ts';
import type { GivenRowGroup } from './parquet-assembly.ts';
import type { PlacedGroup } from './placed-groups.ts';
import { rowsIn, type WantedGroup } from './wanted-groups.ts';

/** Rows to be found and encoded anew, in natural order. */
export interface CutRun {
  readonly stretches: readonly Stretch[];
  /** Rows that are found but come before the page. */
  readonly skipCount: number;
  /** Rows of the page; null: all that are found. */
  readonly takeCount: number | null;
  /** Rows of the row groups in which they are found. */
  readonly rowsMax: number;
}

export type Piece = { readonly copied: GivenRowGroup } | { readonly cut: CutRun };

/** Fewer rows are better encoded together with others that are cut than stored by themselves. */
const COPIED_ROWS_MIN = 8192;
/** Each is a query of its own within one. */
const STRETCHES_MAX = 64;

function canCopy({ verdict, give, skipCount, takeCount, ...rows }: WantedGroup): boolean {
  const isWhole = skipCount === 0 && (takeCount === null || takeCount === rowsIn(rows));
  return give !== null && verdict === 'all' && isWhole;
}

/** Whether each of the groups is copied. Small ones are where they have no neighbour to be cut with. */
function copiedGroups(groups: readonly WantedGroup[]): boolean[] {
  const isCut = (group: WantedGroup | undefined) =>
    group !== undefined && (!canCopy(group) || rowsIn(group) < COPIED_ROWS_MIN);
  return groups.map((group, g) => {
    if (!canCopy(group)) return false;
    return !isCut(group) || !(isCut(groups[g - 1]) || isCut(groups[g + 1]));
  });
}

interface PartRows extends Pick<PlacedGroup, 'part' | 'startRow' | 'endRow'> {}

/** The rows from the first to the last group of each part; what lies between passes no condition. */
function rowsByPart(groups: readonly PartRows[]): PartRows[] {
  const rows: PartRows[] = [];
  for (const { part, startRow, endRow } of groups) {
    const last = rows.at(-1);
    if (last?.part === part) rows[rows.length - 1] = { ...last, endRow };
    else rows.push({ part, startRow, endRow });
  }
  return rows;
}

/** Whole parts one after the other are one stretch. */
function stretchesOf(plan: FolderPlan, groups: readonly PartRows[]): Stretch[] {
  const stretches: Stretch[] = [];
  let wholeEnd = -1;
  for (const { part, startRow, endRow } of rowsByPart(groups)) {
    const { [part]: stored } = plan.parts;
    if (!stored) throw new Error(`the plan has no part ${part}`);
    const file = fileOf(plan, stored);
    const isWhole = startRow === 0 && endRow === stored.rowCount;
    const last = stretches.at(-1);
    if (last && isWhole && wholeEnd === part) {
      stretches[stretches.length - 1] = { ...last, files: [...last.files, file] };
    } else {
      stretches.push({
        ...{ firstFile: part, files: [file], startRow },
        endRow: isWhole ? null : endRow,
      });
    }
    wholeEnd = isWhole ? part + 1 : -1;
  }
  return stretches;
}

function runOf(plan: FolderPlan, groups: readonly WantedGroup[]): CutRun {
  const counts = groups.map(({ takeCount }) => takeCount);
  const takeCount = counts.every((count) => count !== null)
    ? counts.reduce((sum, count) => sum + count, 0)
    : null;
  return {
    stretches: stretchesOf(plan, groups),
    skipCount: groups[0]?.skipCount ?? 0,
    takeCount,
    rowsMax: groups.reduce((sum, group) => sum + rowsIn(group), 0),
  };
}

/** The pieces in their order. */
export function piecesOf(plan: FolderPlan, groups: readonly WantedGroup[]): Piece[] {
  const pieces: Piece[] = [];
  const isCopied = copiedGroups(groups);
  const partsOfRun = new Set<number>();
  let run: WantedGroup[] = [];
  const endRun = () => {
    if (run.length > 0) pieces.push({ cut: runOf(plan, run) });
    run = [];
    partsOfRun.clear();
  };
  for (const [g, group] of groups.entries()) {
    const { give } = group;
    if (give && isCopied[g]) {
      endRun();
      pieces.push({ copied: give() });
    } else {
      if (partsOfRun.size === STRETCHES_MAX && !partsOfRun.has(group.part)) endRun();
      partsOfRun.add(group.part);
      run.push(group);
    }
  }
  endRun();
  return pieces;
}
