/** Ticks that compress so little that the part of a day is one that an object store copies. */
import { createHash } from 'node:crypto';
import type { CellValue } from '../../src/engine/columns.ts';

/** Rows of a row group that is full. */
export const GROUP_ROWS = 61_440;
/** Less than this is not copied. */
export const COPIED_BYTES_MIN = 5 * 1024 * 1024;
export const TICKERS = ['AAA', 'BBB', 'CCC', 'DDD', 'EEE', 'FFF', 'GGG', 'HHH', 'III', 'JJJ'];

/** Numbers that have no pattern, and are the same each time. */
export function numbersOf(row: number) {
  const bytes = createHash('md5').update(`${row}`).digest();
  return { price: bytes.readUIntLE(0, 6) / 4096, quantity: bytes.readUInt32LE(6) };
}

/** Rows of a day, each of the ticker with the number that is told of it. */
export function ticksOf(
  day: string,
  count: number,
  tickerOf: (row: number) => number,
): CellValue[][] {
  const startNanos = BigInt(Date.parse(`${day}T13:30:00Z`)) * 1_000_000n;
  return Array.from({ length: count }, (_, row): CellValue[] => {
    const { price, quantity } = numbersOf(row);
    const [at, ticker] = [startNanos + BigInt(row) * 1000n, tickerOf(row)];
    const names = ['TRADE', TICKERS[ticker] ?? '', BigInt(11 + ticker)];
    return [day, at, ...names, price, quantity, 'NYSE', 1];
  });
}
