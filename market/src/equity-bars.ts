/** Bars of one equity and trade date from its events: any number of layouts in one pass. */

import { type BarLayout, BarWriter } from './bar-layout.ts';
import type { AggregationLogic } from './conditions.ts';
import { TRADE_USE } from './conditions.ts';
import {
  DAY_END_NANOS,
  DAY_START_NANOS,
  EQUITY_DAILY_BAR,
  type EquityBar,
  EquityCourse,
  NANOS_PER_MINUTE,
  REGULAR_START_NANOS,
  regularEndNanos,
  type TradedBar,
} from './equity-bar.ts';
import type { EquityDay, EquityTradeEvent } from './events.ts';
import { PriceBar } from './price-bar.ts';
import { ticksOfPrice } from './rounding.ts';
import type { BarTable } from './row-sources.ts';
import { Turnover } from './turnover.ts';

type OnBars = (bar: EquityBar, count: number) => void;

/**
 * Calls `onBars` at the end of each bar of the grid from 04:00 to 20:00, once for all bars of a
 * time without events: they differ in nothing but their start, which is the bar's for the first of
 * them.
 */
function cutDay(
  day: EquityDay,
  logic: AggregationLogic,
  lengthNanos: number,
  onBars: OnBars,
): void {
  const course = new EquityCourse(day, logic);
  let startNanos = DAY_START_NANOS;
  let lastNanos = 0;
  let hasStarted = false;
  const end = (count: number) => {
    onBars(course.bar, count);
    startNanos += count * lengthNanos;
    if (startNanos < DAY_END_NANOS) course.startBar(startNanos, lengthNanos);
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
    if (nanos >= DAY_END_NANOS) break;
    lastNanos = nanos;
    if (nanos < DAY_START_NANOS) {
      course.takeEarlyQuote(event);
      continue;
    }
    if (!hasStarted || nanos >= startNanos + lengthNanos) advance(nanos);
    course.take(event, nanos - startNanos);
  }
  advance(DAY_END_NANOS);
}

function barTables(
  day: EquityDay,
  logic: AggregationLogic,
  lengthNanos: number,
  writers: readonly BarWriter<EquityBar>[],
): BarTable[] {
  for (const writer of writers) writer.clear();
  cutDay(day, logic, lengthNanos, (bar, count) => {
    for (const writer of writers) writer.writeAlike(bar, bar.startNanos, count, lengthNanos);
  });
  return writers.map((writer) => writer.table());
}

/**
 * Minute bars from 04:00 to 19:59, one table for each layout in their order: 960 rows, or in
 * trade-only layouts a row for each minute with a trade. Events past 20:00 belong to no bar; an
 * event stamped before its predecessor is taken at the predecessor's time.
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

/** The single row of `eq_taq_daily`: the measures of the minute bar over 04:00 to 20:00. */
export function equityDailyBar(day: EquityDay): BarTable {
  const [table] = barTables(day, 'vendor_default', DAY_END_NANOS - DAY_START_NANOS, [
    new BarWriter(EQUITY_DAILY_BAR),
  ]);
  return table as BarTable;
}

export interface EquityTradeDay {
  /** In feed order. */
  readonly events: Iterable<EquityTradeEvent>;
  /** Regular trading ends at 13:00 rather than 16:00. */
  readonly isHalfDay: boolean;
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

/** A row for each minute with a trade, 04:00 to 19:59; valid until the writer's next use. */
export function equityTradeBars(
  { events, isHalfDay }: EquityTradeDay,
  logic: AggregationLogic,
  writer: BarWriter<TradedBar>,
): BarTable {
  const useOf = TRADE_USE[logic];
  const endOfRegularNanos = regularEndNanos(isHalfDay);
  const trades = new AllTrades();
  const bar = { trades };
  let startNanos = DAY_START_NANOS;
  let lastNanos = 0;
  writer.clear();
  for (const { nanosOfDay, type, price, quantity, conditions } of events) {
    if (nanosOfDay > lastNanos) lastNanos = nanosOfDay;
    if (lastNanos >= DAY_END_NANOS) break;
    const isTrade = type === 'TRADE' || type === 'TRADE NB';
    if (!isTrade || lastNanos < DAY_START_NANOS || price <= 0 || quantity <= 0) continue;
    const isRegularHours = lastNanos >= REGULAR_START_NANOS && lastNanos < endOfRegularNanos;
    const use = useOf(conditions, isRegularHours);
    if (use === 0) continue;
    if (lastNanos >= startNanos + NANOS_PER_MINUTE) {
      writer.write(bar, startNanos);
      trades.reset();
      startNanos = lastNanos - (lastNanos % NANOS_PER_MINUTE);
    }
    const ticks = ticksOfPrice(price);
    trades.prices.add(ticks, quantity, lastNanos - startNanos, use);
    trades.lit.add(ticks, quantity);
    trades.litCount += 1;
  }
  writer.write(bar, startNanos);
  return writer.table();
}
