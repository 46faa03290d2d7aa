/** The counts of a plan's rows by day -> SQL. */
import { countedDate, countedIdentifier } from '../day-counts.ts';
import { type CompiledQuery, compiled, conditionsOf, fromSql, whereSql } from './compile-query.ts';
import { type FolderPlan, filesOf } from './folder-plan.ts';
import { ParameterList } from './operator-sql.ts';
import { storedSql } from './utc-columns.ts';

/** In the order of the days: the day as text, rows, identifiers. */
export function compileDayCounts(plan: FolderPlan): CompiledQuery {
  const parameters = new ParameterList();
  const day = countedDate(plan.dataset);
  const date = storedSql(day);
  const identifier = countedIdentifier(plan.dataset);
  const counted = [day, ...(identifier === null ? [] : [identifier])];
  const count = identifier === null ? 'NULL::BIGINT' : `count(DISTINCT ${storedSql(identifier)})`;
  return compiled(
    [
      `SELECT CAST(${date} AS VARCHAR), count(*), ${count}`,
      fromSql(plan, filesOf(plan), parameters, counted),
      whereSql([...conditionsOf(plan, parameters), `${date} IS NOT NULL`]),
      `GROUP BY ${date} ORDER BY ${date}`,
    ],
    parameters,
  );
}
