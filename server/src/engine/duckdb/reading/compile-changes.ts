/**
 * Comparing plan -> SQL. The rows of both states are counted together, those of the earlier one
 * negatively: what is left over has been removed or added, so many times.
 */
import type { Column } from '../../../catalog/dataset.ts';
import {
  type Change,
  type ComparingPlan,
  changeColumnOf,
  changeOrderOf,
} from '../../row-changes.ts';
import { quoteName, quoteText } from '../sql-text.ts';
import { storedSql } from '../utc-columns.ts';
import {
  type CompiledQuery,
  compilePage,
  compileRowsToFile,
  conditionsOf,
  fromSql,
  namesSql,
  whereSql,
} from './compile-query.ts';
import { comparedFilesOf, type FolderPlan, filesOf } from './folder-plan.ts';
import { ParameterList } from './operator-sql.ts';

type ChangedPlan = FolderPlan & ComparingPlan;

/** No column of a dataset has a space in its name. */
const COUNT = quoteName('row count');

/** The rows of one state that the plan finds, each with a count of 1 or -1; none without files. */
function stateSql(
  plan: ChangedPlan,
  files: readonly string[],
  count: 1 | -1,
  parameters: ParameterList,
): string[] {
  if (files.length === 0) return [];
  const from = fromSql(plan, files, parameters);
  const where = whereSql(conditionsOf(plan, parameters));
  return [`SELECT ${namesSql(plan.dataset.columns)}, ${count} AS ${COUNT} ${from} ${where}`];
}

const changeSql = (change: Change) => quoteText(change);

/** The rows that changed, as often as they did, with the column that says how. */
function changesSql(plan: ChangedPlan, parameters: ParameterList): string {
  const names = namesSql(plan.dataset.columns);
  const states = [
    ...stateSql(plan, comparedFilesOf(plan), -1, parameters),
    ...stateSql(plan, filesOf(plan), 1, parameters),
  ];
  const change = quoteName(changeColumnOf(plan.dataset).name);
  return [
    `FROM (SELECT CASE WHEN ${COUNT} < 0 THEN ${changeSql('removed')}`,
    `ELSE ${changeSql('added')} END AS ${change}, ${names}, unnest(range(abs(${COUNT})))`,
    `FROM (SELECT ${names}, sum(${COUNT})::BIGINT AS ${COUNT}`,
    `FROM (${states.join('\nUNION ALL ')})`,
    `GROUP BY ${names} HAVING sum(${COUNT}) <> 0))`,
  ].join('\n');
}

/** Removed rows before added ones of the same keys; what ties is equal. */
function orderSql({ dataset, sort }: ChangedPlan): string {
  const { natural, others } = changeOrderOf(dataset);
  const ascending = (columns: readonly Column[]) =>
    columns.map((column) => `${storedSql(column)} ASC NULLS LAST`);
  const asked = sort.map(
    ({ column, descending }) => `${storedSql(column)} ${descending ? 'DESC' : 'ASC'} NULLS LAST`,
  );
  const change = `${quoteName(changeColumnOf(dataset).name)} DESC`;
  return `ORDER BY ${[...asked, ...ascending(natural), change, ...ascending(others)].join(', ')}`;
}

/** The page of a comparing plan, from the files themselves. */
export function compileChangedPage(plan: ChangedPlan): CompiledQuery {
  const parameters = new ParameterList();
  return compilePage(plan, [changesSql(plan, parameters), orderSql(plan)], parameters);
}

/** Writes all rows of a comparing plan to a new file, without the columns of one value. */
export function compileChangedSpill(plan: ChangedPlan, targetFile: string): CompiledQuery {
  const parameters = new ParameterList();
  const rows = [changesSql(plan, parameters), orderSql(plan)];
  return compileRowsToFile(plan, rows, parameters, targetFile);
}
