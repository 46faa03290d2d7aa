/** Query plan -> SQL text and bound values. Pure; every value that a client wrote is a parameter. */
import {
  BIGINT,
  DATE,
  DOUBLE,
  DuckDBDateValue,
  DuckDBTimestampNanosecondsValue,
  type DuckDBType,
  type DuckDBValue,
  LIST,
  listValue,
  TIMESTAMP_NS,
  VARCHAR,
} from '@duckdb/node-api';
import type { Column, DataType } from '../../catalog/dataset.ts';
import type { Comparison, DateWindow, Grant, Predicate, QueryPlan } from '../../plan/query-plan.ts';
import { daysOfDate } from '../columns.ts';
import type { BoundValue } from '../engine.ts';
import { quoteName } from './sql-text.ts';

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
  'date-time': {
    type: TIMESTAMP_NS,
    toValue: (value) => new DuckDBTimestampNanosecondsValue(value as bigint),
  },
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

/** One element of the column has to match: `element` is the SQL of a value of it. */
function matchAny(column: Column, condition: (element: string) => string): string {
  const name = quoteName(column.name);
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
    const list = parameters.addList(predicate.values.map(toValue), type);
    return matchAny(column, (element) => `list_contains(${list}, ${element})`);
  }
  const value = parameters.add(toValue(predicate.value), type);
  const sign = COMPARISON_SIGNS[predicate.operator];
  return matchAny(column, (element) => `${element} ${sign} ${value}`);
}

function windowSql(window: DateWindow, parameters: ParameterList): string {
  const { column, start, end, passesUndated } = window;
  const name = quoteName(column.name);
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

/** The rows of a file come in natural order, so only an explicit sort needs an ORDER BY. */
function orderSql(plan: QueryPlan): string {
  if (plan.sort.length === 0) return '';
  const keys = plan.sort.map(
    ({ column, descending }) =>
      `${quoteName(column.name)} ${descending ? 'DESC' : 'ASC'} NULLS LAST`,
  );
  return `ORDER BY ${[...keys, 'file_index', 'file_row_number'].join(', ')}`;
}

/** Compiles a plan that has at least one partition. */
export function compileQuery(plan: QueryPlan): CompiledQuery {
  const parameters = new ParameterList();
  const files = parameters.addList(
    plan.partitions.map((partition) => partition.file),
    VARCHAR,
  );
  const conditions = [
    ...plan.predicates.map((predicate) => predicateSql(predicate, parameters)),
    ...grantsSql(plan.grants, parameters),
  ];
  const sql = [
    `SELECT ${plan.columns.map((column) => quoteName(column.name)).join(', ')}`,
    `FROM read_parquet(${files}, hive_partitioning = false)`,
    conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '',
    orderSql(plan),
    `LIMIT ${parameters.add(BigInt(plan.limit) + 1n, BIGINT)}`,
    `OFFSET ${parameters.add(BigInt(plan.offset), BIGINT)}`,
  ].filter((line) => line !== '');
  return { sql: sql.join('\n'), values: parameters.values, types: parameters.types };
}
