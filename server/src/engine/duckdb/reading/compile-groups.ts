/** Grouped plan -> SQL. Pure. */
import { DECIMAL_DIGITS_MAX } from '../../../catalog/column-types.ts';
import type { Column } from '../../../catalog/dataset.ts';
import { GROUP_INTERVALS, type GroupKey, type Measure, type MeasureKind } from '../../groups.ts';
import { type GroupedPlan, rowsOfGroups } from '../../query-plan.ts';

import { ROW_ORDER, readType } from '../loading/stage-table.ts';
import { storedSql } from '../utc-columns.ts';
import {
  type CompiledQuery,
  compiled,
  conditionsOf,
  fromSql,
  integerSql,
  placeSql,
  whereSql,
} from './compile-query.ts';
import { type FolderPlan, filesOf } from './folder-plan.ts';
import type { MadeTable } from './made-rows.ts';
import { ParameterList } from './operator-sql.ts';

const NANOS_PER_MINUTE = 60_000_000_000n;

function keySql({ column, interval }: GroupKey): string {
  const value = storedSql(column);
  if (interval === undefined) return value;
  const length = GROUP_INTERVALS[interval];
  if (typeof length === 'string') return `date_trunc('${length}', ${value})`;
  // The remainder of a time before 1970 is below 0.
  const nanos = BigInt(length) * NANOS_PER_MINUTE;
  return `${value} - (${value} % ${nanos} + ${nanos}) % ${nanos}`;
}

const double = (value = '') => `${value}::DOUBLE`;

/** Null beyond the range of doubles, where neither JSON nor a reader has a number. */
const finite = (value: string) => `CASE WHEN isfinite(${value}) THEN ${value} END`;

/** `place` is that of a row in natural order. */
type MeasureSql = (values: readonly string[], measure: Measure, place: string) => string;

function sumSql(value: string, column: Column): string {
  if (column.dataType === 'number') return finite(`fsum(${value})`);
  if (column.dataType !== 'decimal') return `sum(${value})`;
  // The engine itself refuses no more than the overflow of 128 bits, which have a digit more.
  return `CAST(sum(${value})::VARCHAR AS ${readType({ ...column, precision: DECIMAL_DIGITS_MAX })})`;
}

/** Sums of doubles carry along what rounding takes from them. */
const MEASURE_SQL: Readonly<Record<MeasureKind, MeasureSql>> = {
  count: ([value = '*']) => `count(${value})`,
  sum: ([value = ''], { columns: [column] }) => sumSql(value, column as Column),
  min: ([value]) => `min(${value})`,
  max: ([value]) => `max(${value})`,
  avg: ([value], { columns }) =>
    finite(`${columns[0]?.dataType === 'number' ? 'favg' : 'avg'}(${value})`),
  first: ([value], _, place) => `arg_min(${value}, ${place})`,
  last: ([value], _, place) => `arg_max(${value}, ${place})`,
  vwap: ([price, size]) => {
    const weighted = `fsum(${double(price)} * ${double(size)})`;
    return finite(`${weighted} / nullif(fsum(${double(size)}) FILTER (${price} IS NOT NULL), 0)`);
  },
  stddev: ([value]) => `stddev_samp(${double(value)})`,
  quantile: ([value], { share }) => `quantile_cont(${double(value)}, ${Number(share)})`,
};

function selectGroups(
  { groups, columns, offset, limit }: GroupedPlan,
  rows: readonly string[],
  place: string,
  parameters: ParameterList,
): CompiledQuery {
  const { keys, measures } = groups;
  const values = [
    ...keys.map(keySql),
    ...measures.map((measure) =>
      MEASURE_SQL[measure.kind](measure.columns.map(storedSql), measure, place),
    ),
  ];
  const selected = columns.map((column, c) => `CAST(${values[c]} AS ${readType(column)}) AS c${c}`);
  const numbers = keys.map((_, k) => `${k + 1}`);
  return compiled(
    [
      `SELECT ${selected.join(', ')}`,
      ...rows,
      // Without keys there is one group, unless there is no row.
      keys.length > 0 ? `GROUP BY ${numbers.join(', ')}` : 'HAVING count(*) > 0',
      keys.length > 0 ? `ORDER BY ${numbers.map((n) => `${n} NULLS LAST`).join(', ')}` : '',
      `LIMIT ${integerSql(limit + 1, parameters)}`,
      `OFFSET ${integerSql(offset, parameters)}`,
    ],
    parameters,
  );
}

/** Groups of the rows that the plan finds in files. */
export function compileFoundGroups(plan: FolderPlan & GroupedPlan): CompiledQuery {
  const parameters = new ParameterList();
  const rows: FolderPlan = { ...plan, ...rowsOfGroups(plan) };
  const from = fromSql(rows, filesOf(rows), parameters);
  const where = whereSql(conditionsOf(rows, parameters));
  return selectGroups(plan, [from, where], placeSql(rows), parameters);
}

/** Groups of rows that are made elsewhere. */
export function compileMadeGroups(plan: GroupedPlan, { name }: MadeTable): CompiledQuery {
  return selectGroups(plan, [`FROM ${name}`], ROW_ORDER, new ParameterList());
}
