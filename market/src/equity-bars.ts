/** Bars of one equity and trade date from its events: any number of layouts in one pass. */
import type { AggregationLogic } from './aggregation-logic.ts';
import { type BarLayout, BarWriter } from './bar-layout.ts';
import {
  DAY_END_NANOS,
  DAY_START_NANOS,
  type EquityBar,
  EquityCourse,
  NANOS_PER_MINUTE,
} from './equity-bar.ts';
import { EQUITY_DAILY_BAR } from './equity-bar-columns.ts';
import type { EquityDay } from './equity-day.ts';
import type { BarTable } from './number-table.ts';

/** Calls `onBar` at the end of each bar of the grid from 04:00 to 20:00. */
function cutDay(
  day: EquityDay,
  logic: AggregationLogic,
  lengthNanos: number,
  onBar: (bar: EquityBar) => void,
): void {
  const course = new EquityCourse(day, logic);
  let startNanos = DAY_START_NANOS;
  let lastNanos = 0;
  let hasStarted = false;
  const advance = (untilNanos: number) => {
    if (!hasStarted) course.startBar(startNanos, lengthNanos);
    hasStarted = true;
    while (startNanos + lengthNanos <= untilNanos) {
      onBar(course.bar);
      startNanos += lengthNanos;
      if (startNanos < DAY_END_NANOS) course.startBar(startNanos, lengthNanos);
    }
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
  layouts: readonly BarLayout<EquityBar>[],
): BarTable[] {
  const writers = layouts.map((layout) => new BarWriter(layout));
  cutDay(day, logic, lengthNanos, (bar) => {
    for (const writer of writers) writer.write(bar, bar.startNanos);
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
  return barTables(day, logic, NANOS_PER_MINUTE, layouts);
}

/** The single row of `eq_taq_daily`: the measures of the minute bar over 04:00 to 20:00. */
export function equityDailyBar(day: EquityDay): BarTable {
  const [table] = barTables(day, 'vendor_default', DAY_END_NANOS - DAY_START_NANOS, [
    EQUITY_DAILY_BAR,
  ]);
  return table as BarTable;
}
