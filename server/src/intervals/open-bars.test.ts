import { describe, expect, it } from 'vitest';
import { typedDataset } from '../../test/lake/sample-dataset.ts';
import { ApiError } from '../base/errors.ts';
import {
  type BarRules,
  barRulesOf,
  type Interval,
  type StatedBarRules,
} from '../catalog/interval.ts';
import { batchOfRows, type CellValue, type ColumnVector } from '../engine/columns.ts';
import { barClock } from './bar-clock.ts';
import { OpenBars } from './open-bars.ts';

const dataset = typedDataset();
const NAMES = dataset.columns.map(({ name }) => name);

type Cells = Readonly<Record<string, CellValue>>;

/** Bars of batches of rows. Rows without a time have 10:00 of Wednesday, 2025-06-18. */
function barsOf(
  stated: Partial<StatedBarRules>,
  interval: Interval,
  ...batches: Cells[][]
): Cells[] {
  const rules = barRulesOf({ time: 'EventDateTime', by: ['Ticker'], ...stated }) as BarRules;
  const clock = barClock(dataset, rules, interval, { firstDate: null, session: null });
  const { columns } = dataset;
  const bars = new OpenBars({
    dataset,
    rules,
    clock,
    columns,
    asked: { interval, firstDate: null },
  });
  const usual = {
    TradeDate: '2025-06-18',
    EventDateTime: BigInt(Date.parse('2025-06-18T14:00:00Z')) * 1_000_000n,
  };
  const made = batches.flatMap((rows) => {
    const cells = rows.map((row) => {
      const all: Cells = { ...usual, ...row };
      return NAMES.map((name) => all[name] ?? null);
    });
    const batch = batchOfRows(columns, cells);
    const vectors = (name: string) => batch.columns[NAMES.indexOf(name)] as ColumnVector;
    return [...bars.add({ rowCount: batch.rowCount, vectors })];
  });
  return [...made, ...bars.end()].map((row) =>
    Object.fromEntries(NAMES.map((name, c) => [name, row[c] as CellValue])),
  );
}

const tickers = (count: number, from = 0): Cells[] =>
  Array.from({ length: count }, (_, i) => ({ Ticker: `T${`${from + i}`.padStart(7, '0')}` }));

describe('columns of integers', () => {
  const rows = [null, 5n, 9n, 3n, 9n, 3n, null].map((ASID, Strike) => ({
    Ticker: 'A',
    ASID,
    Strike,
  }));
  const [high, low] = (['high', 'low'] as const).map((kind) =>
    barsOf({ [kind]: ['ASID'], beside: ['Strike by ASID'] }, '1h', rows),
  );

  it('have the first of their greatest and of their least values, and what is beside it', () => {
    expect(high).toMatchObject([{ ASID: 9n, Strike: 2 }]);
    expect(low).toMatchObject([{ ASID: 3n, Strike: 3 }]);
  });

  it('keep the greatest over batches, and are null without any', () => {
    const batches = [[{ Ticker: 'A', ASID: 9n }], [{ Ticker: 'A', ASID: 5n }]];
    expect(barsOf({ high: ['ASID'] }, '1h', ...batches)).toMatchObject([{ ASID: 9n }]);
    expect(barsOf({ high: ['ASID'] }, '1h', [{ Ticker: 'A' }])).toMatchObject([{ ASID: null }]);
  });

  it('are those of their own bar alone', () => {
    const rows = [{ Ticker: 'A' }, { Ticker: 'B', ASID: 5n }];
    expect(barsOf({ high: ['ASID'] }, '1h', rows)).toMatchObject([{ ASID: null }, { ASID: 5n }]);
  });

  it('refuse a sum beyond 64 bits', () => {
    const most = 2n ** 63n - 1n;
    const two = [most, 0n].map((ASID) => ({ Ticker: 'A', ASID }));
    expect(barsOf({ sum: ['ASID'] }, '1h', two)).toMatchObject([{ ASID: most }]);
    const many = [most, 1n].map((ASID) => ({ Ticker: 'A', ASID }));
    expect(() => barsOf({ sum: ['ASID'] }, '1h', many)).toThrow('sum of ASID is too large');
  });
});

it('columns of decimals are exact', () => {
  const fees = [null, 12n, 10n ** 29n, 10n ** 29n + 1n].map((Fee) => ({ Ticker: 'A', Fee }));
  expect(barsOf({ high: ['Fee'] }, '1h', fees)).toMatchObject([{ Fee: 10n ** 29n + 1n }]);
  expect(barsOf({ low: ['Fee'] }, '1h', fees)).toMatchObject([{ Fee: 12n }]);
  expect(barsOf({ sum: ['Fee'] }, '1h', fees)).toMatchObject([{ Fee: 2n * 10n ** 29n + 13n }]);
  const many = [10n ** 38n - 1n, 1n].map((Fee) => ({ Ticker: 'A', Fee }));
  expect(() => barsOf({ sum: ['Fee'] }, '1h', many)).toThrow('sum of Fee is too large');
});

describe('bars of days', () => {
  it('come in natural order, null last', () => {
    const rows = [null, 'B', 'A', null].map((Ticker) => ({ Ticker }));
    const made = barsOf({}, '1w', rows).map(({ Ticker }) => Ticker);
    expect(made).toEqual(['A', 'B', null]);
  });

  it('are about so many things at once, and no more', () => {
    expect(barsOf({}, '1w', tickers(50_000))).toHaveLength(50_000);
    const tooMany = () => barsOf({}, '1w', tickers(50_001));
    const refusal = 'at most 50,000 securities or contracts at once';
    expect(tooMany).toThrow(
      expect.toSatisfy(
        (error) => error instanceof ApiError && JSON.stringify(error.detail).includes(refusal),
      ),
    );
  });
});

describe('bars within a day', () => {
  it('are about any number of things, and go on from batch to batch', () => {
    const batches = [0, 1, 2].map((n) => tickers(20_001, n * 20_000));
    expect(barsOf({}, '1h', ...batches)).toHaveLength(60_001);
  });

  it('leave out rows that nobody can place in time', () => {
    const rows = [{ TradeDate: null }, { EventDateTime: null }, {}].map((row) => {
      return { Ticker: 'A', ...row };
    });
    expect(barsOf({}, '1h', rows)).toHaveLength(1);
  });
});
