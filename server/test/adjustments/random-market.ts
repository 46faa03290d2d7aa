/** Random rows and events of a few securities: one changes its ticker, one has no number. */
import fc from 'fast-check';
import type { Column, Dataset } from '../../src/catalog/dataset.ts';
import type { CellValue } from '../../src/engine/columns.ts';
import { type Event, SHARE_REASONS } from './restated-rows.ts';

export const DATES = [
  ...['2023-06-01', '2023-11-02', '2023-12-29', '2024-03-07', '2024-03-08', '2024-06-10'],
  ...['2024-12-31', '2025-01-02', '2025-03-10', '2025-06-18'],
];

interface Security {
  readonly asid: bigint | null;
  readonly ticker: (date: string) => string;
}

const always = (ticker: string) => () => ticker;

const SECURITIES: readonly Security[] = [
  { asid: 7n, ticker: (date) => (date < '2024-03-08' ? 'OLD' : 'NEW') },
  { asid: 33_449n, ticker: always('AAA') },
  { asid: 1_010_000_000_000_001n, ticker: always('É') },
  { asid: null, ticker: always('ZTEST') },
  { asid: null, ticker: always('ZFREE') },
];
export const TICKERS = ['OLD', 'NEW', 'AAA', 'É', 'ZTEST', 'ZFREE'];

export function tickersOn(date: string): string[] {
  return SECURITIES.map(({ ticker }) => ticker(date));
}

const REASONS = [...SHARE_REASONS, 'CashDiv', 'DeMerg', 'RightsSame'];
const FACTORS = ['0.5', '0.25', '4', '0.142857142857143', '0.995050548', '0.1', '1'];

/** Nothing happens to ZFREE. */
export const anyEvents: fc.Arbitrary<Event[]> = fc.uniqueArray(
  fc
    .record({
      security: fc.constantFrom(...SECURITIES.slice(0, -1)),
      // One of the future is announced already.
      date: fc.constantFrom(...DATES, '2024-05-01', '2024-05-02', '2025-07-01'),
      factor: fc.constantFrom(...FACTORS),
      reason: fc.constantFrom(...REASONS),
    })
    .map(({ security: { asid, ticker }, date, factor, reason }) => {
      return { asid, ticker: ticker(date), date, factor, reason };
    }),
  {
    selector: (event) => [event.asid, event.date, event.reason].join(),
    minLength: 15,
    maxLength: 40,
  },
);

/**
 * Every fifth event has a second row, under its number or another one, which does not count; every
 * seventh decides about a row with another factor.
 */
export function eventRows({ columns }: Dataset, events: readonly Event[]): CellValue[][] {
  const numbered = events.map((event, at) => ({ ...event, at }));
  const doubled = numbered.filter(({ at }) => at % 5 === 0);
  const again = doubled.map((row) => ({ ...row, at: row.at % 2 === 0 ? row.at : row.at + 1000 }));
  const deciding = numbered.map((row) => (row.at % 7 === 3 ? { ...row, at: -row.at } : row));
  const wrong = numbered.filter(({ at }) => at % 7 === 3).map((row) => ({ ...row, factor: '3' }));
  return [...deciding, ...again, ...wrong].map(({ asid, ticker, date, factor, reason, at }) => {
    const cells: Record<string, CellValue> = {
      ...{ SecId: asid, ASID: asid, Ticker: ticker, EffectiveDate: date, EventId: BigInt(at) },
      ...{ AdjustmentFactor: Number(factor), AdjustmentReason: reason },
    };
    return columns.map(({ name }) => cells[name] ?? null);
  });
}

const anyValue: Readonly<Partial<Record<Column['dataType'], fc.Arbitrary<CellValue>>>> = {
  number: fc.constantFrom(0, 1.5, 10.000001, 146.19, 645.57, 700_000.25),
  integer: fc.constantFrom(0n, 1n, 3n, 100n, 2_000_000_001n),
  string: fc.constantFrom('TRADE', 'NYSE'),
};

const CLOCKS = ['09:30', '10:15', '15:59'];

function momentOf({ timeZone }: Dataset, date: string, clock: string): bigint {
  const local = Temporal.PlainDateTime.from(`${date}T${clock}`);
  return local.toZonedDateTime(timeZone).epochNanoseconds;
}

/** Rows of each day and security, at some times of the day where rows have times. */
export function anyRows(dataset: Dataset): fc.Arbitrary<CellValue[][]> {
  const time = dataset.columns.find(({ dataType }) => dataType === 'date-time')?.name ?? null;
  const places = DATES.flatMap((date) =>
    (time === null ? [''] : CLOCKS).flatMap((clock) =>
      SECURITIES.map((security) => ({ date, clock, security })),
    ),
  );
  const rows = places.map(({ date, clock, security: { asid, ticker } }) => {
    const keys: Record<string, CellValue> = { TradeDate: date, ASID: asid, Ticker: ticker(date) };
    const cells = dataset.columns.map(({ name, dataType }) => {
      if (name in keys) return fc.constant(keys[name] as CellValue);
      if (name === time) return fc.constant(momentOf(dataset, date, clock));
      return fc.option(anyValue[dataType] as fc.Arbitrary<CellValue>, { freq: 6 });
    });
    return fc.option(fc.tuple(...cells), { freq: 6 });
  });
  return fc.tuple(...rows).map((all) => all.filter((row) => row !== null));
}
