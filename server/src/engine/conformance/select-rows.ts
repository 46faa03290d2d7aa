/**
 * A plain program that finds the rows of a plan, at any cost: the reference for engines. The oracle
 * of whole answers also uses its operators and orders.
 */
import { hash } from 'node:crypto';
import type { Column, Dataset } from '../../catalog/dataset.ts';
import {
  type CellValue,
  type ColumnBatch,
  type ColumnVector,
  cellAt,
  dateOfDays,
  daysOfDate,
} from '../columns.ts';
import { countedDate, countedIdentifier, type DayCount } from '../engine.ts';
import type { Operator } from '../operators.ts';
import type { DateWindow, Grant, Predicate, QueryPlan } from '../query-plan.ts';
import { type Change, type ComparingPlan, changeOrderOf } from '../row-changes.ts';
import { NUMBER_MAX, placeOf, TEXT_DIGITS, THOUSANDTHS, WORD_MAX } from '../sample.ts';

/** A cell for each column of the dataset; dates as `YYYY-MM-DD`, integers and times as bigint. */
export type Row = readonly CellValue[];

type Value = Exclude<CellValue, null>;

type Items = readonly (string | number | bigint)[];

function compareLists(a: Items, b: Items): number {
  const differing = a.findIndex((item, i) => item !== b[i]);
  if (differing < 0 || differing >= b.length) return a.length - b.length;
  return compareValues(a[differing] as Items[number], b[differing] as Items[number]);
}

/** Two values of one type; strings by their UTF-8 bytes. */
export function compareValues(a: Value, b: Value): number {
  if (typeof a === 'object') return compareLists(a, b as Items);
  if (typeof a === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b as string));
  if (a < (b as typeof a)) return -1;
  return a > (b as typeof a) ? 1 : 0;
}

/** Nulls come last, in either direction. */
function compareCells(a: CellValue, b: CellValue, isDescending: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return compareValues(a, b) * (isDescending ? -1 : 1);
}

/** Sorts by keys that `cellOf` finds in a row; equal rows stay in the order in which they come. */
export function sortedBy<R, Key extends { readonly descending: boolean }>(
  rows: readonly R[],
  keys: readonly Key[],
  cellOf: (row: R, key: Key) => CellValue,
): R[] {
  return rows.toSorted((a, b) => {
    for (const key of keys) {
      const order = compareCells(cellOf(a, key), cellOf(b, key), key.descending);
      if (order !== 0) return order;
    }
    return 0;
  });
}

function isMatched(text: Value, pattern: Value, flags: string): boolean {
  const parts = String(pattern).split('*');
  const expression = parts
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&'))
    .join('.*');
  return new RegExp(`^${expression}$`, `su${flags}`).test(String(text));
}

const PASSES: Readonly<Record<Operator, (value: Value, operands: readonly Value[]) => boolean>> = {
  eq: (value, [operand]) => compareValues(value, operand as Value) === 0,
  gt: (value, [operand]) => compareValues(value, operand as Value) > 0,
  ge: (value, [operand]) => compareValues(value, operand as Value) >= 0,
  lt: (value, [operand]) => compareValues(value, operand as Value) < 0,
  le: (value, [operand]) => compareValues(value, operand as Value) <= 0,
  in: (value, operands) => operands.some((operand) => compareValues(value, operand) === 0),
  like: (value, [pattern]) => isMatched(value, pattern as Value, ''),
  ilike: (value, [pattern]) => isMatched(value, pattern as Value, 'i'),
};

/** True if a cell passes; `operands` are the values of a filter, or its pattern. */
export function passes(cell: CellValue, operator: Operator, operands: readonly Value[]): boolean {
  if (cell === null) return false;
  const values: readonly Value[] = typeof cell === 'object' ? cell : [cell];
  return values.some((value) => PASSES[operator](value, operands));
}

/** The whole number of a column's value; 0 of none. */
function wholeOf({ dataType }: Column, cell: CellValue): bigint {
  if (cell === null) return 0n;
  if (dataType === 'string') return BigInt(`0x${hash('md5', `${cell}`).slice(0, TEXT_DIGITS)}`);
  if (dataType === 'date') return BigInt(daysOfDate(`${cell}`));
  const isNear = typeof cell !== 'number' || Math.abs(cell) < NUMBER_MAX;
  return isNear
    ? BigInt(typeof cell === 'number' ? Math.floor(cell * THOUSANDTHS) : `${cell}`)
    : 0n;
}

/** The place of a row, whose cells are those of the columns. */
export function rowPlace(
  cellOf: (column: Column) => CellValue,
  columns: readonly Column[],
): bigint {
  return placeOf(columns, {
    wholeOf: (column) => wholeOf(column, cellOf(column)),
    constant: BigInt,
    bits: (value, first) => (value >> BigInt(first)) & BigInt(WORD_MAX),
    xor: (a, b) => a ^ b,
    timesModulo: (value, factor, modulus) => (value * BigInt(factor)) % BigInt(modulus),
  });
}

function operandsOf(predicate: Predicate): readonly Value[] {
  if ('values' in predicate) return predicate.values;
  return ['value' in predicate ? predicate.value : predicate.pattern];
}

/** Finds and orders the rows of one plan. */
export class RowSelection {
  readonly #plan: QueryPlan;

  constructor(plan: QueryPlan) {
    this.#plan = plan;
  }

  #cell(row: Row, { name, madeOf }: Column): CellValue {
    if (madeOf) return rowPlace((column) => this.#cell(row, column), madeOf);
    return row[this.#plan.dataset.columns.findIndex((column) => column.name === name)] ?? null;
  }

  #passes(row: Row, predicate: Predicate): boolean {
    return passes(this.#cell(row, predicate.column), predicate.operator, operandsOf(predicate));
  }

  #isInside(row: Row, { column, start, end, passesUndated }: DateWindow): boolean {
    const date = this.#cell(row, column);
    return date === null ? passesUndated : date >= start && date <= end;
  }

  #isGranted(row: Row, { window, universe }: Grant): boolean {
    if (window && !this.#isInside(row, window)) return false;
    return universe === null || universe.some((identifiers) => this.#passes(row, identifiers));
  }

  finds(row: Row): boolean {
    const { predicates, grants } = this.#plan;
    return (
      predicates.every((predicate) => this.#passes(row, predicate)) &&
      grants.some((grant) => this.#isGranted(row, grant))
    );
  }

  /** Equal rows stay in the order in which they come. */
  sorted(rows: readonly Row[]): readonly Row[] {
    return sortedBy(rows, this.#plan.sort, (row, { column }) => this.#cell(row, column));
  }

  /** The plan's columns of a row. */
  projected(row: Row): Row {
    return this.#plan.columns.map((column) => this.#cell(row, column));
  }
}

/** The rows that a scan of the plan has to yield, given all rows in natural order. */
export function selectRows(plan: QueryPlan, rows: readonly Row[]): Row[] {
  const selection = new RowSelection(plan);
  return selection
    .sorted(rows.filter((row) => selection.finds(row)))
    .slice(plan.offset, plan.offset + plan.limit + 1)
    .map((row) => selection.projected(row));
}

/** Equal rows have equal texts. */
const textOfRow = (row: Row) =>
  JSON.stringify(row, (_, cell) => (typeof cell === 'bigint' ? { bigint: `${cell}` } : cell));

/** The rows that `others` does not have, or has less often. */
function rowsBeside(rows: readonly Row[], others: readonly Row[]): Row[] {
  const counts = new Map<string, number>();
  for (const row of others) counts.set(textOfRow(row), (counts.get(textOfRow(row)) ?? 0) + 1);
  return rows.filter((row) => {
    const count = counts.get(textOfRow(row)) ?? 0;
    counts.set(textOfRow(row), count - 1);
    return count <= 0;
  });
}

/** All rows of a comparing plan in their order, given all rows of both states. */
export function selectChangedRows(
  plan: ComparingPlan,
  before: readonly Row[],
  after: readonly Row[],
): Row[] {
  const selection = new RowSelection(plan);
  const [old, current] = [before, after].map((rows) => rows.filter((row) => selection.finds(row)));
  const changed = (change: Change, rows: readonly Row[], others: readonly Row[]) =>
    rowsBeside(rows, others).map((row): Row => [...row, change]);
  const { natural, others } = changeOrderOf(plan.dataset);
  const by = (sort: QueryPlan['sort'], rows: readonly Row[]) =>
    new RowSelection({ ...plan, sort }).sorted(rows);
  const ascending = (columns: readonly Column[]) =>
    columns.map((column) => ({ column, descending: false }));
  const rows = [
    ...by(ascending(others), changed('removed', old as Row[], current as Row[])),
    ...by(ascending(others), changed('added', current as Row[], old as Row[])),
  ];
  const projection = new RowSelection({ ...plan, columns: plan.columns.slice(1) });
  return by(plan.sort, by(ascending(natural), rows)).map((row) => [
    row.at(-1) as Change,
    ...projection.projected(row),
  ]);
}

/** By the dataset's natural order, equal keys as they come. */
export function inNaturalOrder({ dataset }: Pick<QueryPlan, 'dataset'>, rows: readonly Row[]) {
  const sort = dataset.naturalOrder.map((name) => ({
    column: dataset.columnByName.get(name) as Column,
    descending: false,
  }));
  return new RowSelection({ dataset, sort } as unknown as QueryPlan).sorted(rows);
}

function cellOf(vector: ColumnVector, row: number): CellValue {
  const value = cellAt(vector, row);
  if (vector.type === 'date' && value !== null) return dateOfDays(value as number);
  // Answers do not tell the two zeros apart.
  return value === 0 ? 0 : value;
}

export function rowsOfBatch({ rowCount, columns }: ColumnBatch): Row[] {
  return Array.from({ length: rowCount }, (_, row) => columns.map((vector) => cellOf(vector, row)));
}

/** The rows of each day that they have, and how many identifiers. */
export function countRowsByDay(dataset: Dataset, rows: readonly Row[]): DayCount[] {
  const at = (column: Column) => dataset.columns.indexOf(column);
  const date = at(countedDate(dataset));
  const identifier = countedIdentifier(dataset);
  const dated = rows.filter((row) => row[date] !== null);
  return [...Map.groupBy(dated, (row) => String(row[date]))]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([day, ofDay]) => {
      const values = identifier ? ofDay.map((row) => row[at(identifier)]) : null;
      const named = values && new Set(values.filter((value) => value !== null));
      return {
        date: day,
        rowCount: ofDay.length,
        identifierCount: named === null ? null : named.size,
      };
    });
}
