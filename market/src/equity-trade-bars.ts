/**
 * Minute bars of trades alone. Nothing in them depends on quotes, venues or the trade before, so that most of what
 * `equityMinuteBars` follows through a day is left out; the rows are the same.
 */
import type { AggregationLogic } from './aggregation-logic.ts';
import type { BarWriter } from './bar-layout.ts';
import { TRADE_USE } from './conditions.ts';
import {
  DAY_END_NANOS,
  DAY_START_NANOS,
  NANOS_PER_MINUTE,
  REGULAR_START_NANOS,
  regularEndNanos,
} from './equity-bar.ts';
import type { TradedBar } from './equity-bar-columns.ts';
import type { EquityTradeEvent } from './events.ts';
import type { BarTable } from './number-table.ts';
import { PriceBar } from './price-bar.ts';
import { ticksOfPrice } from './rounding.ts';
import { Turnover } from './turnover.ts';

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

/** A row for each minute from 04:00 to 19:59 with a trade. The table holds until the writer is used again. */
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
