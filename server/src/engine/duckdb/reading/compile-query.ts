/** Query plan -> SQL text and bound values. Pure; every value that a client wrote is a parameter */
import { BIGINT, type DuckDBType, type DuckDBValue, VARCHAR } from '@duckdb/node-api';
import { isArray } from '../../../catalog/column-types.ts';
import type { Column } from '../../../catalog/dataset.ts';
import { valuesOf } from '../../../plan/conditions.ts';
import { undecidedPredicates } from '../../../plan/prune.ts';
import { countedDate, countedIdentifier } from '../../engine.ts';
import { OnlyValues } from '../../only-values.ts';
import type { DateWindow, Grant, Predicate, QueryPlan } from '../../query-plan.ts';
import { NATURAL_ROW } from '../part-files.ts';
import { quoteText } from '../sql-text.ts';
import { storedSql } from '../utc-columns.ts';
import { convertedSql, type FolderPlan, filesOf, readFilesOf } from './folder-plan.ts';
import {
  CONDITIONS,
  DATE_PARAMETER,
  ParameterList,
  parameterType,
  valueSql,
} from './operator-sql.ts';

export interface CompiledQuery {
  readonly sql: string;
  readonly values: readonly DuckDBValue[];
  readonly types: readonly DuckDBType[];
}

/** Small, so that a page reads little that is not its own. */
const SPILL_ROW_GROUP_ROWS = 20_480;

export const SPILL_OPTIONS = `(FORMAT parquet, COMPRESSION lz4, ROW_GROUP_SIZE ${SPILL_ROW_GROUP_ROWS}, USE_TMP_FILE false)`;

/** One element of the column has to match: `element` is the SQL of a value of it. */
function matchAny(column: Column, condition: (element: string) => string): string {
  const name = valueSql(column);
  return isArray(column.dataType)
    ? `len(list_filter(${name}, lambda element: ${condition('element')})) > 0`
    : condition(name);
}

function predicateSql(predicate: Predicate, parameters: ParameterList): string {
  const { column, operator } = predicate;
  const type = parameterType(column);
  return matchAny(column, CONDITIONS[operator](valuesOf(predicate), type, parameters));
}

function windowSql(window: DateWindow, parameters: ParameterList): string {
  const { column, start, end, passesUndated } = window;
  const name = storedSql(column);
  const [from, to] = [start, end].map((date) =>
    parameters.add(DATE_PARAMETER.toValue(date), DATE_PARAMETER.type),
  );
  const isInside = `${name} BETWEEN ${from} AND ${to}`;
  return passesUndated ? `(${name} IS NULL OR ${isInside})` : isInside;
}

/** One of the conditions holds; without any, nothing does. */
function anySql(conditions: readonly string[]): string {
  return conditions.length === 0 ? 'false' : `(${conditions.join(' OR ')})`;
}

/** The conditions under which the grant lets a row pass: none where it limits nothing. */
function grantSql({ window, universe }: Grant, parameters: ParameterList): string[] {
  return [
    ...(universe ? [anySql(universe.map((each) => predicateSql(each, parameters)))] : []),
    ...(window ? [windowSql(window, parameters)] : []),
  ];
}

/** One of the grants lets the row pass; a single grant needs no alternatives. */
function grantsSql(grants: readonly Grant[], parameters: ParameterList): string[] {
  if (grants.some(({ window, universe }) => !window && !universe)) return [];
  const alternatives = grants.map((grant) => grantSql(grant, parameters));
  if (alternatives.length === 1) return alternatives.flat();
  return [anySql(alternatives.map((conditions) => `(${conditions.join(' AND ')})`))];
}

/** The conditions of the rows; none where every row passes. */
export function conditionsOf(
  plan: QueryPlan & Pick<FolderPlan, 'isFound'>,
  parameters: ParameterList,
): string[] {
  if (plan.isFound) return [];
  return [
    ...undecidedPredicates(plan).map((predicate) => predicateSql(predicate, parameters)),
    ...grantsSql(plan.grants, parameters),
  ];
}

/** True if the plan finds every row of its parts. */
export function findsEveryRow(plan: QueryPlan): boolean {
  return conditionsOf(plan, new ParameterList()).length === 0;
}

export const whereSql = (conditions: readonly string[]) =>
  conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';

/** A page may ask for no column that has to be read. */
export const namesSql = (columns: readonly Column[]) =>
  columns.map(storedSql).join(', ') || 'true AS row';

function filesSql(files: readonly string[], parameters: ParameterList): string {
  return `read_parquet(${parameters.addList(files, VARCHAR)}, hive_partitioning = false)`;
}

/**
 * The rows of files of a plan, as its dataset has them now; `others` are asked for beside its
 * columns.
 */
export function fromSql(
  plan: FolderPlan,
  files: readonly string[],
  parameters: ParameterList,
  others: readonly Column[] = [],
): string {
  const source = (some: readonly string[]) => filesSql(some, parameters);
  return `FROM ${convertedSql(plan, files, source, others) ?? source(files)}`;
}

export function integerSql(value: number, parameters: ParameterList): string {
  return parameters.add(BigInt(value), BIGINT);
}

export function compiled(
  lines: readonly string[],
  { values, types }: ParameterList,
): CompiledQuery {
  return { sql: lines.filter((line) => line !== '').join('\n'), values, types };
}

/**
 * Consecutive files of a plan; of a single one perhaps only the rows from `startRow` to `endRow`.
 */
export interface Stretch {
  /** Number of the first of the files among those of the plan's parts. */
  readonly firstFile: number;
  readonly files: readonly string[];
  readonly startRow: number;
  /** Exclusive; null: up to the end. */
  readonly endRow: number | null;
}

export function stretchSql({ startRow, endRow }: Stretch, parameters: ParameterList): string[] {
  const row = 'file_row_number';
  return [
    ...(startRow > 0 ? [`${row} >= ${integerSql(startRow, parameters)}`] : []),
    ...(endRow === null ? [] : [`${row} < ${integerSql(endRow, parameters)}`]),
  ];
}

/** Rows that the plan finds in a stretch, in natural order: those of a file come in order. */
function selectStretch(
  plan: FolderPlan,
  select: string,
  stretch: Stretch,
  parameters: ParameterList,
): string[] {
  const from = fromSql(plan, stretch.files, parameters);
  const conditions = [...conditionsOf(plan, parameters), ...stretchSql(stretch, parameters)];
  return [`SELECT ${select}`, from, whereSql(conditions)];
}

/**
 * Some of the plan's columns, perhaps none, of the first rows of a stretch, and where these lie:
 * `file_index` and `file_row_number` come last. `isScattered`: few are found in each file. Rows
 * that are sorted need no result for each file, which takes two threads longer than one.
 */
export function compileStretch(
  plan: FolderPlan,
  columns: readonly Column[],
  stretch: Stretch,
  limit: number,
  isScattered = false,
): CompiledQuery {
  const parameters = new ParameterList();
  const select = [...columns.map(storedSql), 'file_index', 'file_row_number'];
  const lines = selectStretch(plan, select.join(', '), stretch, parameters);
  const order = isScattered ? 'ORDER BY file_index, file_row_number' : '';
  return compiled([...lines, order, `LIMIT ${integerSql(limit, parameters)}`], parameters);
}

/** Some of the plan's columns, of the first rows of a stretch. */
export function compileColumns(
  plan: FolderPlan,
  columns: readonly Column[],
  stretch: Stretch,
  limit: number,
): CompiledQuery {
  const parameters = new ParameterList();
  const lines = selectStretch(plan, namesSql(columns), stretch, parameters);
  return compiled([...lines, `LIMIT ${integerSql(limit, parameters)}`], parameters);
}

/** How many rows the plan finds in a stretch: `limit` at most. */
export function compileStretchCount(
  plan: FolderPlan,
  stretch: Stretch,
  limit: number,
): CompiledQuery {
  const parameters = new ParameterList();
  const rows = selectStretch(plan, '1', stretch, parameters);
  const limitSql = `LIMIT ${integerSql(limit, parameters)}`;
  return compiled(['SELECT count(*) FROM (', ...rows, limitSql, ')'], parameters);
}

/** Rows of stretches in a row, in natural order, and their places: `file` of the plan and `row`. */
function selectStretches(
  plan: FolderPlan,
  columns: readonly Column[],
  stretches: readonly Stretch[],
  parameters: ParameterList,
): string {
  const selects = stretches.map((stretch) => {
    const file = `file_index::BIGINT + ${integerSql(stretch.firstFile, parameters)} AS file`;
    const select = [...columns.map(storedSql), file, 'file_row_number AS row'].join(', ');
    return selectStretch(plan, select, stretch, parameters).join(' ');
  });
  return selects.join('\nUNION ALL ');
}

/** Some of the plan's columns of the rows of stretches in a row; `file` and `row` come last. */
export function compileStretches(
  plan: FolderPlan,
  columns: readonly Column[],
  stretches: readonly Stretch[],
): CompiledQuery {
  const parameters = new ParameterList();
  return compiled([selectStretches(plan, columns, stretches, parameters)], parameters);
}

/** The place of one found row: past `skipCount` others of the stretches in a row, `file`, `row`. */
export function compilePlace(
  plan: FolderPlan,
  stretches: readonly Stretch[],
  skipCount: number,
): CompiledQuery {
  const parameters = new ParameterList();
  const rows = selectStretches(plan, [], stretches, parameters);
  return compiled(
    [`SELECT file, row FROM (${rows})`, `LIMIT 1 OFFSET ${integerSql(skipCount, parameters)}`],
    parameters,
  );
}

/** SQL of a row's place in natural order: the number of its part, and its own in it. */
function positionSql(plan: FolderPlan): string[] {
  const files = readFilesOf(plan);
  const row = plan.identifierRows ? NATURAL_ROW : 'file_row_number';
  if (plan.parts.length === 1) return [row];
  const isOneEach = files.every(({ part }, f) => part === f);
  if (isOneEach) return ['file_index', row];
  return [`[${files.map(({ part }) => part).join(', ')}][file_index::BIGINT + 1]`, row];
}

/** `positionSql` as one number: no part has 2^40 rows. */
export function placeSql(plan: FolderPlan): string {
  const [first, row] = positionSql(plan) as [string, string?];
  return row === undefined ? first : `(${first}::BIGINT * 1099511627776 + ${row}::BIGINT)`;
}

/** Ties fall back to the natural order, which makes the order total. */
function orderSql(plan: FolderPlan): string {
  const keys = plan.sort.map(
    ({ column, descending }) => `${storedSql(column)} ${descending ? 'DESC' : 'ASC'} NULLS LAST`,
  );
  return `ORDER BY ${[...keys, ...positionSql(plan)].join(', ')}`;
}

/** The page of a plan, out of rows whose SQL begins at FROM and ends with their order. */
export function compilePage(
  plan: QueryPlan,
  rows: readonly string[],
  parameters: ParameterList,
): CompiledQuery {
  return compiled(
    [
      `SELECT ${namesSql(plan.columns)}`,
      ...rows,
      `LIMIT ${integerSql(plan.limit + 1, parameters)}`,
      `OFFSET ${integerSql(plan.offset, parameters)}`,
    ],
    parameters,
  );
}

/**
 * Writes all of the rows to a new file, without the columns of one value: each column costs the
 * sort and the file as much as any other.
 */
export function compileRowsToFile(
  plan: QueryPlan,
  rows: readonly string[],
  parameters: ParameterList,
  targetFile: string,
): CompiledQuery {
  const { stored } = new OnlyValues(plan);
  return compiled(
    [`COPY (SELECT ${namesSql(stored)}`, ...rows, `) TO ${quoteText(targetFile)} ${SPILL_OPTIONS}`],
    parameters,
  );
}

/** The rows of a plan that sorts, from the files themselves. */
function sortedRows(plan: FolderPlan, parameters: ParameterList): string[] {
  const from = fromSql(plan, filesOf(plan), parameters);
  return [from, whereSql(conditionsOf(plan, parameters)), orderSql(plan)];
}

export function compileSortedPage(plan: FolderPlan): CompiledQuery {
  const parameters = new ParameterList();
  return compilePage(plan, sortedRows(plan, parameters), parameters);
}

export function compileCount(plan: FolderPlan, limit: number): CompiledQuery {
  const parameters = new ParameterList();
  const from = fromSql(plan, filesOf(plan), parameters);
  const where = whereSql(conditionsOf(plan, parameters));
  const rows = `SELECT 1 ${from} ${where} LIMIT ${integerSql(limit, parameters)}`;
  return compiled([`SELECT count(*) FROM (${rows})`], parameters);
}

export function compileSpill(plan: FolderPlan, targetFile: string): CompiledQuery {
  const parameters = new ParameterList();
  return compileRowsToFile(plan, sortedRows(plan, parameters), parameters, targetFile);
}

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
