/** Bars and daily values of equities from their ticks. */
import type { AggregationLogic } from '@ticklake/market/aggregation-logic.ts';
import type { BarLayout } from '@ticklake/market/bar-layout.ts';
import type { EquityBar } from '@ticklake/market/equity-bar.ts';
import {
  EQUITY_EXTENDED_BAR,
  EQUITY_MINUTE_BAR,
  EQUITY_TRADE_BAR,
} from '@ticklake/market/equity-bar-columns.ts';
import { equityDailyBar, equityMinuteBars } from '@ticklake/market/equity-bars.ts';
import { equityDailyOhlc } from '@ticklake/market/equity-daily-ohlc.ts';
import type { EquityDay } from '@ticklake/market/equity-day.ts';
import { equityBarSources, equityDaySources } from '@ticklake/market/equity-rows.ts';
import type { BarTable, NumberTable } from '@ticklake/market/number-table.ts';
import type { Sources } from '@ticklake/market/row-sources.ts';
import type { ColumnBatch } from '../engine/columns.ts';
import { RowBuffer } from '../engine/row-buffer.ts';
import { type Computation, type ComputationInput, plainComputation } from './computation.ts';
import { type AveragePrices, equityDays } from './equity-days.ts';
import type { InstrumentDay } from './instrument-days.ts';
import { recentAverages } from './recent-averages.ts';

const RULE_VERSION = 1;

interface Computed {
  readonly table: NumberTable;
  readonly sources: Sources;
}

type EquityRows = (input: ComputationInput, instrument: InstrumentDay, day: EquityDay) => Computed;

function logicOf({ output }: ComputationInput): AggregationLogic {
  return output.variant.aggregationLogic ?? 'vendor_default';
}

function minuteBars(layout: BarLayout<EquityBar>): EquityRows {
  return (input, instrument, day) => {
    const [table] = equityMinuteBars(day, logicOf(input), [layout]) as [BarTable];
    return { table, sources: equityBarSources(instrument, table, table) };
  };
}

const dayBar: EquityRows = (_, instrument, day) => {
  const table = equityDailyBar(day);
  return { table, sources: equityDaySources(instrument, table) };
};

const dailyPrices: EquityRows = (input, instrument, day) => {
  const table = equityDailyOhlc(day, logicOf(input));
  return { table, sources: equityDaySources(instrument, table) };
};

async function* computeRows(
  input: ComputationInput,
  compute: EquityRows,
  averagePrices?: AveragePrices,
): AsyncIterable<ColumnBatch> {
  const buffer = new RowBuffer(input.output);
  for await (const { instrument, day } of equityDays(input, averagePrices)) {
    const { table, sources } = compute(input, instrument, day);
    buffer.append(table.rowCount, sources);
    yield* buffer.take(false);
  }
  yield* buffer.take(true);
}

/** Of trades alone. */
function fromTrades(compute: EquityRows): Computation {
  return plainComputation(RULE_VERSION, (input) => computeRows(input, compute));
}

/** Of trades and quotes, which are held to the average price of the days before. */
function fromQuotes(compute: EquityRows): Computation {
  return {
    ruleVersion: RULE_VERSION,
    async prepare(input) {
      const { mark, averagePrices } = await recentAverages(input);
      return { mark, rows: () => computeRows(input, compute, averagePrices) };
    },
  };
}

export const EQUITY_TRADE_BARS = fromTrades(minuteBars(EQUITY_TRADE_BAR));
export const EQUITY_DAILY_PRICES = fromTrades(dailyPrices);
export const EQUITY_QUOTE_BARS = fromQuotes(minuteBars(EQUITY_MINUTE_BAR));
export const EQUITY_EXTENDED_BARS = fromQuotes(minuteBars(EQUITY_EXTENDED_BAR));
export const EQUITY_DAY_BARS = fromQuotes(dayBar);
