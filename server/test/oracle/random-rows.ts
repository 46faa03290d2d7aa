/** Random rows for any dataset: few distinct values, so that ties, nulls and matches abound. */
import fc from 'fast-check';
import type { Column, Dataset } from '../../src/catalog/dataset.ts';
import type { CellValue } from '../../src/engine/columns.ts';
import { utcOfMarketTime } from '../../src/time/market-time.ts';

/** Trade dates on both sides of a change of the market's offset. */
export const DATES = ['2024-11-01', '2024-11-04', '2024-12-31', '2025-01-02', '2025-03-10'];
const STRINGS = ['AAA', 'AAB', 'aaa', 'B,C', 'say "x"', '', 'é', '😀', 'z', '%', 'a_b'];
const TICKERS = ['AAA', 'AAB', 'B.C', 'ZZ', 'É'];
const TIMES = [0, 1, 34_200_000_000_000, 34_200_000_000_001, 57_600_999_999_999];

/** Stands in rows only: requests may not hold control characters. */
export const MULTILINE = 'two\nlines';

export const anyText = fc.constantFrom(...STRINGS);
export const anyTicker = fc.constantFrom(...TICKERS);
export const anyDate = fc.constantFrom(...DATES);
export const anyInteger = fc.constantFrom(
  0n,
  1n,
  2n,
  7n,
  1010000000000001n,
  -(2n ** 63n),
  2n ** 63n - 1n,
);
export const anyNumber = fc.constantFrom(0, 0.1, 1, 1.5, 146.19, -3, 1e-7, 1e21);
/** In units of the last digit of a column with four of them after the point. */
export const anyUnits = fc.constantFrom(0n, 1n, 5_000n, -12_500n, 1_461_900n, 10n ** 13n);
export const anyBoolean = fc.boolean();
export const anyCount = fc.constantFrom(0n, 7n, -(2n ** 40n));
export const anyLevel = fc.constantFrom(0.5, -3, 1e-7, 1e21);
const anyArray = fc.array(fc.constantFrom('AAA', 'b', '', 'q"'), { maxLength: 3 });

const REQUIRED_NAMES = new Set(['Ticker', 'TradeDate']);

function anyTime(dataset: Dataset, column: Column) {
  const wholeSeconds = (nanos: number) => nanos - (nanos % 1_000_000_000);
  return fc
    .tuple(anyDate, fc.constantFrom(...TIMES))
    .map(([date, nanos]) =>
      utcOfMarketTime(
        dataset.timeZone,
        date,
        column.fractionDigits === 9 ? nanos : wholeSeconds(nanos),
      ),
    );
}

function anyCell(dataset: Dataset, column: Column): fc.Arbitrary<CellValue> {
  const byType = {
    string: column.name === 'Ticker' ? anyTicker : fc.oneof(anyText, fc.constant(MULTILINE)),
    integer: anyInteger,
    number: anyNumber,
    date: anyDate,
    'date-time': anyTime(dataset, column),
    'array of string': anyArray,
    decimal: anyUnits,
    boolean: anyBoolean,
    'array of integer': fc.array(anyCount, { maxLength: 3 }),
    'array of number': fc.array(anyLevel, { maxLength: 3 }),
  } as const;
  const value: fc.Arbitrary<CellValue> = byType[column.dataType];
  return REQUIRED_NAMES.has(column.name) ? value : fc.option(value, { freq: 6 });
}

export function anyRows(dataset: Dataset, count: number): fc.Arbitrary<CellValue[][]> {
  const row = fc.tuple(...dataset.columns.map((column) => anyCell(dataset, column)));
  return fc.array(row, { minLength: count, maxLength: count });
}
