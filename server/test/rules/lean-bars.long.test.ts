/**
 * Bars of real trades against those that another engine, LEAN, built from the same feed, field by
 * field. Under LEAN's rule all bars but one agree; under ours, each difference is explained by a
 * trade that the rules count differently.
 */

import type { AggregationLogic } from '@ticklake/market/conditions.ts';
import { EQUITY_TRADE_BAR } from '@ticklake/market/equity-bar.ts';
import { equityMinuteBars } from '@ticklake/market/equity-bars.ts';
import { equityDailyOhlc } from '@ticklake/market/equity-daily-ohlc.ts';
import type { EquityEvent } from '@ticklake/market/events.ts';
import { columnValues } from '@ticklake/market/row-sources.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { docsTable } from '../docs-table.ts';
import {
  hasLeanFiles,
  type LeanTrade,
  leanDays,
  leanMinutes,
  leanTickDays,
  leanTrades,
  type PlainBar,
} from './lean-files.ts';
import { DIFFERENCES, differenceOf, LISTED_AT, leanCounts, minutesOf } from './lean-rule.ts';

const TICKERS = Object.keys(LISTED_AT);
const PAGE = 'decisions/lean-bars.md';
const FIELDS = [
  'FirstTradePrice',
  'HighTradePrice',
  'LowTradePrice',
  'LastTradePrice',
  'Volume',
] as const;

const ALL_FIELDS = FIELDS.map((_, at) => at);
const VOLUME = FIELDS.indexOf('Volume');
const NO_HISTORY = { isHalfDay: false, averagePrice: null };
/** The minutes from 09:30 to 15:59. */
const SESSION = { first: 570, last: 959 };

type Bars = ReadonlyMap<number, PlainBar>;

/** By the minute of the day; a bar without a price has 0, as in LEAN's files. */
function minuteBars(events: readonly EquityEvent[], logic: AggregationLogic): Bars {
  const [table] = equityMinuteBars({ events, ...NO_HISTORY }, logic, [EQUITY_TRADE_BAR]);
  if (!table) throw new Error('no table');
  const columns = FIELDS.map((name) => columnValues(table, name));
  return new Map(
    [...table.startNanos].map((nanos, row) => [
      nanos / 60e9,
      columns.map((values) => values[row] || 0) as unknown as PlainBar,
    ]),
  );
}

const isSame = (a: PlainBar | undefined, b: PlainBar | undefined) => `${a}` === `${b}`;

/** The minutes of either whose bars are not the same in every field. */
function differing(ours: Bars, theirs: Bars): number[] {
  const minutes = new Set([...ours.keys(), ...theirs.keys()]);
  return [...minutes].filter((minute) => !isSame(ours.get(minute), theirs.get(minute)));
}

/** How many of their bars are the same in these fields. */
function equalCount(ours: Bars, theirs: Bars, fields: readonly number[]): number {
  const same = [...theirs].filter(([minute, bar]) =>
    fields.every((field) => ours.get(minute)?.[field] === bar[field]),
  );
  return same.length;
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

interface Day {
  readonly ticker: string;
  readonly date: string;
  readonly trades: readonly LeanTrade[];
  readonly theirs: Bars;
  /** Bars of the trades under LEAN's rule. */
  readonly byLean: Bars;
  readonly byRule: Readonly<Record<AggregationLogic, Bars>>;
}

function dayOf(ticker: string, date: string): Day {
  const trades = leanTrades(ticker, date);
  return {
    ...{ ticker, date, trades, theirs: leanMinutes(ticker, date) },
    byLean: minuteBars(leanCounts(ticker, trades), 'industry_std'),
    byRule: {
      industry_std: minuteBars(trades, 'industry_std'),
      vendor_default: minuteBars(trades, 'vendor_default'),
    },
  };
}

/** The bars of the session as one. */
function sessionOf(bars: Bars): PlainBar {
  const minutes = [...bars.keys()].filter((at) => at >= SESSION.first && at <= SESSION.last).sort();
  const own = minutes.map((minute) => bars.get(minute) as PlainBar);
  return [
    own[0]?.[0] ?? 0,
    Math.max(...own.map((bar) => bar[1])),
    Math.min(...own.map((bar) => bar[2])),
    own.at(-1)?.[3] ?? 0,
    own.reduce((sum, bar) => sum + bar[4], 0),
  ];
}

const timeOf = (minute: number) =>
  `${Math.floor(minute / 60)}:${`${minute % 60}`.padStart(2, '0')}`.padStart(5, '0');

describe.skipIf(!hasLeanFiles)("LEAN's bars", () => {
  let days: Day[];
  beforeAll(() => {
    days = TICKERS.flatMap((ticker) => leanTickDays(ticker).map((date) => dayOf(ticker, date)));
  });

  const daysOf = (wanted: string) => days.filter(({ ticker }) => ticker === wanted);

  it('are computed from its ticks under its rule, all fields of all bars, but for one close', () => {
    const left = days.flatMap(({ ticker, date, theirs, byLean: ours }) => {
      return differing(ours, theirs).map((minute) => [
        ...[ticker, date, timeOf(minute)],
        ...[ours.get(minute)?.join(), theirs.get(minute)?.join()],
      ]);
    });
    // Without a closing print, LEAN takes the price of the official close, and not its shares.
    expect(left).toEqual([
      [
        ...['spy', '20131010', '15:59'],
        ...['169.09,169.19,169.08,169.17,4269661', '169.09,169.24,169.08,169.24,4269661'],
      ],
    ]);
  });

  it("differ from the industry's standard only where a trade counts differently", () => {
    let barCount = 0;
    for (const { trades, theirs, byRule } of days) {
      const explained = new Set(
        trades.filter((trade) => differenceOf(trade) !== null).flatMap(minutesOf),
      );
      const found = differing(byRule.industry_std, theirs);
      expect(found.filter((minute) => !explained.has(minute))).toEqual([]);
      barCount += found.length;
    }
    expect(barCount).toBeGreaterThan(1000);
  });

  it('are as near to each rule as the documents say', () => {
    const rows = TICKERS.map((ticker) => {
      const own = daysOf(ticker);
      const equalBars = (barsOf: (day: Day) => Bars, ...fields: number[]) =>
        sum(own.map((day) => equalCount(barsOf(day), day.theirs, fields)));
      const by = (logic: AggregationLogic) => (day: Day) => day.byRule[logic];
      const byLean = (day: Day) => day.byLean;
      const counts = [
        sum(own.map(({ theirs }) => theirs.size)),
        equalBars(byLean, ...ALL_FIELDS),
        equalBars(by('industry_std'), ...ALL_FIELDS),
        equalBars(by('industry_std'), VOLUME),
        equalBars(by('vendor_default'), ...ALL_FIELDS),
        equalBars(by('vendor_default'), VOLUME),
      ];
      return [ticker.toUpperCase(), ...counts.map((count) => count.toLocaleString('en-US'))];
    });
    const header = ['Ticker', 'Bars', 'LEAN’s rule', 'Industry standard', 'Its volumes'];
    expect(docsTable(PAGE, ...header)).toEqual(rows);
  });

  it('differ for the reasons that the documents list', () => {
    const minutes = new Map<string, Set<string>>();
    for (const { ticker, date, trades, theirs, byRule } of days) {
      const found = new Set(differing(byRule.industry_std, theirs));
      for (const trade of trades) {
        const key = `${differenceOf(trade)} ${ticker}`;
        const own = minutes.get(key) ?? new Set();
        for (const minute of minutesOf(trade)) if (found.has(minute)) own.add(`${date} ${minute}`);
        minutes.set(key, own);
      }
    }
    const rows = DIFFERENCES.map((reason) => [
      reason,
      ...TICKERS.map((ticker) => minutes.get(`${reason} ${ticker}`)?.size ?? 0),
    ]);
    const header = ['A minute has a trade that is', ...TICKERS.map((each) => each.toUpperCase())];
    expect(docsTable(PAGE, ...header)).toEqual(
      rows.map((cells) => cells.map((cell) => cell.toLocaleString('en-US'))),
    );
  });

  it('per day match the session minutes, but for what the documents list', () => {
    const names = ['Open', 'High', 'Low', 'Close', 'Volume'];
    const rows = days.flatMap(({ ticker, date, theirs }) => {
      const session = sessionOf(theirs);
      const day = leanDays(ticker).get(date) as PlainBar;
      return names.flatMap((name, i) => {
        if (session[i] === day[i]) return [];
        const texts = [session[i], day[i]].map((value) => value?.toLocaleString('en-US'));
        return [[ticker.toUpperCase(), date, name, ...texts]];
      });
    });
    expect(docsTable(PAGE, 'Ticker', 'Day', 'Field', 'LEAN’s minutes', 'LEAN’s day')).toEqual(rows);
  });

  it('per day close at the closing auction, as daily prices do', () => {
    const others = days.filter(({ ticker, date, trades }) => {
      const table = equityDailyOhlc({ events: trades, ...NO_HISTORY }, 'vendor_default');
      return columnValues(table, 'ClosePrice')[0] !== leanDays(ticker).get(date)?.[3];
    });
    // The day without a closing print.
    expect(others.map(({ ticker, date }) => [ticker, date])).toEqual([['spy', '20131010']]);
  });
});
