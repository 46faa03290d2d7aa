/** Rows of the sample dataset, the order they belong in, and what a Parquet file really holds. */
import type { DuckDBListValue } from '@duckdb/node-api';
import * as fc from 'fast-check';
import { dateOfDays } from '../../src/engine/columns.ts';
import { connectToDuckDB } from '../duckdb-connection.ts';

/** TradeDate in days, Ticker, EventDateTime in UTC nanoseconds, Strike, ASID, Codes. */
export type SampleRow = [
  number,
  string | null,
  bigint | null,
  number | null,
  bigint | null,
  string[] | null,
];

/** Around the 12 bytes up to which the engine treats strings as short, and beyond ASCII. */
const TICKERS = [
  '',
  'A',
  'AAPL',
  'a\0b',
  'é',
  '\u{1F600}',
  'twelve bytes',
  'thirteen here',
  'twelve, not é',
  'twelvenot é!',
];

const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 4 });

/** Few distinct keys, so that many rows tie; `ASID` runs over all 64 bits. */
export const sampleRows = (days: { min: number; max: number }): fc.Arbitrary<SampleRow[]> =>
  fc.array(
    fc.tuple(
      fc.integer(days),
      orNull(fc.constantFrom(...TICKERS)),
      orNull(fc.constantFrom(1_790_000_000_123_456_789n, 1_790_000_000_123_456_788n, -1n)),
      orNull(fc.constantFrom(1.5, 0.1, 1e-9, 12345.678)),
      orNull(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
      orNull(fc.array(fc.constantFrom('x', 'y', 'longer than twelve bytes'), { maxLength: 3 })),
    ),
    { maxLength: 60 },
  );

const compareBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

function compareCells(a: SampleRow[number], b: SampleRow[number]): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a === 'string') return compareBytes(a, b as string);
  return a < b ? -1 : Number(a > b);
}

/** By the natural order of the sample dataset, nulls last; JavaScript's sort is stable. */
export function inNaturalOrder(rows: readonly SampleRow[]): SampleRow[] {
  return [...rows].sort((a, b) => {
    for (let k = 0; k < 4; k++) {
      const order = compareCells(a[k] as SampleRow[number], b[k] as SampleRow[number]);
      if (order !== 0) return order;
    }
    return 0;
  });
}

/** The rows of Parquet files, one file after the other, as they lie in them. */
export async function readSampleRows(files: readonly string[]): Promise<SampleRow[]> {
  const connection = await connectToDuckDB();
  const rows: SampleRow[] = [];
  for (const file of files) {
    const result = await connection.runAndReadAll(
      `SELECT TradeDate - DATE '1970-01-01', Ticker, EventDateTime_utc_ns, Strike, ASID, Codes
       FROM read_parquet('${file}')`,
    );
    for (const row of result.getRows()) {
      const codes = row[5] as DuckDBListValue | null;
      const cells = [Number(row[0]), ...row.slice(1, 5), codes && [...codes.items]];
      rows.push(cells as SampleRow);
    }
  }
  connection.closeSync();
  return rows;
}

export const dayKey = (row: SampleRow): string => dateOfDays(row[0]);
