/** Rows of the equity tick and minute datasets, one instrument and day at a time. */

import {
  type AdjustmentFactors,
  adjustTable,
  type FactorTable,
} from '@ticklake/market/adjustment.ts';
import type { AggregationLogic } from '@ticklake/market/conditions.ts';
import {
  EQUITY_EXTENDED_BAR,
  EQUITY_MINUTE_BAR,
  EQUITY_TRADE_BAR,
} from '@ticklake/market/equity-bar.ts';
import { equityDailyBar, equityMinuteBars } from '@ticklake/market/equity-bars.ts';
import {
  equityBarSources,
  equityDaySources,
  equityPriceTable,
  equityTickSources,
  type InstrumentDay,
} from '@ticklake/market/equity-rows.ts';
import type { EquityDay, EquityEvent } from '@ticklake/market/events.ts';
import type { BarTable } from '@ticklake/market/row-sources.ts';
import type { RowBuffers } from 'ticklake/engine/row-buffer.ts';

const NO_FACTORS: AdjustmentFactors = { price: 1, volume: 1 };

export function factorsOn(factors: FactorTable, { asid, date }: InstrumentDay): AdjustmentFactors {
  return asid === null ? NO_FACTORS : factors.factorsOn(asid, date);
}

/** Events of a day into one dataset of ticks. */
export function appendTicks(
  buffers: RowBuffers,
  textId: string,
  instrument: InstrumentDay,
  events: readonly EquityEvent[],
): void {
  const sources = equityTickSources(instrument, events, equityPriceTable(events));
  buffers.of(textId).append(events.length, sources);
}

/** Trades and cancels of a day, raw and adjusted. */
export function appendTrades(
  buffers: RowBuffers,
  instrument: InstrumentDay,
  events: readonly EquityEvent[],
  factors: AdjustmentFactors,
): void {
  const trades = events.filter(({ type }) => type.startsWith('TRADE'));
  const raw = equityPriceTable(trades);
  const tables = { eq_trades: raw, eq_trades_adj: adjustTable(raw, () => factors) };
  for (const [textId, table] of Object.entries(tables)) {
    buffers.of(textId).append(trades.length, equityTickSources(instrument, trades, table));
  }
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
  const tables = { [raw]: table, [adjusted]: adjustTable(table, () => factors) };
  for (const [textId, values] of Object.entries(tables)) {
    buffers.of(textId).append(table.rowCount, equityBarSources(instrument, table, values));
  }
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
      buffers.of(textId).append(table.rowCount, equityBarSources(instrument, table, table));
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
  buffers.of('eq_taq_daily').append(table.rowCount, equityDaySources(instrument, table));
}
