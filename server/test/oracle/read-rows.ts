/**
 * Reads published Parquet files with a reader independent of the engine. Integers and times come as
 * bigint, dates as `YYYY-MM-DD`, numbers as number, arrays as arrays, decimals as bigint in units
 * of their last digit.
 */
import { readFileSync } from 'node:fs';
import { zstdDecompressSync } from 'node:zlib';
import { parquetReadObjects } from 'hyparquet';
import type { Column, Dataset } from '../../src/catalog/dataset.ts';

export type Cell = string | number | bigint | boolean | string[] | bigint[] | number[] | null;
export type Row = Readonly<Record<string, Cell>>;

function bufferOf(file: string) {
  const bytes = readFileSync(file);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  return {
    byteLength: buffer.byteLength,
    slice: (start: number, end?: number) => buffer.slice(start, end),
  };
}

/** This reader makes doubles of decimals, which keep those of 15 digits. */
function plainCell(value: unknown, { dataType, scale }: Column): Cell {
  if (value === undefined || value === null) return null;
  if (dataType !== 'decimal') return value as Cell;
  return BigInt((value as number).toFixed(scale).replace('.', ''));
}

const known = new Map<number, string>();

/** Few days have many rows. */
function dateFromDays(days: number): string {
  let date = known.get(days);
  if (date === undefined) {
    date = new Date(days * 86_400_000).toISOString().slice(0, 10);
    known.set(days, date);
  }
  return date;
}

/** All rows of the files in stored order, with the columns `only`, by default all. */
export async function readRows(
  dataset: Dataset,
  files: readonly string[],
  only?: readonly Column[],
): Promise<Row[]> {
  const columns = only ?? dataset.columns;
  const rows: Row[] = [];
  for (const file of files) {
    const objects = await parquetReadObjects({
      file: bufferOf(file),
      ...(only && { columns: only.map(({ name }) => name) }),
      compressors: { ZSTD: (input) => zstdDecompressSync(input) },
      parsers: {
        timestampFromNanoseconds: (nanos) => nanos,
        dateFromDays,
      },
    });
    for (const object of objects) {
      const row: Record<string, Cell> = {};
      for (const column of columns) row[column.name] = plainCell(object[column.name], column);
      rows.push(row);
    }
  }
  return rows;
}
