/** Bars and daily values of futures from their ticks. */
import type { BarLayout } from '@ticklake/market/bar-layout.ts';
import type { FuturesEvent } from '@ticklake/market/events.ts';
import {
  FUTURES_MINUTE_BAR,
  FUTURES_TRADE_BAR,
  type FuturesBar,
  futuresMinuteBars,
} from '@ticklake/market/futures-bars.ts';
import {
  futuresBarSources,
  futuresDaySources,
  futuresDayTable,
} from '@ticklake/market/futures-day.ts';
import { type BarTable, columnValues, type NumberTable } from '@ticklake/market/row-sources.ts';
import { type ColumnBatch, daysOfDate, mapRows } from '../engine/columns.ts';
import { orNull, orZero, quantityOrZero } from '../engine/gathered-columns.ts';
import type { RowBuffer } from '../engine/row-buffer.ts';
import { barRowsByDate, type Cells } from './bars-by-date.ts';
import {
  bufferRows,
  type Computation,
  type ComputationInput,
  plainComputation,
  referencedComputation,
  unitBuffer,
} from './computation.ts';
import { type InstrumentDay, instrumentDays } from './instrument-days.ts';

const BARS_RULE_VERSION = 2;
const DAYS_RULE_VERSION = 3;

const EVENT_COLUMNS = {
  texts: ['EventType'],
  numbers: ['Price', 'Quantity', 'Orders', 'Flags', 'TypeMask'],
};

function* futuresEvents({ events }: InstrumentDay): Iterable<FuturesEvent> {
  const types = events.codes('EventType');
  const [prices, quantities] = [events.doubles('Price'), events.doubles('Quantity')];
  const [orders, flags] = [events.doubles('Orders'), events.doubles('Flags')];
  const masks = events.doubles('TypeMask');
  for (let i = 0; i < events.length; i++) {
    yield {
      nanosOfDay: events.nanosOfDay.at(i),
      type: types.textAt(i) ?? '',
      price: orZero(prices, i),
      quantity: quantityOrZero(quantities, i),
      orders: orZero(orders, i),
      flags: orZero(flags, i),
      typeMask: orZero(masks, i),
    };
  }
}

function barsOf(layout: BarLayout<FuturesBar>): Computation {
  return plainComputation(BARS_RULE_VERSION, (input) =>
    bufferRows(input.output, instrumentDays(input, EVENT_COLUMNS), (buffer, day) => {
      const [table] = futuresMinuteBars(futuresEvents(day), [layout]) as [BarTable];
      buffer.append(table.rowCount, futuresBarSources(day, table));
    }),
  );
}

const STATISTICS = ['SettlementPrice', 'OpenInterest'];

/** Statistics that the exchange published; bars do not have them. */
function statisticsIn(table: NumberTable): Cells {
  return Object.fromEntries(
    STATISTICS.map((name) => {
      const [value = Number.NaN] = columnValues(table, name);
      return [name, orNull(value)];
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

/** True if a row comes before a contract's day, by date and ticker. */
function isBefore({ TradeDate, Ticker }: Cells, { date, ticker }: InstrumentDay): boolean {
  const days = daysOfDate(date);
  return TradeDate === days ? `${Ticker}` < ticker : (TradeDate as number) < days;
}

/** Rows by date from the second input's bars, for contracts whose ticks have no trade. */
async function readBarDays(input: ComputationInput): Promise<readonly Cells[]> {
  const { output, inputs } = input;
  const rows: Cells[] = [];
  const names = output.columns.map(({ name }) => name);
  for await (const batch of barRowsByDate(input, inputs[1])) {
    const cells = mapRows(output.columns, batch, (cell) => names.map((name) => [name, cell(name)]));
    for (const row of cells) rows.push(Object.fromEntries(row));
  }
  return rows;
}

/** `barDays`: rows of bars by date and ticker, merged with those of days with ticks. */
async function* dailyValues(
  input: ComputationInput,
  barDays: readonly Cells[],
): AsyncIterable<ColumnBatch> {
  const buffer = unitBuffer(input.output);
  let next = 0;
  for await (const day of instrumentDays(input, EVENT_COLUMNS)) {
    for (let row = barDays[next]; row && isBefore(row, day); row = barDays[++next]) {
      buffer.appendRow(row);
    }
    const row = barDays[next];
    const isOfDay = row?.TradeDate === daysOfDate(day.date) && row.Ticker === day.ticker;
    appendValues(buffer, day, isOfDay ? row : null);
    if (isOfDay) next++;
    yield* buffer.take(false);
  }
  for (const row of barDays.slice(next)) buffer.appendRow(row);
  yield* buffer.take(true);
}

export const FUTURES_TRADE_BARS = barsOf(FUTURES_TRADE_BAR);
export const FUTURES_QUOTE_BARS = barsOf(FUTURES_MINUTE_BAR);
export const FUTURES_DAILY_VALUES = referencedComputation({
  ruleVersion: DAYS_RULE_VERSION,
  read: readBarDays,
  digested: (rows) => (rows.length === 0 ? undefined : rows),
  rows: dailyValues,
});
