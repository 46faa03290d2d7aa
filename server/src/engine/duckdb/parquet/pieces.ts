/** Wanted row groups -> pieces of a file: those that are copied, and runs of those that are cut. */
import { LRUCache } from 'lru-cache';
import { fingerprintOf } from '../../plan-fingerprint.ts';
import { rowGroupNumber } from '../loading/row-group-sql.ts';
import {
  type CompiledQuery,
  compiled,
  conditionsOf,
  fromSql,
  integerSql,
  namesSql,
  type Stretch,
  stretchSql,
  whereSql,
} from '../reading/compile-query.ts';
import { type FolderPlan, fileOf } from '../reading/folder-plan.ts';
import { ParameterList } from '../reading/operator-sql.ts';
import type { QueryConnections } from '../reading/query-connections.ts';
import { quoteName } from '../sql-text.ts';
import type { GivenRowGroup } from './assembly.ts';
import { CUT_ROW_GROUP_ROWS, type CutQuery } from './cuts.ts';
import { type PlacedGroup, rowsIn, type WantedGroup } from './placed-groups.ts';

/** Rows to be found and encoded anew, in natural order. */
interface CutRun {
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

/** For each group, true if it is copied. Small ones are if no neighbour is cut. */
function copiedGroups(groups: readonly WantedGroup[]): boolean[] {
  const isCut = (group: WantedGroup | undefined) =>
    group !== undefined && (!canCopy(group) || rowsIn(group) < COPIED_ROWS_MIN);
  return groups.map((group, g) => {
    if (!canCopy(group)) return false;
    return !isCut(group) || !(isCut(groups[g - 1]) || isCut(groups[g + 1]));
  });
}

interface PartRows extends Pick<PlacedGroup, 'part' | 'startRow' | 'endRow'> {}

/** The rows from the first to the last group of each part; what lies between passes no condition */
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

/** No column of a dataset has a space in its name. */
const FILE = quoteName('file number');
const ROW = quoteName('row number');
const GROUP = quoteName('row group');

/**
 * True if the rows come as one row group in file order, whatever the threads: those of one
 * file do, up to as many as a row group has. To sort them takes half as long again.
 */
function isOneGroup({ stretches: [first, ...others], rowsMax }: CutRun): boolean {
  return first?.files.length === 1 && others.length === 0 && rowsMax <= CUT_ROW_GROUP_ROWS;
}

/** The rows of a run, in natural order. */
export function compileCut(plan: FolderPlan, run: CutRun): CutQuery {
  const parameters = new ParameterList();
  const names = namesSql(plan.columns);
  const selects = run.stretches.map((stretch) => {
    const file = `file_index::BIGINT + ${integerSql(stretch.firstFile, parameters)}`;
    const from = fromSql(plan, stretch.files, parameters);
    const where = whereSql([...conditionsOf(plan, parameters), ...stretchSql(stretch, parameters)]);
    return `SELECT ${names}, ${file} AS ${FILE}, file_row_number AS ${ROW} ${from} ${where}`;
  });
  const { skipCount, takeCount } = run;
  const lines = [
    `SELECT ${names} FROM (${selects.join('\nUNION ALL ')})`,
    isOneGroup(run) ? '' : `ORDER BY ${FILE}, ${ROW}`,
    takeCount === null ? '' : `LIMIT ${integerSql(takeCount, parameters)}`,
    skipCount === 0 ? '' : `OFFSET ${integerSql(skipCount, parameters)}`,
  ];
  const rowCountMax = Math.min(takeCount ?? run.rowsMax, run.rowsMax);
  return { ...compiled(lines, parameters), cellCountMax: rowCountMax * plan.columns.length };
}

/**
 * For each of the groups, which are of one part, its number and how many of its rows are found, if
 * any.
 */
function compileGroupCounts(
  plan: FolderPlan,
  groups: readonly [PlacedGroup, ...PlacedGroup[]],
): CompiledQuery {
  const parameters = new ParameterList();
  const [{ part, startRow }] = groups;
  const [stored] = plan.parts.slice(part, part + 1);
  if (!stored) throw new Error(`the plan has no part ${part}`);
  const files = [fileOf(plan, stored)];
  const endRow = groups.at(-1)?.endRow ?? null;
  const from = fromSql(plan, files, parameters);
  const stretch = { firstFile: part, files, startRow, endRow };
  const conditions = [...conditionsOf(plan, parameters), ...stretchSql(stretch, parameters)];
  return compiled(
    [
      `SELECT ${rowGroupNumber(groups)} AS ${GROUP}, count(*) ${from}`,
      whereSql(conditions),
      `GROUP BY ${GROUP}`,
    ],
    parameters,
  );
}

/** Numbers that are kept: some 10 MB. */
const COUNTS_MAX = 1_000_000;

export class GroupCounts {
  readonly #connections: QueryConnections;
  readonly #known = new LRUCache<string, readonly number[]>({
    maxSize: COUNTS_MAX,
    sizeCalculation: (counts) => counts.length + 1,
  });

  constructor(connections: QueryConnections) {
    this.#connections = connections;
  }

  /** The count of each of the groups, which are all of one part that may hold rows. */
  async of(
    plan: FolderPlan,
    groups: readonly PlacedGroup[],
    signal: AbortSignal,
  ): Promise<readonly number[]> {
    const unknown = groups.filter(({ verdict }) => verdict === 'some');
    const [first, ...others] = unknown;
    if (!first) return groups.map(rowsIn);
    const { predicates, grants, parts } = plan;
    const key = fingerprintOf([parts[first.part]?.location, predicates, grants]);
    let found = this.#known.get(key);
    if (!found) {
      found = await this.#count(plan, [first, ...others], signal);
      this.#known.set(key, found);
    }
    const counts = found.values();
    return groups.map((group) =>
      group.verdict === 'some' ? (counts.next().value as number) : rowsIn(group),
    );
  }

  async #count(
    plan: FolderPlan,
    groups: readonly [PlacedGroup, ...PlacedGroup[]],
    signal: AbortSignal,
  ): Promise<number[]> {
    const counts = groups.map(() => 0);
    for await (const chunk of this.#connections.chunks(compileGroupCounts(plan, groups), signal)) {
      for (const [group, count] of chunk.getRows()) counts[Number(group)] = Number(count);
    }
    return counts;
  }
}
