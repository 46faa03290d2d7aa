/** The meaning of predicates' operators, in SQL. Every value that a client wrote is a parameter. */
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
import type { DataType } from '../../catalog/dataset.ts';
import { compareBounds } from '../../plan/bound-order.ts';
import { daysOfDate } from '../columns.ts';
import type { BoundValue } from '../part.ts';
import type { Predicate } from '../query-plan.ts';

export interface ParameterType {
  readonly type: DuckDBType;
  readonly toValue: (value: BoundValue) => DuckDBValue;
}

const asIs = (value: BoundValue): DuckDBValue => value;

/** The type that a value of a column is bound as; an array column is matched by its elements. */
export const PARAMETER_TYPES: Record<DataType, ParameterType> = {
  string: { type: VARCHAR, toValue: asIs },
  'array of string': { type: VARCHAR, toValue: asIs },
  integer: { type: BIGINT, toValue: asIs },
  number: { type: DOUBLE, toValue: asIs },
  date: { type: DATE, toValue: (value) => new DuckDBDateValue(daysOfDate(value as string)) },
  'date-time': { type: BIGINT, toValue: asIs },
};

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
 * `*` stands for any run of characters, every other character for itself. A regular expression,
 * because its matcher takes time in proportion to the text whatever the pattern; that of LIKE with
 * an escape does not, and cannot be interrupted.
 */
function wildcardExpression(pattern: string): string {
  const parts = pattern.split(/\*+/).map((part) => part.replaceAll(/[!-/:-@[-`{-~]/g, '\\$&'));
  return parts.join('.*');
}

/** Options of the matcher: `s` lets `.` be any character, line breaks too; `i` folds case. */
function matched(options: string): ConditionMaker {
  return ([value], _, parameters) => {
    const pattern = parameters.add(wildcardExpression(String(value)), VARCHAR);
    return (text) => `regexp_full_match(${text}, ${pattern}, '${options}')`;
  };
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
