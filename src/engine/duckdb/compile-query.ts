/** Query plan -> SQL text and bound values. Pure; every value that a client wrote is a parameter. */
import {
  BIGINT,
  DATE,
  DOUBLE,
  DuckDBDateValue,
  type DuckDBType,
  type DuckDBValue,
  LIST,
  listValue,
  VARCHAR,
} from '@duckdb/node-api';
import type { Column, DataType } from '../../catalog/dataset.ts';
import { compareBounds } from '../../plan/bound-order.ts';
import type { Comparison, DateWindow, Grant, Predicate, QueryPlan } from '../../plan/query-plan.ts';
import { daysOfDate } from '../columns.ts';
import type { BoundValue } from '../engine.ts';
import { quoteText } from './sql-text.ts';
import { storedSql } from './utc-columns.ts';

export interface CompiledQuery {
  readonly sql: string;
  readonly values: readonly DuckDBValue[];
  readonly types: readonly DuckDBType[];
}

interface SqlType {
  readonly type: DuckDBType;
  readonly toValue: (value: BoundValue) => DuckDBValue;
}

const asIs = (value: BoundValue): DuckDBValue => value;

/** The type that a value of a column is bound as; an array column is matched by its elements. */
const SQL_TYPES: Record<DataType, SqlType> = {
  string: { type: VARCHAR, toValue: asIs },
  'array of string': { type: VARCHAR, toValue: asIs },
  integer: { type: BIGINT, toValue: asIs },
  number: { type: DOUBLE, toValue: asIs },
  date: { type: DATE, toValue: (value) => new DuckDBDateValue(daysOfDate(value as string)) },
  'date-time': { type: BIGINT, toValue: asIs },
};

const COMPARISON_SIGNS: Record<Comparison, string> = {
  eq: '=',
  gt: '>',
  ge: '>=',
  lt: '<',
  le: '<=',
};

/**
 * `*` stands for any run of characters, every other character for itself. A regular expression,
 * because its matcher takes time in proportion to the text whatever the pattern; that of LIKE with
 * an escape does not, and cannot be interrupted.
 */
function wildcardExpression(pattern: string): string {
  const parts = pattern.split(/\*+/).map((part) => part.replaceAll(/[!-/:-@[-`{-~]/g, '\\$&'));
  return parts.join('.*');
}

/** Options of the matcher: `.` is any character, line breaks too; `i` folds case. */
const MATCH_OPTIONS = { like: 's', ilike: 'si' } as const;

/** Small, so that a page reads little that is not its own. */
const SPILL_ROW_GROUP_ROWS = 20_480;

class ParameterList {
  readonly values: DuckDBValue[] = [];
  readonly types: DuckDBType[] = [];

  add(value: DuckDBValue, type: DuckDBType): string {
    this.values.push(value);
    this.types.push(type);
    return `$${this.values.length}`;
  }

  addList(values: readonly DuckDBValue[], type: DuckDBType): string {
    return this.add(listValue(values), LIST(type));
  }
}

/** A list is looked through value by value; a longer one is halved until its parts are short. */
const LIST_VALUES_MAX = 64;

/**
 * Whether `element` is among the values, which are sorted. A join would find out sooner, but its
 * rows come in no order.
 */
function isAmong(
  element: string,
  values: readonly BoundValue[],
  { type, toValue }: SqlType,
  parameters: ParameterList,
): string {
  if (values.length <= LIST_VALUES_MAX) {
    return `list_contains(${parameters.addList(values.map(toValue), type)}, ${element})`;
  }
  const middle = values.length >> 1;
  const split = parameters.add(toValue(values[middle] as BoundValue), type);
  const [before, after] = [values.slice(0, middle), values.slice(middle)].map((half) =>
    isAmong(element, half, { type, toValue }, parameters),
  );
  return `CASE WHEN ${element} < ${split} THEN ${before} ELSE ${after} END`;
}

/** One element of the column has to match: `element` is the SQL of a value of it. */
function matchAny(column: Column, condition: (element: string) => string): string {
  const name = storedSql(column);
  return column.dataType === 'array of string'
    ? `len(list_filter(${name}, lambda element: ${condition('element')})) > 0`
    : condition(name);
}

function predicateSql(predicate: Predicate, parameters: ParameterList): string {
  const { column } = predicate;
  const { type, toValue } = SQL_TYPES[column.dataType];
  if ('pattern' in predicate) {
    const pattern = parameters.add(wildcardExpression(predicate.pattern), VARCHAR);
    const options = MATCH_OPTIONS[predicate.operator];
    return matchAny(column, (text) => `regexp_full_match(${text}, ${pattern}, '${options}')`);
  }
  if ('values' in predicate) {
    const values = [...predicate.values].sort(compareBounds);
    return matchAny(column, (element) =>
      isAmong(element, values, SQL_TYPES[column.dataType], parameters),
    );
  }
  const value = parameters.add(toValue(predicate.value), type);
  const sign = COMPARISON_SIGNS[predicate.operator];
  return matchAny(column, (element) => `${element} ${sign} ${value}`);
}

function windowSql(window: DateWindow, parameters: ParameterList): string {
  const { column, start, end, passesUndated } = window;
  const name = storedSql(column);
  const [from, to] = [start, end].map((date) =>
    parameters.add(SQL_TYPES.date.toValue(date), SQL_TYPES.date.type),
  );
  const isInside = `${name} BETWEEN ${from} AND ${to}`;
  return passesUndated ? `(${name} IS NULL OR ${isInside})` : isInside;
}

/** One of the conditions holds; without any, nothing does. */
function anySql(conditions: readonly string[]): string {
  return conditions.length === 0 ? 'false' : `(${conditions.join(' OR ')})`;
}

/** What a row has to meet for the grant to let it pass: nothing, where it limits nothing. */
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

/** What a row has to meet; nothing where every row passes. */
function conditionsOf(plan: QueryPlan, parameters: ParameterList): string[] {
  return [
    ...plan.predicates.map((predicate) => predicateSql(predicate, parameters)),
    ...grantsSql(plan.grants, parameters),
  ];
}

/** How many columns the conditions of a plan read. */
export function conditionColumnCount({ predicates, grants }: QueryPlan): number {
  const columns = [
    ...predicates.map(({ column }) => column),
    ...grants.flatMap(({ window, universe }) => [
      ...(window ? [window.column] : []),
      ...(universe ?? []).map(({ column }) => column),
    ]),
  ];
  return new Set(columns.map(({ name }) => name)).size;
}

/** Whether the plan finds every row of its partitions. */
export function findsEveryRow(plan: QueryPlan): boolean {
  return conditionsOf(plan, new ParameterList()).length === 0;
}

const whereSql = (conditions: readonly string[]) =>
  conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';

const namesSql = (columns: readonly Column[]) => columns.map(storedSql).join(', ');

const columnsSql = (plan: QueryPlan) => namesSql(plan.columns);

function fromSql(files: readonly string[], parameters: ParameterList): string {
  return `FROM read_parquet(${parameters.addList(files, VARCHAR)}, hive_partitioning = false)`;
}

function integerSql(value: number, parameters: ParameterList): string {
  return parameters.add(BigInt(value), BIGINT);
}

function compiled(lines: readonly string[], { values, types }: ParameterList): CompiledQuery {
  return { sql: lines.filter((line) => line !== '').join('\n'), values, types };
}

/** Consecutive files of a plan; of a single one perhaps only the rows from `startRow` to `endRow`. */
export interface Stretch {
  /** Number of the first of the files among the plan's partitions. */
  readonly firstFile: number;
  readonly files: readonly string[];
  readonly startRow: number;
  /** Exclusive; null: up to the end. */
  readonly endRow: number | null;
}

function stretchSql({ startRow, endRow }: Stretch, parameters: ParameterList): string[] {
  const row = 'file_row_number';
  return [
    ...(startRow > 0 ? [`${row} >= ${integerSql(startRow, parameters)}`] : []),
    ...(endRow === null ? [] : [`${row} < ${integerSql(endRow, parameters)}`]),
  ];
}

/** Rows that the plan finds in a stretch, in natural order: those of a file come in order. */
function selectStretch(
  plan: QueryPlan,
  select: string,
  stretch: Stretch,
  parameters: ParameterList,
): string[] {
  const from = fromSql(stretch.files, parameters);
  const conditions = [...conditionsOf(plan, parameters), ...stretchSql(stretch, parameters)];
  return [`SELECT ${select}`, from, whereSql(conditions)];
}

/**
 * Some of the plan's columns, perhaps none, of the first rows of a stretch, and where these lie:
 * `file_index` and `file_row_number` come last.
 */
export function compileStretch(
  plan: QueryPlan,
  columns: readonly Column[],
  stretch: Stretch,
  limit: number,
): CompiledQuery {
  const parameters = new ParameterList();
  const select = [...columns.map(storedSql), 'file_index', 'file_row_number'];
  const lines = selectStretch(plan, select.join(', '), stretch, parameters);
  return compiled([...lines, `LIMIT ${integerSql(limit, parameters)}`], parameters);
}

/** Some of the plan's columns, of all rows of a stretch. */
export function compileColumns(
  plan: QueryPlan,
  columns: readonly Column[],
  stretch: Stretch,
): CompiledQuery {
  const parameters = new ParameterList();
  return compiled(selectStretch(plan, namesSql(columns), stretch, parameters), parameters);
}

/** The place of one found row: past `skipCount` others of the stretches in a row, `file`, `row`. */
export function compilePlace(
  plan: QueryPlan,
  stretches: readonly Stretch[],
  skipCount: number,
): CompiledQuery {
  const parameters = new ParameterList();
  const parts = stretches.map((stretch) => {
    const file = `file_index::BIGINT + ${integerSql(stretch.firstFile, parameters)}`;
    const from = fromSql(stretch.files, parameters);
    const conditions = [...conditionsOf(plan, parameters), ...stretchSql(stretch, parameters)];
    return `SELECT ${file} AS file, file_row_number AS row ${from} ${whereSql(conditions)}`;
  });
  return compiled(
    [
      `SELECT file, row FROM (${parts.join('\nUNION ALL ')})`,
      `LIMIT 1 OFFSET ${integerSql(skipCount, parameters)}`,
    ],
    parameters,
  );
}

const filesOf = (plan: QueryPlan) => plan.partitions.map(({ file }) => file);

/** Ties fall back to the position in the files, which makes the order total. */
function orderSql({ sort, partitions }: QueryPlan): string {
  const keys = sort.map(
    ({ column, descending }) => `${storedSql(column)} ${descending ? 'DESC' : 'ASC'} NULLS LAST`,
  );
  const file = partitions.length > 1 ? ['file_index'] : [];
  return `ORDER BY ${[...keys, ...file, 'file_row_number'].join(', ')}`;
}

/** Types of which equal values are the same value: not so `number`, with its two zeros. */
const EXACT_TYPES: readonly DataType[] = ['string', 'integer', 'date', 'date-time'];

/** The one value that a column has in all rows that the plan finds, where a condition says so. */
export function onlyValue(
  { predicates }: QueryPlan,
  { name, dataType }: Column,
): BoundValue | undefined {
  if (!EXACT_TYPES.includes(dataType)) return undefined;
  for (const predicate of predicates) {
    if (predicate.column.name !== name || !('value' in predicate)) continue;
    if (predicate.operator === 'eq') return predicate.value;
  }
  return undefined;
}

/** The page of a plan that sorts, from the files themselves. */
export function compileSortedPage(plan: QueryPlan): CompiledQuery {
  const parameters = new ParameterList();
  return compiled(
    [
      `SELECT ${columnsSql(plan)}`,
      fromSql(filesOf(plan), parameters),
      whereSql(conditionsOf(plan, parameters)),
      orderSql(plan),
      `LIMIT ${integerSql(plan.limit + 1, parameters)}`,
      `OFFSET ${integerSql(plan.offset, parameters)}`,
    ],
    parameters,
  );
}

export function compileCount(plan: QueryPlan, limit: number): CompiledQuery {
  const parameters = new ParameterList();
  const from = fromSql(filesOf(plan), parameters);
  const where = whereSql(conditionsOf(plan, parameters));
  const rows = `SELECT 1 ${from} ${where} LIMIT ${integerSql(limit, parameters)}`;
  return compiled([`SELECT count(*) FROM (${rows})`], parameters);
}

/**
 * Writes all rows of a plan that sorts to a new file, without the columns of one value: each column
 * costs the sort and the file as much as any other.
 */
export function compileSpill(plan: QueryPlan, targetFile: string): CompiledQuery {
  const parameters = new ParameterList();
  const varied = plan.columns.filter((column) => onlyValue(plan, column) === undefined);
  return compiled(
    [
      `COPY (SELECT ${varied.length > 0 ? namesSql(varied) : 'true AS row'}`,
      fromSql(filesOf(plan), parameters),
      whereSql(conditionsOf(plan, parameters)),
      orderSql(plan),
      `) TO ${quoteText(targetFile)} (FORMAT parquet, COMPRESSION lz4,`,
      `ROW_GROUP_SIZE ${SPILL_ROW_GROUP_ROWS}, USE_TMP_FILE false)`,
    ],
    parameters,
  );
}

/** The plan's page of a file that holds all its rows in order. */
export function compileSpilledPage(plan: QueryPlan, file: string): CompiledQuery {
  const parameters = new ParameterList();
  const stretch = {
    firstFile: 0,
    files: [file],
    startRow: plan.offset,
    endRow: plan.offset + plan.limit + 1,
  };
  const columns = plan.columns.map((column) => {
    const value = onlyValue(plan, column);
    const name = storedSql(column);
    if (value === undefined) return name;
    const { type, toValue } = SQL_TYPES[column.dataType];
    return `${parameters.add(toValue(value), type)} AS ${name}`;
  });
  const from = fromSql(stretch.files, parameters);
  return compiled(
    [`SELECT ${columns.join(', ')}`, from, whereSql(stretchSql(stretch, parameters))],
    parameters,
  );
}
