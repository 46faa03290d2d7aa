/** Contents of the kill tests' publications: one number determines all rows in both datasets. */
import type { CellValue } from '../../src/engine/columns.ts';

export const DATES = ['2025-06-16', '2025-06-17', '2025-06-18'];
export const TICKER = 'AAA';

const ASID = 1010000000000001n;
const ROWS_PER_DAY = 1200;
/** More than any day has rows. */
const STEP = 10_000;

/** Prices of a day in natural order. Row counts differ by load, so that no mix of two fits. */
export function pricesOf(load: number, date: string): number[] {
  const more = (load * 7 + DATES.indexOf(date) * 13) % 40;
  return Array.from({ length: ROWS_PER_DAY + more }, (_, row) => load * STEP + row);
}

/** The load that a price is of. */
export function loadOf(price: number): number {
  return Math.floor(price / STEP);
}

function tickRows(load: number): CellValue[][] {
  return DATES.flatMap((date) => {
    const open = BigInt(Date.parse(`${date}T13:30:00Z`)) * 1_000_000n;
    return pricesOf(load, date).map((price, row) => {
      const time = open + BigInt(row) * 1_000_000n;
      return [date, time, 'TRADE', TICKER, ASID, price, 100, 'NYSE', 1];
    });
  });
}

function dayRows(load: number): CellValue[][] {
  const price = load * STEP;
  return DATES.map((date) => {
    const prices = [price, price, price, price];
    return [date, TICKER, ASID, ...prices, 1000, 0, 1000, 0, price, price];
  });
}

/** Rows that a load writes to each dataset, by dataset id. */
export const ROWS_OF: Readonly<Record<string, (load: number) => CellValue[][]>> = {
  US1032: tickRows,
  US1020: dayRows,
};

export const DATASET_IDS = Object.keys(ROWS_OF);
