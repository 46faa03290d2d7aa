/** Columns of parts, and which of their rows a plan lets pass, as SQL. Pure. */
import { elementType, isArray } from '../../catalog/column-types.ts';
import type { Column, Dataset, DataType } from '../../catalog/dataset.ts';
import { valuesOf } from '../../plan/conditions.ts';
import { undecidedPredicates } from '../../plan/prune.ts';
import { daysOfDate } from '../columns.ts';
import { decimalText } from '../decimals.ts';
import { wildcardExpression } from '../operators.ts';
import type { BoundValue, Part } from '../part.ts';
import type { DateWindow, Grant, Predicate, QueryPlan } from '../query-plan.ts';
import {
  type Arithmetic,
  NUMBER_MAX,
  placeOf,
  TEXT_DIGITS,
  THOUSANDTHS,
  WORD_MAX,
} from '../sample.ts';
import { readingsOf } from '../stored-columns.ts';

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** A name that the catalogue or this folder has made. */
export function nameSql(name: string): string {
  if (!NAME.test(name)) throw new Error(`${name} is no name`);
  return `\`${name}\``;
}

/** A text as a literal: for what no client wrote, where a server takes no bound value. */
export function textSql(value: string): string {
  return `'${value.replaceAll(/['\\]/g, '\\$&')}'`;
}

/** Values as a statement has them: bound, or as literals. */
export interface ValuesSql {
  one(type: string, text: string): string;
  /** In brackets, for `IN`. */
  list(type: string, texts: readonly string[]): string;
}

const literal = (type: string, text: string) =>
  type === 'String' ? textSql(text) : `CAST(${textSql(text)}, ${textSql(type)})`;

export const LITERALS: ValuesSql = {
  one: literal,
  list: (type, texts) => `(${texts.map((text) => literal(type, text)).join(', ')})`,
};

/**
 * Bound values travel in the request's URL, of which servers take 128 KiB for each value; there, a
 * character may become three or more.
 */
const BOUND_BYTES_MAX = 32 * 1024;

/** Values bound to a statement; those beyond the limit become literals. */
export class BoundValues implements ValuesSql {
  readonly params: Record<string, string | readonly string[]> = {};
  #byteCount = 0;

  one(type: string, text: string): string {
    return this.#bind(type, text, text.length) ?? LITERALS.one(type, text);
  }

  list(type: string, texts: readonly string[]): string {
    const byteCount = texts.reduce((sum, text) => sum + text.length + 1, 0);
    const values = type === 'String' ? texts : `[${texts.join()}]`;
    return this.#bind(`Array(${type})`, values, byteCount) ?? LITERALS.list(type, texts);
  }

  #bind(type: string, value: string | readonly string[], byteCount: number): string | null {
    this.#byteCount += byteCount;
    if (this.#byteCount > BOUND_BYTES_MAX) return null;
    const name = `v${Object.keys(this.params).length}`;
    this.params[name] = value;
    return `{${name}:${type}}`;
  }
}

/** Digits of every stored decimal, so that any two of one scale can be compared. */
const DECIMAL_DIGITS = 38;

type Typed = Pick<Column, 'dataType' | 'scale'>;

/** Exact types: days and nanoseconds are integers. */
const TYPES = { string: 'String', number: 'Float64', boolean: 'Bool', date: 'Int32' };

/** The type of a column's values, or of the items of its arrays. */
function valueType({ dataType, scale = 0 }: Typed): string {
  const element = elementType(dataType);
  if (element === 'decimal') return `Decimal(${DECIMAL_DIGITS}, ${scale})`;
  return TYPES[element as keyof typeof TYPES] ?? 'Int64';
}

/** As a table has the column. No array is nullable: one whose only item is null stands for none. */
export function typeSql(column: Typed): string {
  const type = `Nullable(${valueType(column)})`;
  return isArray(column.dataType) ? `Array(${type})` : type;
}

/** A column of a dataset in a part: as SQL; null: it is not stored. */
export interface ReadColumn {
  readonly column: Column;
  readonly sql: string | null;
}

export type ReadOf = (column: Column) => ReadColumn;

/** How the dataset's columns are read out of a part, whose types may have been narrower. */
export function readColumnsOf(part: Pick<Part, 'storedColumns'>, dataset: Dataset): ReadOf {
  const readings = new Map(
    readingsOf(part, dataset).map(({ column, stored }) => [column.name, stored]),
  );
  return (column) => {
    const name = nameSql(column.name);
    const stored = readings.get(column.name);
    if (stored === null) return { column, sql: null };
    const type = typeSql(column);
    const isAsStored = stored === undefined || typeSql(stored) === type;
    return { column, sql: isAsStored ? name : `CAST(${name}, ${textSql(type)})` };
  };
}

const NEVER = '0';

function textOf({ dataType, scale = 0 }: Column, value: BoundValue): string {
  if (dataType === 'decimal') return decimalText(value as bigint, scale);
  return `${dataType === 'date' ? daysOfDate(value as string) : value}`;
}

type Condition = (sql: string, predicate: Predicate, values: ValuesSql) => string;

/** The condition on a value, or on one of the items of an array. */
function anyItem(condition: Condition): Condition {
  return (sql, predicate, values) =>
    isArray(predicate.column.dataType)
      ? `arrayExists(item -> ${condition('item', predicate, values)}, ${sql})`
      : condition(sql, predicate, values);
}

function compared(sign: string): Condition {
  return anyItem((sql, predicate, values) => {
    const { column } = predicate;
    const [value] = valuesOf(predicate) as [BoundValue];
    return `${sql} ${sign} ${values.one(valueType(column), textOf(column, value))}`;
  });
}

const among = anyItem((sql, predicate, values) => {
  const { column } = predicate;
  const texts = valuesOf(predicate).map((value) => textOf(column, value));
  return texts.length === 0 ? NEVER : `${sql} IN ${values.list(valueType(column), texts)}`;
});

/** Options of the matcher: `s` lets `.` be any character, line breaks too; `i` folds case. */
function matched(options: string): Condition {
  return anyItem((sql, predicate, values) => {
    const pattern = wildcardExpression(String(valuesOf(predicate)[0]));
    return `match(${sql}, ${values.one('String', `(?${options})\\A${pattern}\\z`)})`;
  });
}

const CONDITIONS: Readonly<Record<Predicate['operator'], Condition>> = {
  eq: compared('='),
  gt: compared('>'),
  ge: compared('>='),
  lt: compared('<'),
  le: compared('<='),
  in: among,
  like: matched('s'),
  ilike: matched('si'),
};

/** Column types whose values are no whole numbers as they are. */
const WHOLE: Readonly<Partial<Record<DataType, (sql: string) => string>>> = {
  string: (sql) =>
    `bitShiftRight(reinterpretAsUInt32(reverse(substring(MD5(${sql}), 1, 4))), ${32 - 4 * TEXT_DIGITS})`,
  number: (sql) => `if(abs(${sql}) < ${NUMBER_MAX}, floor(${sql} * ${THOUSANDTHS}), 0)`,
};

function arithmeticOf(readOf: ReadOf): Arithmetic<string> {
  return {
    wholeOf: (column) => {
      const { sql } = readOf(column);
      return sql === null
        ? constant(0)
        : `ifNull(toInt64(${WHOLE[column.dataType]?.(sql) ?? sql}), 0)`;
    },
    constant,
    bits: (value, first) => `bitAnd(bitShiftRight(${value}, ${first}), ${constant(WORD_MAX)})`,
    xor: (a, b) => `bitXor(${a}, ${b})`,
    timesModulo: (value, factor, modulus) => `(${value} * ${factor} % ${constant(modulus)})`,
  };
}

const constant = (value: number) => `toInt64(${value})`;

function valueSql({ madeOf, ...column }: Column, readOf: ReadOf): string | null {
  return madeOf ? placeOf(madeOf, arithmeticOf(readOf)) : readOf(column).sql;
}

/** The condition of a predicate on the rows of parts that have the columns so. */
export function predicateSql(predicate: Predicate, readOf: ReadOf, values: ValuesSql): string {
  const sql = valueSql(predicate.column, readOf);
  return sql === null ? NEVER : CONDITIONS[predicate.operator](sql, predicate, values);
}

function windowSql({ column, start, end, passesUndated }: DateWindow, readOf: ReadOf): string {
  const { sql } = readOf(column);
  if (sql === null) return passesUndated ? '1' : NEVER;
  const isInside = `${sql} BETWEEN ${daysOfDate(start)} AND ${daysOfDate(end)}`;
  return passesUndated ? `(isNull(${sql}) OR ${isInside})` : `(${isInside})`;
}

/** One of the conditions holds; without any, nothing does. */
function anySql(conditions: readonly string[]): string {
  return conditions.length === 0 ? NEVER : `(${conditions.join(' OR ')})`;
}

function grantSql({ window, universe }: Grant, readOf: ReadOf): string {
  const conditions = [
    ...(universe ? [anySql(universe.map((each) => predicateSql(each, readOf, LITERALS)))] : []),
    ...(window ? [windowSql(window, readOf)] : []),
  ];
  return `(${conditions.join(' AND ')})`;
}

const isUnlimited = ({ window, universe }: Grant) => !window && !universe;

/** The rows that the account's rules let pass; null: all. */
export function grantedSql({ grants }: Pick<QueryPlan, 'grants'>, readOf: ReadOf): string | null {
  if (grants.some(isUnlimited)) return null;
  return anySql(grants.map((grant) => grantSql(grant, readOf)));
}

export function findsEveryRow(plan: QueryPlan): boolean {
  return undecidedPredicates(plan).length === 0 && plan.grants.some(isUnlimited);
}
