import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repetitions } from '../../server/test/repetitions.ts';
import { expectCameAcross } from '../../server/test/seed.ts';
import { BarWriter } from '../src/bar-layout.ts';
import {
  EQUITY_DAILY_BAR,
  EQUITY_EXTENDED_BAR,
  EQUITY_MINUTE_BAR,
  EQUITY_TRADE_BAR,
} from '../src/equity-bar.ts';
import { equityDailyBar, equityMinuteBars, equityTradeBars } from '../src/equity-bars.ts';
import type { EquityDay, EquityEvent } from '../src/events.ts';
import { columnValues, type NumberTable, rowCells } from '../src/row-sources.ts';
import { anyDay } from './any-equity-day.ts';
import {
  type Cell,
  EIGHT_PM,
  FOUR,
  MINUTE,
  NIGHT,
  naiveBar,
  naiveDay,
  naiveStart,
} from './naive-equity-bars.ts';

const RUNS = repetitions('TICKLAKE_BARS_RUNS', 20);
/** Minutes in which the events of `anyDay` crowd, with quiet minutes before, between and after. */
const ROWS = [0, 1, 2, 3, 4, 5, 200, 359, 360, 361, 362, 700, 958, 959];
/** Such minutes of the night, counted from 20:00. */
const NIGHT_ROWS = [0, 1, 73, 74, 75, 478, 479];

function dayOf(events: EquityEvent[], averagePrice: number | null = 10): EquityDay {
  return { events, isHalfDay: false, averagePrice };
}

function record(table: NumberTable, row: number): Record<string, Cell> {
  const cells = rowCells(table, row);
  return Object.fromEntries(table.columns.map((name, i) => [name, cells[i] as Cell]));
}

/**
 * Exact equality of every column. The one sum of quotients, whose rounding depends on the order of
 * adding at a tie, must be within half of its last digit, and what a double of its size can hold.
 */
function expectBar(shown: Record<string, Cell>, wanted: Record<string, Cell>): void {
  const name = 'TradeToMidVolWeightRelative';
  const [ours, theirs] = [shown[name] ?? null, wanted[name] ?? null];
  expect(ours === null).toBe(theirs === null);
  if (ours !== null && theirs !== null)
    expect(Math.abs(ours - theirs)).toBeLessThanOrEqual(5.00001e-6 + Math.abs(theirs) * 1e-15);
  const names = Object.keys(shown).filter((column) => column !== name);
  expect(names.map((n) => [n, shown[n]])).toEqual(names.map((n) => [n, wanted[n]]));
}

function sum(bar: Record<string, Cell>, names: readonly string[]): number {
  return names.reduce((all, name) => all + (bar[name] as number), 0);
}

const PLACES = ['Bid', 'BidMid', 'Mid', 'MidAsk', 'Ask', 'CrossOrLocked'];
const TICKS = ['Uptick', 'Downtick', 'RepeatUptick', 'RepeatDowntick', 'UnknownTick'];

/** The names of the statements that do not hold of a bar and the one after it. */
function untruths(bar: Record<string, Cell>, next: Record<string, Cell> | undefined): string[] {
  const total = sum(bar, ['Volume', 'FinraVolume']);
  const placed = PLACES.map((place) => `TradeAt${place}`);
  const ticks = TICKS.map((tick) => `${tick}Volume`);
  const isQuoted = bar.OpenBidPrice !== null && bar.OpenAskPrice !== null;
  const carried = ['BidPrice', 'BidSize', 'AskPrice', 'AskSize'];
  const claims: Record<string, boolean> = {
    'tick volumes add up to the volume': sum(bar, ticks) === total,
    'places add up to the volume': isQuoted
      ? sum(bar, placed) === total
      : sum(bar, placed) <= total,
    'counts add up to the trades':
      sum(
        bar,
        TICKS.map((tick) => `${tick}Count`),
      ) === bar.TotalTrades,
    'both sides add up to all quotes':
      sum(bar, ['BidQuoteCount', 'AskQuoteCount']) === bar.TotalQuoteCount,
    'no spread is negative': bar.MinSpread === null || (bar.MinSpread as number) >= 0,
    'the next bar opens with this close':
      next === undefined || carried.every((name) => next[`Open${name}`] === bar[`Close${name}`]),
    'a quote never goes blank again':
      next === undefined || bar.CloseBidPrice === null || next.LowBidPrice !== null,
  };
  return Object.keys(claims).filter((claim) => !claims[claim]);
}

describe.each(['vendor_default', 'industry_std'] as const)('minute bars, %s', (logic) => {
  it('trade bars alone equal those made beside all others, in memory reused by day', () => {
    const writer = new BarWriter(EQUITY_TRADE_BAR);
    let tradeCount = 0;
    fc.assert(
      fc.property(anyDay, fc.boolean(), (events, isHalfDay) => {
        const day = { ...dayOf(events), isHalfDay };
        const [wanted] = equityMinuteBars(day, logic, [EQUITY_TRADE_BAR]);
        const table = equityTradeBars(day, logic, writer);
        expect(table).toEqual(wanted);
        tradeCount += columnValues(table, 'TotalTrades').reduce((sum, count) => sum + count, 0);
      }),
      { numRuns: RUNS },
    );
    expectCameAcross({ tradeCount });
  });

  it('equal those of a naive program over any stream of events, value for value', () => {
    let [filledCells, filledNightCells] = [0, 0];
    fc.assert(
      fc.property(anyDay, fc.constantFrom(null, 10), (events, averagePrice) => {
        const layouts = [EQUITY_EXTENDED_BAR];
        const [table] = equityMinuteBars(dayOf(events, averagePrice), logic, layouts);
        const day = naiveDay(events, logic, averagePrice);
        const start = naiveStart(events);
        const before = Number((FOUR - start) / MINUTE);
        const nightRows = start === NIGHT ? NIGHT_ROWS : [];
        for (const row of [...nightRows, ...ROWS.map((each) => before + each)]) {
          const wanted = naiveBar(day, start + BigInt(row) * MINUTE, MINUTE);
          expectBar(record(table as NumberTable, row), wanted);
          const filledCount = Object.values(wanted).filter(Boolean).length;
          if (row < before) filledNightCells += filledCount;
          else filledCells += filledCount;
        }
      }),
      { numRuns: RUNS },
    );
    expectCameAcross({ filledCells, filledNightCells });
  });

  it('come out the same in every layout, and trades alone where a minute has a trade', () => {
    fc.assert(
      fc.property(anyDay, (events) => {
        const [plain, extended, trades] = equityMinuteBars(dayOf(events), logic, [
          EQUITY_MINUTE_BAR,
          EQUITY_EXTENDED_BAR,
          EQUITY_TRADE_BAR,
        ]) as [NumberTable, NumberTable, NumberTable & { startNanos: Float64Array }];
        const bits = (table: NumberTable, name: string) => {
          const { buffer, byteOffset, byteLength } = columnValues(table, name);
          return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
        };
        for (const name of plain.columns) expect(bits(plain, name)).toBe(bits(extended, name));
        const traded = [...columnValues(extended, 'TotalTrades').keys()].filter(
          (row) => columnValues(extended, 'TotalTrades')[row] !== 0,
        );
        const start = Number(naiveStart(events));
        expect([...trades.startNanos]).toEqual(traded.map((row) => start + row * 60e9));
        traded.forEach((row, i) => {
          const bar = record(extended, row);
          expect(record(trades, i)).toEqual({
            FirstTradePrice: bar.FirstTradePrice,
            HighTradePrice: bar.HighTradePrice,
            LowTradePrice: bar.LowTradePrice,
            LastTradePrice: bar.LastTradePrice,
            VolumeWeightPrice: bar.TotalVolumeWeightPrice,
            Volume: (bar.Volume as number) + (bar.FinraVolume as number),
            TotalTrades: bar.TotalTrades,
          });
        });
      }),
      { numRuns: RUNS },
    );
  });

  it('hold to what is true of every bar', () => {
    fc.assert(
      fc.property(anyDay, (events) => {
        const [table] = equityMinuteBars(dayOf(events), logic, [EQUITY_EXTENDED_BAR]);
        const length = Number((EIGHT_PM - naiveStart(events)) / MINUTE);
        const bars = Array.from({ length }, (_, row) => record(table as NumberTable, row));
        expect(table?.rowCount).toBe(length);
        expect(bars.flatMap((bar, row) => untruths(bar, bars[row + 1]))).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });
});

describe('the daily trade-and-quote bar', () => {
  it('equals a naive bar of the whole day, opened by the first quote', () => {
    fc.assert(
      fc.property(anyDay, (events) => {
        const table = equityDailyBar(dayOf(events));
        expect(table.columns).toEqual(EQUITY_DAILY_BAR.columns);
        const day = naiveDay(events, 'vendor_default', 10);
        const start = naiveStart(events);
        const wanted = naiveBar(day, start, EIGHT_PM - start);
        const nanos = (index: number) => BigInt(events[index - 1]?.nanosOfDay ?? 0);
        const isEarly = (index: number) => nanos(index + 1) < start;
        const side = (name: 'bid' | 'ask') =>
          (day.states.findLast((s, i) => s[name] && i > 0 && isEarly(i - 1)) ??
            day.states.find((s, i) => s[name] && i > 0 && nanos(i) < EIGHT_PM) ?? { [name]: null })[
            name
          ] ?? null;
        for (const [word, name] of [
          ['Bid', 'bid'],
          ['Ask', 'ask'],
        ] as const) {
          const quote = side(name);
          wanted[`Open${word}Price`] = quote ? Number(quote.price) / 10_000 : null;
          wanted[`Open${word}Size`] = quote ? quote.size : null;
        }
        expectBar(record(table, 0), wanted);
      }),
      { numRuns: RUNS },
    );
  });
});
