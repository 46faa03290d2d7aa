/** The meaning of predicates' operators, in SQL, on columns as they are stored. Pure. */
import { elementType, isArray } from '../../catalog/column-types.ts';
import type { Column } from '../../catalog/dataset.ts';
import { valuesOf } from '../../plan/predicate.ts';
import { daysOfDate } from '../columns.ts';
import type { BoundValue } from '../part.ts';
import type { Predicate } from '../query-plan.ts';
import { bytesOfUnits, type Encoding, encodingOf } from './encodings.ts';
import { columnSql, type ReadColumn } from './read-columns.ts';
import { bytesSql, integerSql, numberSql, textSql } from './sql-values.ts';

export const NEVER = '0';

const INTEGER_MAX = 2n ** 63n - 1n;
const INTEGER_MIN = -(2n ** 63n);

type ToSql = (value: BoundValue) => string;

const whole: ToSql = (value) => integerSql(value as bigint | number);
const text: ToSql = (value) => textSql(value as string);
const number: ToSql = (value) => numberSql(value as number);

/** A value as one of those that are stored; an array is matched by its items. */
const VALUES: Readonly<Record<Encoding, ToSql>> = {
  integer: whole,
  integers: whole,
  number,
  numbers: number,
  text,
  texts: text,
  days: (value) => integerSql(daysOfDate(value as string)),
  flag: (value) => integerSql(Number(value)),
  units: (value) => bytesSql(bytesOfUnits(value as bigint)),
};

/** What a decimal column that has more digits now is multiplied by when it is read. */
function factorOf({ column, stored }: ReadColumn): bigint {
  return 10n ** BigInt((column.scale ?? 0) - (stored?.scale ?? 0));
}

function floored(value: bigint, factor: bigint): bigint {
  const rest = value % factor;
  return value / factor - (rest < 0n ? 1n : 0n);
}

type Comparing = '=' | '<' | '<=' | '>' | '>=';

/** A comparison of the rounded-down value that comes to the same. */
const ROUNDED: Readonly<Record<Comparing, Comparing | null>> = {
  '=': null,
  '<': '<=',
  '<=': '<=',
  '>': '>',
  '>=': '>',
};

/** A comparison with a value that no stored integer reaches. */
function beyond(sign: Comparing, isAbove: boolean, name: string): string {
  return sign.startsWith(isAbove ? '<' : '>') ? `isNotNull(${name})` : NEVER;
}

/** Decimals of fewer digits, and integers, that are read as decimals: the value is brought to them. */
function comparedDecimal(read: ReadColumn, sign: Comparing, value: bigint): string {
  const { stored, column } = read;
  const factor = factorOf(read);
  const isExact = value % factor === 0n;
  const kept = isExact ? sign : ROUNDED[sign];
  const units = floored(value, factor);
  const name = columnSql(read);
  if (kept === null) return NEVER;
  const encoding = encodingOf(stored ?? column);
  if (encoding === 'integer' && (units > INTEGER_MAX || units < INTEGER_MIN)) {
    return beyond(kept, units > 0n, name);
  }
  return `${name} ${kept} ${VALUES[encoding](units)}`;
}

function storedEncoding({ column, stored }: ReadColumn): Encoding {
  const isNumber = elementType(column.dataType) === 'number';
  return encodingOf(isNumber ? column : (stored ?? column));
}

/** The items of a stored array, of which a null has none. */
const itemsSql = (read: ReadColumn) => `arrayElement(${columnSql(read)}, 1)`;

function compared(sign: Comparing) {
  return (read: ReadColumn, [value]: readonly BoundValue[]): string => {
    if (read.column.dataType === 'decimal') return comparedDecimal(read, sign, value as bigint);
    const literal = VALUES[storedEncoding(read)](value as BoundValue);
    if (!isArray(read.column.dataType)) return `${columnSql(read)} ${sign} ${literal}`;
    return `arrayExists(item -> item ${sign} ${literal}, ${itemsSql(read)})`;
  };
}

/** A decimal among values of which some have digits that no stored one has. */
function storable(read: ReadColumn, values: readonly BoundValue[]): readonly BoundValue[] {
  if (read.column.dataType !== 'decimal') return values;
  const factor = factorOf(read);
  const isShort = storedEncoding(read) === 'integer';
  return (values as readonly bigint[])
    .filter((value) => value % factor === 0n)
    .map((value) => value / factor)
    .filter((value) => !isShort || (value >= INTEGER_MIN && value <= INTEGER_MAX));
}

function among(read: ReadColumn, values: readonly BoundValue[]): string {
  const literals = storable(read, values).map(VALUES[storedEncoding(read)]);
  if (literals.length === 0) return NEVER;
  if (!isArray(read.column.dataType)) return `${columnSql(read)} IN (${literals.join(', ')})`;
  const one = literals.map((literal) => `item = ${literal}`);
  return `arrayExists(item -> ${one.join(' OR ')}, ${itemsSql(read)})`;
}

/** `*` stands for any run of characters, every other character for itself. */
function wildcardExpression(pattern: string): string {
  const parts = pattern.split(/\*+/).map((part) => part.replaceAll(/[!-/:-@[-`{-~]/g, '\\$&'));
  return parts.join('.*');
}

/**
 * Options of the matcher: `s` lets `.` be any character, line breaks too; `i` folds case. The expression is a group of
 * its own: of one that is not, old servers look for pieces in the text first, and fold no case when they do.
 */
function matched(options: string) {
  return (read: ReadColumn, [pattern]: readonly BoundValue[]): string => {
    const anchored = `\\A${wildcardExpression(String(pattern))}\\z`;
    const expression = textSql(`(?${options})(?:${anchored})`);
    if (!isArray(read.column.dataType)) return `match(${columnSql(read)}, ${expression})`;
    return `arrayExists(item -> match(item, ${expression}), ${itemsSql(read)})`;
  };
}

type Condition = (read: ReadColumn, values: readonly BoundValue[]) => string;

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

/** The condition of a predicate on the rows of parts that have the columns so. */
export function predicateSql(predicate: Predicate, readOf: (column: Column) => ReadColumn): string {
  const read = readOf(predicate.column);
  if (read.stored === null) return NEVER;
  return CONDITIONS[predicate.operator](read, valuesOf(predicate));
}
