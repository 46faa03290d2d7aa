/** The meaning of predicates' operators, in SQL. Every value that a client wrote is a parameter. */
import {
  BIGINT,
  BOOLEAN,
  DATE,
  DECIMAL,
  DOUBLE,
  DuckDBDateValue,
  DuckDBDecimalValue,
  type DuckDBType,
  type DuckDBValue,
  LIST,
  listValue,
  VARCHAR,
} from '@duckdb/node-api';
import { decimalDigits } from '../../../catalog/column-types.ts';
import type { Column, DataType } from '../../../catalog/dataset.ts';
import { compareBounds } from '../../../plan/prune.ts';
import { daysOfDate } from '../../columns.ts';
import { wildcardExpression } from '../../operators.ts';
import type { BoundValue } from '../../part.ts';
import type { Predicate } from '../../query-plan.ts';
import {
  type Arithmetic,
  NUMBER_MAX,
  placeOf,
  TEXT_DIGITS,
  THOUSANDTHS,
  WORD_MAX,
} from '../../sample.ts';
import { storedSql } from '../utc-columns.ts';

export interface ParameterType {
  readonly type: DuckDBType;
  readonly toValue: (value: BoundValue) => DuckDBValue;
}

const asIs = (value: BoundValue): DuckDBValue => value;

const STRING: ParameterType = { type: VARCHAR, toValue: asIs };
const INTEGER: ParameterType = { type: BIGINT, toValue: asIs };
const NUMBER: ParameterType = { type: DOUBLE, toValue: asIs };

export const DATE_PARAMETER: ParameterType = {
  type: DATE,
  toValue: (value) => new DuckDBDateValue(daysOfDate(value as string)),
};

/** All digits are those of the column: a comparison of other ones would convert every row. */
function decimalParameter(column: Column): ParameterType {
  const { precision, scale } = decimalDigits(column);
  return {
    type: DECIMAL(precision, scale),
    toValue: (value) => new DuckDBDecimalValue(value as bigint, precision, scale),
  };
}

const PARAMETER_TYPES: Readonly<Record<DataType, (column: Column) => ParameterType>> = {
  string: () => STRING,
  'array of string': () => STRING,
  integer: () => INTEGER,
  'array of integer': () => INTEGER,
  number: () => NUMBER,
  'array of number': () => NUMBER,
  decimal: decimalParameter,
  boolean: () => ({ type: BOOLEAN, toValue: asIs }),
  date: () => DATE_PARAMETER,
  'date-time': () => INTEGER,
};

/** The type that a value of a column is bound as; an array column is matched by its elements. */
export function parameterType(column: Column): ParameterType {
  return PARAMETER_TYPES[column.dataType](column);
}

/** Column types whose values are no whole numbers as they are. */
const WHOLE: Readonly<Partial<Record<DataType, (name: string) => string>>> = {
  string: (name) => `CAST('0x' || left(md5(${name}), ${TEXT_DIGITS}) AS BIGINT)`,
  date: (name) => `(${name} - DATE '1970-01-01')`,
  number: (name) =>
    `CASE WHEN abs(${name}) < ${NUMBER_MAX} THEN CAST(floor(${name} * ${THOUSANDTHS}) AS BIGINT) END`,
};

const ARITHMETIC: Arithmetic<string> = {
  wholeOf: (column) => {
    const name = storedSql(column);
    return `coalesce(${WHOLE[column.dataType]?.(name) ?? name}, 0)`;
  },
  constant: (value) => `${value}::BIGINT`,
  bits: (value, first) => `(${value}${first > 0 ? ` >> ${first}` : ''} & ${WORD_MAX})`,
  xor: (a, b) => `xor(${a}, ${b})`,
  timesModulo: (value, factor, modulus) => `(${value} * ${factor} % ${modulus})`,
};

/** SQL of a value of the column. */
export function valueSql(column: Column): string {
  return column.madeOf ? placeOf(column.madeOf, ARITHMETIC) : storedSql(column);
}

export class ParameterList {
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

/** The condition on `element`, which is the SQL of a value of the column. */
type Condition = (element: string) => string;
type ConditionMaker = (
  values: readonly BoundValue[],
  type: ParameterType,
  parameters: ParameterList,
) => Condition;

function compared(sign: string): ConditionMaker {
  return ([value], { type, toValue }, parameters) => {
    const bound = parameters.add(toValue(value as BoundValue), type);
    return (element) => `${element} ${sign} ${bound}`;
  };
}

/**
 * A regular expression, since LIKE with an escape takes far longer and cannot be interrupted.
 * Options: `s` lets `.` be any character, line breaks too; `i` folds case.
 */
function matched(options: string): ConditionMaker {
  return ([value], _, parameters) => {
    const pattern = parameters.add(wildcardExpression(String(value)), VARCHAR);
    return (text) => `regexp_full_match(${text}, ${pattern}, '${options}')`;
  };
}

/** A list is looked through value by value; a longer one is halved until its parts are short. */
const LIST_VALUES_MAX = 64;

/**
 * SQL: true if `element` is among the sorted values. A join would find out sooner, but its
 * rows come in no order.
 */
function isAmong(
  element: string,
  values: readonly BoundValue[],
  { type, toValue }: ParameterType,
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

const among: ConditionMaker = (values, type, parameters) => {
  const sorted = values.toSorted(compareBounds);
  return (element) => isAmong(element, sorted, type, parameters);
};

export const CONDITIONS: Readonly<Record<Predicate['operator'], ConditionMaker>> = {
  eq: compared('='),
  gt: compared('>'),
  ge: compared('>='),
  lt: compared('<'),
  le: compared('<='),
  in: among,
  like: matched('s'),
  ilike: matched('si'),
};
