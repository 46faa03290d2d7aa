/** Bars of one equity and trade date from its events: any number of layouts in one pass. */

import { type BarLayout, BarWriter } from './bar-layout.ts';
import type { AggregationLogic } from './conditions.ts';
import { TRADE_USE } from './conditions.ts';
import {
  EQUITY_DAILY_BAR,
  type EquityBar,
  EquityCourse,
  hoursOf,
  NANOS_PER_MINUTE,
  type TradedBar,
} from './equity-bar.ts';
import type { EquityDay, EquityTradeEvent } from './events.ts';
import { PriceBar } from './price-bar.ts';
import { ticksOfPrice } from './rounding.ts';
import type { BarTable } from './row-sources.ts';
import type { Session } from './sessions.ts';
import { Turnover } from './turnover.ts';

type OnBars = (bar: EquityBar, count: number) => void;

function isPriced({ type, price, quantity }: EquityTradeEvent): boolean {
  return (type === 'TRADE' || type === 'TRADE NB') && price > 0 && quantity > 0;
}

/**
 * The hours that have bars. Those of the night only if the equity traded in it: quotes come some
 * minutes before the day of any equity begins.
 */
function barHours(day: EquityDay) {
  const { nightStartNanos, startNanos, endNanos } = hoursOf(day);
  for (const event of day.events) {
    if (event.nanosOfDay >= startNanos) break;
    if (event.nanosOfDay < nightStartNanos || !isPriced(event)) continue;
    return { startNanos: nightStartNanos, endNanos };
  }
  return { startNanos, endNanos };
}

/**
 * Calls `onBars` at the end of each bar of the grid, once for all bars of a time without events:
 * they differ in nothing but their start, which is the bar's for the first of them. Without a
 * length there is one bar.
 */
function cutDay(
  day: EquityDay,
  logic: AggregationLogic,
  barNanos: number | null,
  onBars: OnBars,
): void {
  const course = new EquityCourse(day, logic);
  const hours = barHours(day);
  const lengthNanos = barNanos ?? hours.endNanos - hours.startNanos;
  let { startNanos } = hours;
  let lastNanos = Number.NEGATIVE_INFINITY;
  let hasStarted = false;
  const end = (count: number) => {
    onBars(course.bar, count);
    startNanos += count * lengthNanos;
    if (startNanos < hours.endNanos) course.startBar(startNanos, lengthNanos);
  };
  const advance = (untilNanos: number) => {
    if (!hasStarted) course.startBar(startNanos, lengthNanos);
    hasStarted = true;
    const count = Math.floor((untilNanos - startNanos) / lengthNanos);
    if (count > 0) end(1);
    if (count > 1) end(count - 1);
  };
  for (const event of day.events) {
    const nanos = Math.max(event.nanosOfDay, lastNanos);
    if (nanos >= hours.endNanos) break;
    lastNanos = nanos;
    if (nanos < hours.startNanos) {
      course.takeEarlyQuote(event);
      continue;
    }
    if (!hasStarted || nanos >= startNanos + lengthNanos) advance(nanos);
    course.take(event, nanos - startNanos);
  }
  advance(hours.endNanos);
}

function barTables(
  day: EquityDay,
  logic: AggregationLogic,
  barNanos: number | null,
  writers: readonly BarWriter<EquityBar>[],
): BarTable[] {
  for (const writer of writers) writer.clear();
  cutDay(day, logic, barNanos, (bar, count) => {
    for (const writer of writers) writer.writeAlike(bar, bar.startNanos, count, bar.lengthNanos);
  });
  return writers.map((writer) => writer.table());
}

/**
 * Minute bars from 04:00 to 19:59, and from 20:00 on the evening before if the equity traded in
 * that night, one table for each layout in their order: 960 or 1440 rows, or in trade-only layouts
 * a row for each minute with a trade. Events past 20:00 belong to no bar; an event stamped before
 * its predecessor is taken at the predecessor's time.
 */
export function equityMinuteBars(
  day: EquityDay,
  logic: AggregationLogic,
  layouts: readonly BarLayout<EquityBar>[],
): BarTable[] {
  return writeEquityMinuteBars(
    day,
    logic,
    layouts.map((layout) => new BarWriter(layout)),
  );
}

/** Minute bars by layout; the tables are valid until the writers are used again. */
export function writeEquityMinuteBars(
  day: EquityDay,
  logic: AggregationLogic,
  writers: readonly BarWriter<EquityBar>[],
): BarTable[] {
  return barTables(day, logic, NANOS_PER_MINUTE, writers);
}

/** The single row of `eq_taq_daily`: the measures of the minute bar over all hours with bars. */
export function equityDailyBar(day: EquityDay): BarTable {
  return barTables(day, 'vendor_default', null, [new BarWriter(EQUITY_DAILY_BAR)])[0] as BarTable;
}

export interface EquityTradeDay {
  /** In feed order. */
  readonly events: Iterable<EquityTradeEvent>;
  readonly isHalfDay: boolean;
  /** Absent: US stock markets. */
  readonly sessions?: readonly Session[];
}

/** All trades count as those of an exchange: the sums of both are what the bars have. */
class AllTrades {
  readonly prices = new PriceBar();
  readonly lit = new Turnover();
  readonly finra = new Turnover();
  litCount = 0;
  readonly finraCount = 0;

  reset(): void {
    this.prices.reset();
    this.lit.reset();
    this.litCount = 0;
  }
}

/** A row for each minute of the night and day with a trade; valid until the writer's next use. */
export function equityTradeBars(
  day: EquityTradeDay,
  logic: AggregationLogic,
  writer: BarWriter<TradedBar>,
): BarTable {
  const useOf = TRADE_USE[logic];
  const { nightStartNanos, regularStartNanos, regularEndNanos, endNanos } = hoursOf(day);
  const trades = new AllTrades();
  const bar = { trades };
  let startNanos = nightStartNanos;
  let lastNanos = Number.NEGATIVE_INFINITY;
  writer.clear();
  for (const event of day.events) {
    const { nanosOfDay, price, quantity, conditions } = event;
    if (nanosOfDay > lastNanos) lastNanos = nanosOfDay;
    if (lastNanos >= endNanos) break;
    if (lastNanos < nightStartNanos || !isPriced(event)) continue;
    const isRegularHours = lastNanos >= regularStartNanos && lastNanos < regularEndNanos;
    const use = useOf(conditions, isRegularHours);
    if (use === 0) continue;
    if (lastNanos >= startNanos + NANOS_PER_MINUTE) {
      writer.write(bar, startNanos);
      trades.reset();
      startNanos = Math.floor(lastNanos / NANOS_PER_MINUTE) * NANOS_PER_MINUTE;
    }
    const ticks = ticksOfPrice(price);
    trades.prices.add(ticks, quantity, lastNanos - startNanos, use);
    trades.lit.add(ticks, quantity);
    trades.litCount += 1;
  }
  writer.write(bar, startNanos);
  return writer.table();
}
