/** Sources: parts of a plan that one statement can read. */
import type { Column } from '../../catalog/dataset.ts';
import { batchOfRows, type ColumnBatch, type ColumnVector, cellAt, cutRows } from '../columns.ts';
import type { Part, RowRange } from '../part.ts';
import type { QueryPlan } from '../query-plan.ts';
import type { AnsweredColumn } from './arrow-rows.ts';
import {
  BoundValues,
  grantedSql,
  predicateSql,
  type ReadColumn,
  type ReadOf,
  readColumnsOf,
} from './conditions.ts';
import { type Place, placeOf } from './places.ts';
import type { Wall } from './server.ts';
import type { Shard } from './shards.ts';

export const EVERY_ROW = Number.MAX_SAFE_INTEGER;

export interface PlacedPart {
  readonly place: Place;
  readonly rowCount: number;
  /** How many rows the parts before it have: the place of its first row in natural order. */
  readonly start: number;
  /** Rows that may match, by their ordinals; null: any may. */
  readonly ranges: readonly RowRange[] | null;
}

/** Parts on one shard and in one table, whose columns are read alike. */
export interface Source {
  readonly shard: number;
  readonly table: string;
  readonly parts: readonly PlacedPart[];
  readonly readOf: ReadOf;
  /** Conditions on rows, and the values that they name. */
  readonly conditions: readonly string[];
  readonly values: BoundValues;
  /** The rows that the account's rules let pass, for the wall; null: all. */
  readonly granted: string | null;
}

/** More ranges of a part than so many would make a long statement: then they are read as one. */
const RANGES_MAX = 32;

function joined(ranges: readonly RowRange[] | undefined): readonly RowRange[] | null {
  const [first, last] = [ranges?.[0], ranges?.at(-1)];
  if (!ranges || !first || !last) return ranges ?? null;
  return ranges.length > RANGES_MAX ? [{ start: first.start, end: last.end }] : ranges;
}

/** The sources of some parts, and how many rows these have. */
export function sourcesOf(
  plan: Pick<QueryPlan, 'dataset' | 'predicates' | 'grants' | 'naturalRows'>,
  parts: readonly Part[],
): { readonly sources: readonly Source[]; readonly rowCount: number } {
  let start = 0;
  const placed = parts.map((part, p) => {
    const { location, rowCount } = part;
    const ranges = joined(plan.naturalRows?.[p]);
    const each = { part, place: placeOf(location), rowCount, start, ranges };
    start += part.rowCount;
    return each;
  });
  const filled = placed.filter(({ rowCount }) => rowCount > 0);
  const groups = Map.groupBy(filled, ({ place }) => `${place.shard}/${place.table}`);
  const sources = [...groups.values()].flatMap((group) => {
    // Stored alike, they may still be of definitions that differ.
    const alike = Map.groupBy(group, ({ part }) => part.storedColumns);
    return [...alike.values()].map((some): Source => {
      const { part, place } = some[0] as (typeof some)[number];
      const readOf = readColumnsOf(part, plan.dataset);
      const values = new BoundValues();
      const granted = grantedSql(plan, readOf);
      const conditions = [
        ...plan.predicates.map((predicate) => predicateSql(predicate, readOf, values)),
        ...(granted === null ? [] : [granted]),
      ];
      const { shard, table } = place;
      return { shard, table, parts: some, readOf, conditions, values, granted };
    });
  });
  return { sources, rowCount: start };
}

/** A part's rows that may match in [start, end), by their ordinals. */
function rangesWithin(part: PlacedPart, start: number, end: number): RowRange[] {
  const all = part.ranges ?? [{ start: 0, end: part.rowCount }];
  return all
    .map((range) => ({
      start: Math.max(range.start, start - part.start),
      end: Math.min(range.end, end - part.start),
    }))
    .filter((range) => range.start < range.end);
}

/** How many rows of the source may match and lie from `start` up to `end` in natural order. */
export function rowsWithin({ parts }: Source, start = 0, end = EVERY_ROW): number {
  return parts
    .flatMap((part) => rangesWithin(part, start, end))
    .reduce((sum, range) => sum + range.end - range.start, 0);
}

/** The sources with those of their parts alone that may have rows from `start` up to `end`. */
export function windowed(
  sources: readonly Source[],
  { start, end }: Pick<RowsAsked, 'start' | 'end'>,
): Source[] {
  return sources
    .map((source) => ({
      ...source,
      parts: source.parts.filter((part) => rangesWithin(part, start, end).length > 0),
    }))
    .filter(({ parts }) => parts.length > 0);
}

/** Rows of the source's parts that may match and lie from `start` up to `end`. */
function rangesSql({ parts }: Source, start: number, end: number): string {
  const whole: string[] = [];
  const cut: string[] = [];
  for (const part of parts) {
    const { number } = part.place;
    for (const { start: from, end: to } of rangesWithin(part, start, end)) {
      if (to - from === part.rowCount) whole.push(`${number}`);
      else cut.push(`(part = ${number} AND ord >= ${from} AND ord < ${to})`);
    }
  }
  const all = [...(whole.length > 0 ? [`part IN (${whole.join(', ')})`] : []), ...cut];
  return all.length === 0 ? '0' : `(${all.join(' OR ')})`;
}

/** `FROM` and `WHERE` of the source's rows that pass. */
export function rowsSql(source: Source, shard: Shard, start = 0, end = EVERY_ROW): string {
  const conditions = [rangesSql(source, start, end), ...source.conditions];
  return `FROM ${shard.tableSql(source.table)} WHERE ${conditions.join(' AND ')}`;
}

/** Parts, values and wall of every statement about a source. */
export function askedOf(source: Source, shard: Shard) {
  const { granted, parts, values } = source;
  const table = shard.tableName(source.table);
  const wall: Wall | null = granted === null ? null : { table, condition: granted };
  return { parts, values, wall };
}

/** The place of a row in natural order. */
export function positionSql({ parts }: Source): string {
  const [only] = parts;
  if (only && parts.length === 1) return `(ord + ${only.start})`;
  const numbers = parts.map(({ place }) => `toUInt64(${place.number})`);
  const starts = parts.map(({ start }) => `toUInt64(${start})`);
  return `(transform(part, [${numbers.join(', ')}], [${starts.join(', ')}], toUInt64(0)) + ord)`;
}

/** A whole number of an answer, none of them beyond those that a number holds exactly. */
export const numberColumn = (name: string): AnsweredColumn => ({ name, dataType: 'number' });

export interface RowsAsked {
  readonly columns: readonly Column[];
  /** Ties are in natural order. */
  readonly sort: QueryPlan['sort'];
  /** Places in natural order from `start` up to `end`. */
  readonly start: number;
  readonly end: number;
  /** Rows that are left out of the first that are found. */
  readonly offset: number;
  readonly limit: number;
}

/** Consecutive rows of an answer. */
export interface RowBlock {
  readonly rowCount: number;
  readonly columns: readonly ColumnVector[];
  /** Each row's place in natural order. */
  readonly positions: Float64Array;
}

/** Larger ones are handed on in pieces. */
const BLOCK_ROWS_MAX = 8192;

export function slicedBlock(block: RowBlock, start: number, end: number): RowBlock {
  if (start === 0 && end === block.rowCount) return block;
  return { ...cutRows(block, start, end), positions: block.positions.subarray(start, end) };
}

/** Nulls last; `name` is the column as SQL. */
export function keySql({ dataType }: Column, name: string, descending: boolean): string {
  const direction = descending ? 'DESC' : 'ASC';
  return dataType.startsWith('array')
    ? `has(${name}, NULL) ASC, ${name} ${direction}`
    : `${name} ${direction} NULLS LAST`;
}

/** The columns that are stored, of those that are read. */
export function storedOf(reads: readonly ReadColumn[]) {
  return reads.filter((read): read is ReadColumn & { sql: string } => read.sql !== null);
}

/** Vectors of all columns that are read, also of those that are not stored. */
export function vectorsOf(
  reads: readonly ReadColumn[],
  { columns, rowCount }: ColumnBatch,
): ColumnVector[] {
  let next = 0;
  return reads.map(({ column, sql }) => {
    if (sql !== null) return columns[next++] as ColumnVector;
    const nulls = Array.from({ length: rowCount }, () => [null]);
    return batchOfRows([column], nulls).columns[0] as ColumnVector;
  });
}

/** How many rows have to come; null: nobody knows how many pass the conditions. */
function rowCountOf(source: Source, { start, end, offset, limit }: RowsAsked): number | null {
  if (source.conditions.length > 0) return null;
  return Math.min(limit, Math.max(0, rowsWithin(source, start, end) - offset));
}

export async function* readRows(
  shard: Shard,
  source: Source,
  asked: RowsAsked,
  signal: AbortSignal,
): AsyncGenerator<RowBlock> {
  const reads = asked.columns.map(source.readOf);
  const stored = storedOf(reads);
  const selected = stored.map(({ sql }, c) => `${sql} AS c${c}, `).join('');
  const keys = asked.sort.flatMap(({ column, descending }) => {
    const { sql } = source.readOf(column);
    return sql === null ? [] : `${keySql(column, sql, descending)}, `;
  });
  const head = `SELECT ${selected}toFloat64(${positionSql(source)}) AS place`;
  const tail = `${rowsSql(source, shard, asked.start, asked.end)} ORDER BY ${keys.join('')}place`;
  const query = {
    ...askedOf(source, shard),
    columns: [...stored.map(({ column }) => column), numberColumn('place')],
    rowCount: rowCountOf(source, asked),
    sqlFrom: (skipped: number) =>
      `${head} ${tail} LIMIT ${asked.offset + skipped}, ${Math.max(0, asked.limit - skipped)}`,
  };
  for await (const batch of shard.batches(query, signal)) {
    const { rowCount } = batch;
    const { values } = batch.columns.at(-1) as { values: Float64Array };
    const block = { rowCount, columns: vectorsOf(reads, batch), positions: values };
    for (let at = 0; at < rowCount; at += BLOCK_ROWS_MAX) {
      yield slicedBlock(block, at, Math.min(rowCount, at + BLOCK_ROWS_MAX));
    }
  }
}

/** How many rows of a source, from `start` up to `end`, are found. */
export async function countRows(
  shard: Shard,
  source: Source,
  { start, end }: Pick<RowsAsked, 'start' | 'end'>,
  signal: AbortSignal,
): Promise<number> {
  const query = {
    ...askedOf(source, shard),
    columns: [numberColumn('found')],
    sqlFrom: () => `SELECT toFloat64(count()) AS found ${rowsSql(source, shard, start, end)}`,
  };
  let count = 0;
  // One row, and once more from another server if the first one broke off after it.
  for await (const { columns } of shard.batches(query, signal)) {
    count = cellAt(columns[0] as ColumnVector, 0) as number;
  }
  return count;
}
