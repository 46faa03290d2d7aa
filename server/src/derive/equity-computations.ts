/** Bars and daily values of equities from their ticks. */

import { type BarLayout, BarWriter } from '@ticklake/market/bar-layout.ts';
import { previousTradingDay, tradingDaysEndingAt } from '@ticklake/market/calendar.ts';
import type { AggregationLogic } from '@ticklake/market/conditions.ts';
import type { EquityBar } from '@ticklake/market/equity-bar.ts';
import {
  EQUITY_EXTENDED_BAR,
  EQUITY_MINUTE_BAR,
  EQUITY_TRADE_BAR,
} from '@ticklake/market/equity-bar.ts';
import {
  equityDailyBar,
  equityTradeBars,
  writeEquityMinuteBars,
} from '@ticklake/market/equity-bars.ts';
import { equityDailyOhlc } from '@ticklake/market/equity-daily-ohlc.ts';
import { equityBarSources, equityDaySources } from '@ticklake/market/equity-rows.ts';
import type { EquityDay } from '@ticklake/market/events.ts';
import type { BarTable, NumberTable, Sources } from '@ticklake/market/row-sources.ts';
import { type ColumnBatch, dateOfDays } from '../engine/columns.ts';
import {
  bufferRows,
  type Computation,
  type ComputationInput,
  plainComputation,
  referencedComputation,
} from './computation.ts';
import { type AveragePrices, EQUITY_EVENTS, EQUITY_TRADES, equityDays } from './equity-days.ts';
import type { EventColumns, InstrumentDay } from './instrument-days.ts';
import { CLOSE_COLUMNS, referenceRows } from './reference-rows.ts';

const RULE_VERSION = 1;

interface Computed {
  readonly table: NumberTable;
  readonly sources: Sources;
}

type EquityRows = (instrument: InstrumentDay, day: EquityDay) => Computed;

/** Computes the rows of one instrument's day after the other. */
interface EquityComputation {
  readonly columns: EventColumns;
  readonly rowsFor: (logic: AggregationLogic) => EquityRows;
}

const TRADE_BARS: EquityComputation = {
  columns: EQUITY_TRADES,
  rowsFor: (logic) => {
    const writer = new BarWriter(EQUITY_TRADE_BAR);
    return (instrument, day) => {
      const table = equityTradeBars(day, logic, writer);
      return { table, sources: equityBarSources(instrument, table, table) };
    };
  },
};

function minuteBars(layout: BarLayout<EquityBar>): EquityComputation {
  return {
    columns: EQUITY_EVENTS,
    rowsFor: (logic) => {
      const writers = [new BarWriter(layout)];
      return (instrument, day) => {
        const [table] = writeEquityMinuteBars(day, logic, writers) as [BarTable];
        return { table, sources: equityBarSources(instrument, table, table) };
      };
    },
  };
}

function dailyRows(
  compute: (day: EquityDay, logic: AggregationLogic) => NumberTable,
): EquityComputation {
  return {
    columns: EQUITY_EVENTS,
    rowsFor: (logic) => (instrument, day) => {
      const table = compute(day, logic);
      return { table, sources: equityDaySources(instrument, table) };
    },
  };
}

function computeRows(
  input: ComputationInput,
  { columns, rowsFor }: EquityComputation,
  averagePrices?: AveragePrices,
): AsyncIterable<ColumnBatch> {
  const rowsOf = rowsFor(input.output.variant.aggregationLogic ?? 'vendor_default');
  const days = equityDays(input, columns, averagePrices);
  return bufferRows(input.output, days, (buffer, { instrument, day }) => {
    const { table, sources } = rowsOf(instrument, day);
    buffer.append(table.rowCount, sources);
  });
}

/** Trading days whose closing prices quotes are held to. */
const AVERAGE_DAYS = 10;

interface Close {
  readonly date: string;
  readonly price: number;
}

/** A security by its permanent id, or by its ticker where it has none. */
function nameOf(asid: number | null, ticker: string): string {
  return asid === null ? ticker : `#${asid}`;
}

/** Closing prices of each security, oldest first. */
async function readCloses(input: ComputationInput): Promise<ReadonlyMap<string, readonly Close[]>> {
  const { inputs, dates } = input;
  const closes = new Map<string, Close[]>();
  const end = previousTradingDay(dates.end);
  const [start = end] = tradingDaysEndingAt(previousTradingDay(dates.start), AVERAGE_DAYS);
  for await (const rows of referenceRows(input, inputs[1], CLOSE_COLUMNS, { start, end })) {
    for (const { TradeDate, Ticker, ASID, ClosePrice: price } of rows) {
      if (price === null || TradeDate === null) continue;
      const name = nameOf(ASID, Ticker ?? '');
      const close = { date: dateOfDays(TradeDate), price };
      const known = closes.get(name);
      if (known) known.push(close);
      else closes.set(name, [close]);
    }
  }
  return closes;
}

function averagesOf(closes: ReadonlyMap<string, readonly Close[]>): AveragePrices {
  return ({ date, asid, ticker }) => {
    const [first = date] = tradingDaysEndingAt(previousTradingDay(date), AVERAGE_DAYS);
    const recent = closes
      .get(nameOf(asid, ticker))
      ?.filter((close) => close.date >= first && close.date < date);
    if (!recent?.length) return null;
    return recent.reduce((sum, { price }) => sum + price, 0) / recent.length;
  };
}

/** Rows of trades alone. */
function fromTrades(computation: EquityComputation): Computation {
  return plainComputation(RULE_VERSION, (input) => computeRows(input, computation));
}

/** Rows of trades and quotes, which are held to the average price of the days before. */
function fromQuotes(computation: EquityComputation): Computation {
  return referencedComputation({
    ruleVersion: RULE_VERSION,
    read: readCloses,
    digested: (closes) => [...closes],
    rows: (input, closes) => computeRows(input, computation, averagesOf(closes)),
  });
}

export const EQUITY_COMPUTATIONS = {
  equity_trade_bars: fromTrades(TRADE_BARS),
  equity_daily_prices: fromTrades(dailyRows(equityDailyOhlc)),
  equity_quote_bars: fromQuotes(minuteBars(EQUITY_MINUTE_BAR)),
  equity_extended_bars: fromQuotes(minuteBars(EQUITY_EXTENDED_BAR)),
  equity_day_bars: fromQuotes(dailyRows(equityDailyBar)),
};
