/** Reads rows of one source, in an order, with their places in natural order. */
import type { Column } from '../../catalog/dataset.ts';
import type { ColumnVector } from '../columns.ts';
import type { QueryPlan } from '../query-plan.ts';
import { encodingOf, isList } from './encodings.ts';
import type { BlockColumn, NativeBlock } from './native-blocks.ts';
import {
  answeredEncoding,
  columnSql,
  type ReadColumn,
  slicedVector,
  vectorOf,
} from './read-columns.ts';
import type { Shard } from './shards.ts';
import { positionSql, rangesSql, rowsWithin, type Source } from './sources.ts';
import { integerSql } from './sql-values.ts';

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
  /** Of each row, its place in natural order. */
  readonly positions: readonly number[];
}

/** Larger ones are handed on in pieces. */
const BLOCK_ROWS_MAX = 8192;

export function slicedBlock(block: RowBlock, start: number, end: number): RowBlock {
  if (start === 0 && end === block.rowCount) return block;
  return {
    rowCount: end - start,
    columns: block.columns.map((vector) => slicedVector(vector, start, end)),
    positions: block.positions.slice(start, end),
  };
}

/** `alias` names the column where it is not there by its own name. */
export function keySql(read: ReadColumn, descending: boolean, alias?: string): string[] {
  if (read.stored === null) return [];
  const direction = descending ? 'DESC' : 'ASC';
  const sql = alias ?? columnSql(read);
  const isNested = isList(encodingOf(read.stored));
  return isNested
    ? [`empty(${sql}) ASC`, `${sql} ${direction}`]
    : [`${sql} ${direction} NULLS LAST`];
}

export const whereSql = (conditions: readonly string[]) => `WHERE ${conditions.join(' AND ')}`;

function statement(source: Source, table: string, asked: RowsAsked, skippedRows: number): string {
  const reads = asked.columns.map(source.readOf);
  const stored = reads.filter((read) => read.stored !== null);
  const selected = stored.map((read, c) => `${columnSql(read)} AS c${c}`);
  const keys = asked.sort.flatMap(({ column, descending }) =>
    keySql(source.readOf(column), descending),
  );
  const skipped = integerSql(asked.offset + skippedRows);
  const limit = integerSql(Math.max(0, asked.limit - skippedRows));
  return [
    `SELECT ${[...selected, `${positionSql(source)} AS place`].join(', ')} FROM ${table}`,
    whereSql([rangesSql(source, asked.start, asked.end), ...source.conditions]),
    `ORDER BY ${[...keys, 'place ASC'].join(', ')} LIMIT ${skipped}, ${limit}`,
  ].join(' ');
}

/** The stored columns of those that are read. */
export function answeredColumns(reads: readonly ReadColumn[]): BlockColumn[] {
  return reads.flatMap((read) => answeredEncoding(read) ?? []);
}

/** Vectors of all columns that are read, also of those that are not stored. */
export function vectorsOf(reads: readonly ReadColumn[], { columns, rowCount }: NativeBlock) {
  let next = 0;
  return reads.map((read) =>
    vectorOf(read, read.stored === null ? undefined : columns[next++], rowCount),
  );
}

function* pieces(block: RowBlock): Generator<RowBlock> {
  for (let at = 0; at < block.rowCount; at += BLOCK_ROWS_MAX) {
    yield slicedBlock(block, at, Math.min(block.rowCount, at + BLOCK_ROWS_MAX));
  }
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
  const table = shard.tableSql(source.table);
  const query = {
    parts: source.parts,
    wall: shard.wallOf(source),
    columns: [...answeredColumns(reads), 'count' as const],
    rowCount: rowCountOf(source, asked),
    sqlFrom: (skippedRows: number) => statement(source, table, asked, skippedRows),
  };
  for await (const block of shard.blocks(query, signal)) {
    const positions = block.columns.at(-1)?.values as readonly number[];
    yield* pieces({ rowCount: block.rowCount, columns: vectorsOf(reads, block), positions });
  }
}

/** How many rows of a source, from `start` up to `end`, are found. */
export async function countRows(
  shard: Shard,
  source: Source,
  { start, end }: Pick<RowsAsked, 'start' | 'end'>,
  signal: AbortSignal,
): Promise<number> {
  const where = whereSql([rangesSql(source, start, end), ...source.conditions]);
  const query = {
    parts: source.parts,
    wall: shard.wallOf(source),
    columns: ['count' as const],
    sqlFrom: () => `SELECT count() AS found FROM ${shard.tableSql(source.table)} ${where}`,
  };
  let count = 0;
  for await (const { columns } of shard.blocks(query, signal))
    count += columns[0]?.values[0] as number;
  return count;
}
