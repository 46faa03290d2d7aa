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
import { type BarTable, columnValues, type NumberTable } from '@ticklake/market/number-table.ts';
import type { ColumnBatch } from '../engine/columns.ts';
import { type Codes, type Doubles, orZero } from '../engine/gathered-columns.ts';
import { RowBuffer } from '../engine/row-buffer.ts';
import { BarDays, readBarDays } from './bar-days.ts';
import type { Cells } from './bar-rows.ts';
import { type Computation, type ComputationInput, plainComputation } from './computation.ts';
import { warnOfDoubled } from './doubled-events.ts';
import { type InstrumentDay, instrumentDays, tickColumnsOf } from './instrument-days.ts';

const BARS_RULE_VERSION = 2;
const DAYS_RULE_VERSION = 3;

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
  appendRest: (buffer: RowBuffer) => void = () => {},
): AsyncIterable<ColumnBatch> {
  if (!ticks) return;
  const buffer = new RowBuffer(output);
  const batches = read(ticks, tickColumnsOf(ticks, EVENT_COLUMNS), dates);
  for await (const day of instrumentDays(ticks, EVENT_COLUMNS, batches)) {
    warnOfDoubled(ticks, day, warn);
    append(buffer, day);
    yield* buffer.take(false);
  }
  appendRest(buffer);
  yield* buffer.take(true);
}

function barsIn(layout: BarLayout<FuturesBar>): AppendDay {
  return (buffer, day) => {
    const [table] = futuresMinuteBars(futuresEvents(day), [layout]) as [BarTable];
    buffer.append(table.rowCount, futuresBarSources(day, table));
  };
}

const STATISTICS = ['SettlementPrice', 'OpenInterest'];

/** What the exchange published, which bars do not tell. */
function statisticsIn(table: NumberTable): Cells {
  return Object.fromEntries(
    STATISTICS.map((name) => {
      const [value = Number.NaN] = columnValues(table, name);
      return [name, Number.isNaN(value) ? null : value];
    }),
  );
}

/** Prices are those of the ticks, or else those of the bars. */
function appendValues(buffer: RowBuffer, day: InstrumentDay, ofBars: Cells | null): void {
  const table = futuresDayTable(futuresEvents(day));
  const [tradeCount = 0] = columnValues(table, 'TotalTrades');
  if (ofBars && tradeCount === 0) buffer.appendRow({ ...ofBars, ...statisticsIn(table) });
  else buffer.append(table.rowCount, futuresDaySources(day, table));
}

function appendRows(buffer: RowBuffer, rows: Iterable<Cells>): void {
  for (const row of rows) buffer.appendRow(row);
}

async function* dailyValues(
  input: ComputationInput,
  rows: readonly Cells[],
): AsyncIterable<ColumnBatch> {
  const bars = new BarDays(rows);
  yield* computeDays(
    input,
    (buffer, day) => {
      appendRows(buffer, bars.before(day));
      appendValues(buffer, day, bars.of(day));
    },
    (buffer) => appendRows(buffer, bars.rest()),
  );
}

function barsOf(layout: BarLayout<FuturesBar>): Computation {
  return plainComputation(BARS_RULE_VERSION, (input) => computeDays(input, barsIn(layout)));
}

export const FUTURES_TRADE_BARS = barsOf(FUTURES_TRADE_BAR);
export const FUTURES_QUOTE_BARS = barsOf(FUTURES_MINUTE_BAR);
export const FUTURES_DAILY_VALUES: Computation = {
  ruleVersion: DAYS_RULE_VERSION,
  async prepare(input) {
    const { rows, mark } = await readBarDays(input);
    return { mark, rows: () => dailyValues(input, rows) };
  },
};
