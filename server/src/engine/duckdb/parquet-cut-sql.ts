/** The SQL of rows that are cut out of row groups, and of how many each group has. Pure. */
import {
  type CompiledQuery,
  compiled,
  conditionsOf,
  fromSql,
  integerSql,
  namesSql,
  stretchSql,
  whereSql,
} from './compile-query.ts';
import { type FolderPlan, fileOf } from './folder-plan.ts';
import { ParameterList } from './operator-sql.ts';
import { CUT_ROW_GROUP_ROWS } from './parquet-cuts.ts';
import type { CutRun } from './parquet-pieces.ts';
import type { PlacedGroup } from './placed-groups.ts';
import { rowGroupNumber } from './row-group-sql.ts';
import { quoteName } from './sql-text.ts';
import { rowsIn } from './wanted-groups.ts';

/** No column of a dataset has a space in its name. */
const FILE = quoteName('file number');
const ROW = quoteName('row number');
const GROUP = quoteName('row group');

/**
 * Whether the rows come as one row group in the order of their file, whatever the threads: those of one
 * file do, up to as many as a row group has. To sort them takes half as long again.
 */
function isOneGroup({ stretches: [first, ...others], rowsMax }: CutRun): boolean {
  return first?.files.length === 1 && others.length === 0 && rowsMax <= CUT_ROW_GROUP_ROWS;
}

/** The rows of a run, in natural order. */
export function compileCut(plan: FolderPlan, run: CutRun): CompiledQuery {
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
  return compiled(lines, parameters);
}

/** For each of the groups, which are of one part, its number and how many of its rows are found, if any. */
export function compileGroupCounts(
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
  const counted = groups.map((group) => ({ ...group, rowCount: rowsIn(group), byteCount: 0 }));
  return compiled(
    [
      `SELECT ${rowGroupNumber(counted)} AS ${GROUP}, count(*) ${from}`,
      whereSql(conditions),
      `GROUP BY ${GROUP}`,
    ],
    parameters,
  );
}
