/** Rows of the equity tick and minute datasets, one instrument and day at a time. */

import {
  type AdjustmentFactors,
  adjustTable,
  type FactorTable,
} from '@ticklake/market/adjustment.ts';
import type { AggregationLogic } from '@ticklake/market/aggregation-logic.ts';
import {
  EQUITY_EXTENDED_BAR,
  EQUITY_MINUTE_BAR,
  EQUITY_TRADE_BAR,
} from '@ticklake/market/equity-bar-columns.ts';
import { equityDailyBar, equityMinuteBars } from '@ticklake/market/equity-bars.ts';
import type { EquityDay } from '@ticklake/market/equity-day.ts';
import type { EquityEvent } from '@ticklake/market/events.ts';
import type { BarTable, NumberTable } from '@ticklake/market/number-table.ts';
import { daysOfDate } from 'ticklake/engine/columns.ts';
import { type Moments, type RowBuffers, type Sources, tableSources } from './row-buffer.ts';

const EASTERN = 'America/New_York';
const NO_FACTORS: AdjustmentFactors = { price: 1, volume: 1 };

/** An instrument on a day; `asid` is null for exchange test symbols. */
export interface InstrumentDay {
  readonly date: string;
  readonly ticker: string;
  readonly asid: number | null;
}

export function factorsOn(factors: FactorTable, { asid, date }: InstrumentDay): AdjustmentFactors {
  return asid === null ? NO_FACTORS : factors.factorsOn(asid, date);
}

function keySources({ date, ticker, asid }: InstrumentDay): Sources {
  return { TradeDate: daysOfDate(date), Ticker: ticker, ASID: asid };
}

function moments(date: string, nanosOfDay: Float64Array): Moments {
  return { zone: EASTERN, date, nanosOfDay };
}

/** The columns of a tick dataset that are the same in all of them. */
function eventSources(instrument: InstrumentDay, events: readonly EquityEvent[]): Sources {
  return {
    ...keySources(instrument),
    EventDateTime: moments(
      instrument.date,
      Float64Array.from(events, ({ nanosOfDay }) => nanosOfDay),
    ),
    EventType: events.map(({ type }) => type),
    Exchange: events.map(({ exchange }) => exchange),
    ConditionCode: Float64Array.from(events, ({ conditions }) => conditions),
  };
}

function priceTable(events: readonly EquityEvent[]): NumberTable {
  return {
    columns: ['Price', 'Quantity'],
    rowCount: events.length,
    values: [
      Float64Array.from(events, ({ price }) => price),
      Float64Array.from(events, ({ quantity }) => quantity),
    ],
  };
}

/** Events of a day into one dataset of ticks. */
export function appendTicks(
  buffers: RowBuffers,
  textId: string,
  instrument: InstrumentDay,
  events: readonly EquityEvent[],
): void {
  buffers.of(textId).append(events.length, {
    ...eventSources(instrument, events),
    ...tableSources(priceTable(events)),
  });
}

/** Trades and cancels of a day, raw and adjusted. */
export function appendTrades(
  buffers: RowBuffers,
  instrument: InstrumentDay,
  events: readonly EquityEvent[],
  factors: AdjustmentFactors,
): void {
  const trades = events.filter(({ type }) => type.startsWith('TRADE'));
  const common = eventSources(instrument, trades);
  const raw = priceTable(trades);
  buffers.of('eq_trades').append(trades.length, { ...common, ...tableSources(raw) });
  buffers.of('eq_trades_adj').append(trades.length, {
    ...common,
    ...tableSources(adjustTable(raw, () => factors)),
  });
}

function barSources(instrument: InstrumentDay, table: BarTable): Sources {
  return {
    ...keySources(instrument),
    BarDateTime: moments(instrument.date, table.startNanos),
    ...tableSources(table),
  };
}

const QUOTE_BARS = [
  [
    'vendor_default',
    [
      { textId: 'eq_taq_1min', layout: EQUITY_MINUTE_BAR },
      { textId: 'eq_taq_1min_ext', layout: EQUITY_EXTENDED_BAR },
    ],
  ],
  ['industry_std', [{ textId: 'eq_taq_1min_ind_std', layout: EQUITY_MINUTE_BAR }]],
] as const;
const TRADE_BARS: Record<AggregationLogic, { readonly raw: string; readonly adjusted: string }> = {
  vendor_default: { raw: 'eq_trades_1min', adjusted: 'eq_trades_1min_adj' },
  industry_std: { raw: 'eq_trades_1min_ind_std', adjusted: 'eq_trades_1min_ind_std_adj' },
};

/** The day's minute bars of trades, raw and adjusted. */
export function appendTradeBars(
  buffers: RowBuffers,
  logic: AggregationLogic,
  instrument: InstrumentDay,
  day: EquityDay,
  factors: AdjustmentFactors,
): void {
  const [bars] = equityMinuteBars(day, logic, [EQUITY_TRADE_BAR]);
  const table = bars as BarTable;
  const { raw, adjusted } = TRADE_BARS[logic];
  const sources = barSources(instrument, table);
  buffers.of(raw).append(table.rowCount, sources);
  buffers
    .of(adjusted)
    .append(table.rowCount, { ...sources, ...tableSources(adjustTable(table, () => factors)) });
}

/** The day's minute bars of quotes and trades. */
export function appendQuoteBars(
  buffers: RowBuffers,
  instrument: InstrumentDay,
  day: EquityDay,
): void {
  for (const [logic, layouts] of QUOTE_BARS) {
    const tables = equityMinuteBars(
      day,
      logic,
      layouts.map(({ layout }) => layout),
    );
    tables.forEach((table, i) => {
      const textId = layouts[i]?.textId as string;
      buffers.of(textId).append(table.rowCount, barSources(instrument, table));
    });
  }
}

/** The day's single row of quotes and trades. */
export function appendQuoteDay(
  buffers: RowBuffers,
  instrument: InstrumentDay,
  day: EquityDay,
): void {
  const table = equityDailyBar(day);
  buffers
    .of('eq_taq_daily')
    .append(table.rowCount, { ...keySources(instrument), ...tableSources(table) });
}
