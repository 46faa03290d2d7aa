/** Bars and daily values of futures from their ticks. */
import type { BarLayout } from '@ticklake/market/bar-layout.ts';
import type { FuturesEvent } from '@ticklake/market/events.ts';
import {
  FUTURES_MINUTE_BAR,
  FUTURES_TRADE_BAR,
  type FuturesBar,
  futuresMinuteBars,
} from '@ticklake/market/futures-bars.ts';
import { futuresDayTable } from '@ticklake/market/futures-day.ts';
import { futuresBarSources, futuresDaySources } from '@ticklake/market/futures-rows.ts';
import type { BarTable } from '@ticklake/market/number-table.ts';
import type { ColumnBatch } from '../engine/columns.ts';
import { type Codes, type Doubles, orZero } from '../engine/gathered-columns.ts';
import { RowBuffer } from '../engine/row-buffer.ts';
import { type ComputationInput, plainComputation } from './computation.ts';
import { warnOfDoubled } from './doubled-events.ts';
import { type InstrumentDay, instrumentDays, tickColumnsOf } from './instrument-days.ts';

const RULE_VERSION = 1;

const EVENT_COLUMNS = {
  texts: ['EventType'],
  numbers: ['Price', 'Quantity', 'Orders', 'Flags', 'TypeMask'],
};

function* futuresEvents({ events }: InstrumentDay): Iterable<FuturesEvent> {
  const [types] = events.texts as [Codes];
  const numbers = events.numbers as [Doubles, Doubles, Doubles, Doubles, Doubles];
  const [prices, quantities, orders, flags, masks] = numbers;
  for (let i = 0; i < events.length; i++) {
    yield {
      nanosOfDay: events.nanosOfDay.at(i),
      type: types.textAt(i) ?? '',
      price: orZero(prices, i),
      quantity: orZero(quantities, i),
      orders: orZero(orders, i),
      flags: orZero(flags, i),
      typeMask: orZero(masks, i),
    };
  }
}

/** Appends the rows of a contract's day. */
type AppendDay = (buffer: RowBuffer, day: InstrumentDay) => void;

async function* computeDays(
  { inputs: [ticks], output, dates, read, warn }: ComputationInput,
  append: AppendDay,
): AsyncIterable<ColumnBatch> {
  if (!ticks) return;
  const buffer = new RowBuffer(output);
  const batches = read(ticks, tickColumnsOf(ticks, EVENT_COLUMNS), dates);
  for await (const day of instrumentDays(ticks, EVENT_COLUMNS, batches)) {
    warnOfDoubled(ticks, day, warn);
    append(buffer, day);
    yield* buffer.take(false);
  }
  yield* buffer.take(true);
}

function barsIn(layout: BarLayout<FuturesBar>): AppendDay {
  return (buffer, day) => {
    const [table] = futuresMinuteBars(futuresEvents(day), [layout]) as [BarTable];
    buffer.append(table.rowCount, futuresBarSources(day, table));
  };
}

const appendValues: AppendDay = (buffer, day) => {
  const table = futuresDayTable(futuresEvents(day));
  buffer.append(table.rowCount, futuresDaySources(day, table));
};

function computationOf(append: AppendDay) {
  return plainComputation(RULE_VERSION, (input) => computeDays(input, append));
}

export const FUTURES_TRADE_BARS = computationOf(barsIn(FUTURES_TRADE_BAR));
export const FUTURES_QUOTE_BARS = computationOf(barsIn(FUTURES_MINUTE_BAR));
export const FUTURES_DAILY_VALUES = computationOf(appendValues);
