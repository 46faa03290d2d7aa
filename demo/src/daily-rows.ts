/**
 * Rows of daily prices. Days with events are computed from them; older days are drawn around the
 * price path, whose opening and closing prices are those of the auctions that the events contain.
 */

import { type AdjustmentFactors, adjustTable } from '@ticklake/market/adjustment.ts';
import type { AggregationLogic } from '@ticklake/market/conditions.ts';
import { EQUITY_DAILY_OHLC_COLUMNS, equityDailyOhlc } from '@ticklake/market/equity-daily-ohlc.ts';
import type { InstrumentDay } from '@ticklake/market/equity-rows.ts';
import type { EquityDay } from '@ticklake/market/events.ts';
import { roundDecimals } from '@ticklake/market/rounding.ts';
import type { NumberTable } from '@ticklake/market/row-sources.ts';
import { tableSources } from '@ticklake/market/row-sources.ts';
import { daysOfDate } from 'ticklake/engine/columns.ts';
import type { RowBuffers } from 'ticklake/engine/row-buffer.ts';
import type { ListedDay } from './equity-market.ts';
import { roundCents } from './price-path.ts';
import type { Random } from './random.ts';
import { ACTIVITIES } from './universe.ts';

/** Cells of one row in the order of `EQUITY_DAILY_OHLC_COLUMNS`; NaN is null. */
export type DailyValues = readonly number[];

/**
 * A day drawn around the path. Both logics see the same prices and volumes; they differ in the
 * trades that their averages count.
 */
export function drawDailyValues(
  { listed, dayIndex }: ListedDay,
  random: Random,
): Record<AggregationLogic, DailyValues> {
  const { company, path } = listed;
  const at = dayIndex - path.firstDay;
  const open = path.open[at] as number;
  const close = path.close[at] as number;
  const reach = () => Math.exp(0.5 * company.volatility * Math.abs(random.normal()));
  const high = roundCents(Math.max(open, close) * reach());
  const low = roundCents(Math.min(open, close) / reach());
  const average = ACTIVITIES[company.activity].volume * (path.activity[at] as number);
  const volume = Math.round(average * random.uniform(0.9, 1.1));
  const finraVolume = Math.round(volume * random.uniform(0.22, 0.34));
  const outside = Math.round(volume * random.uniform(0.03, 0.07));
  const outsideFinra = Math.round(outside * random.uniform(0.2, 0.3));
  const middle = (open + close + high + low) / 4;
  const averagePrice = (weight: number) => roundDecimals(middle + weight * (high - low), 6);
  const values = [open, high, low, close, volume, finraVolume];
  values.push(volume + outside, finraVolume + outsideFinra);
  const [marketHours, wholeDay] = [random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1)];
  return {
    vendor_default: [...values, averagePrice(marketHours), averagePrice(wholeDay)],
    industry_std: [...values, averagePrice(marketHours * 0.97), averagePrice(wholeDay * 0.97)],
  };
}

/** The day's values as its events give them, or null where no price is eligible. */
export function computeDailyValues(day: EquityDay, logic: AggregationLogic): DailyValues | null {
  const table = equityDailyOhlc(day, logic);
  return table.rowCount === 0 ? null : table.values.map((column) => column[0] as number);
}

/** Daily rows of several instruments and days, raw and adjusted, added together. */
export class DailyBlock {
  readonly #raw: string;
  readonly #adjusted: string;
  readonly #rows: { instrument: InstrumentDay; values: DailyValues; factors: AdjustmentFactors }[] =
    [];

  constructor(rawTextId: string, adjustedTextId: string) {
    this.#raw = rawTextId;
    this.#adjusted = adjustedTextId;
  }

  add(instrument: InstrumentDay, values: DailyValues, factors: AdjustmentFactors): void {
    this.#rows.push({ instrument, values, factors });
  }

  /** Moves the rows into the buffers. */
  flush(buffers: RowBuffers): void {
    const rows = this.#rows.splice(0);
    const keys = {
      TradeDate: rows.map(({ instrument }) => daysOfDate(instrument.date)),
      Ticker: rows.map(({ instrument }) => instrument.ticker),
      ASID: rows.map(({ instrument }) => instrument.asid),
    };
    const table: NumberTable = {
      columns: EQUITY_DAILY_OHLC_COLUMNS,
      rowCount: rows.length,
      values: EQUITY_DAILY_OHLC_COLUMNS.map((_, i) =>
        Float64Array.from(rows, ({ values }) => values[i] as number),
      ),
    };
    const adjusted = adjustTable(table, (row) => rows[row]?.factors as AdjustmentFactors);
    buffers.of(this.#raw).append(rows.length, { ...keys, ...tableSources(table) });
    buffers.of(this.#adjusted).append(rows.length, { ...keys, ...tableSources(adjusted) });
  }
}
