/** Bars and daily values of equities from their ticks. */
import type { AggregationLogic } from '@ticklake/market/aggregation-logic.ts';
import { type BarLayout, BarWriter } from '@ticklake/market/bar-layout.ts';
import type { EquityBar } from '@ticklake/market/equity-bar.ts';
import {
  EQUITY_EXTENDED_BAR,
  EQUITY_MINUTE_BAR,
  EQUITY_TRADE_BAR,
} from '@ticklake/market/equity-bar-columns.ts';
import { equityDailyBar, writeEquityMinuteBars } from '@ticklake/market/equity-bars.ts';
import { equityDailyOhlc } from '@ticklake/market/equity-daily-ohlc.ts';
import type { EquityDay } from '@ticklake/market/equity-day.ts';
import { equityBarSources, equityDaySources } from '@ticklake/market/equity-rows.ts';
import { equityTradeBars } from '@ticklake/market/equity-trade-bars.ts';
import type { BarTable, NumberTable } from '@ticklake/market/number-table.ts';
import type { Sources } from '@ticklake/market/row-sources.ts';
import type { ColumnBatch } from '../engine/columns.ts';
import { RowBuffer } from '../engine/row-buffer.ts';
import { type Computation, type ComputationInput, plainComputation } from './computation.ts';
import { type AveragePrices, EQUITY_EVENTS, EQUITY_TRADES, equityDays } from './equity-days.ts';
import type { EventColumns, InstrumentDay } from './instrument-days.ts';
import { recentAverages } from './recent-averages.ts';

const RULE_VERSION = 1;

interface Computed {
  readonly table: NumberTable;
  readonly sources: Sources;
}

type EquityRows = (instrument: InstrumentDay, day: EquityDay) => Computed;

/** How rows are computed of one day after the other, each of which is done with when the next one comes. */
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

async function* computeRows(
  input: ComputationInput,
  { columns, rowsFor }: EquityComputation,
  averagePrices?: AveragePrices,
): AsyncIterable<ColumnBatch> {
  const buffer = new RowBuffer(input.output);
  const rowsOf = rowsFor(input.output.variant.aggregationLogic ?? 'vendor_default');
  for await (const { instrument, day } of equityDays(input, columns, averagePrices)) {
    const { table, sources } = rowsOf(instrument, day);
    buffer.append(table.rowCount, sources);
    yield* buffer.take(false);
  }
  yield* buffer.take(true);
}

/** Of trades alone. */
function fromTrades(computation: EquityComputation): Computation {
  return plainComputation(RULE_VERSION, (input) => computeRows(input, computation));
}

/** Of trades and quotes, which are held to the average price of the days before. */
function fromQuotes(computation: EquityComputation): Computation {
  return {
    ruleVersion: RULE_VERSION,
    async prepare(input) {
      const { mark, averagePrices } = await recentAverages(input);
      return { mark, rows: () => computeRows(input, computation, averagePrices) };
    },
  };
}

export const EQUITY_TRADE_BARS = fromTrades(TRADE_BARS);
export const EQUITY_DAILY_PRICES = fromTrades(dailyRows(equityDailyOhlc));
export const EQUITY_QUOTE_BARS = fromQuotes(minuteBars(EQUITY_MINUTE_BAR));
export const EQUITY_EXTENDED_BARS = fromQuotes(minuteBars(EQUITY_EXTENDED_BAR));
export const EQUITY_DAY_BARS = fromQuotes(dailyRows(equityDailyBar));
