/** The rows of equity datasets: the columns of ticks, bars and days of one instrument and date. */
import type { EquityEvent } from './events.ts';
import {
  type BarTable,
  eventMoments,
  type NumberTable,
  type Sources,
  tableSources,
} from './row-sources.ts';

const EASTERN = 'America/New_York';

/** An instrument on a trade date; `asid` is null for exchange test symbols. */
export interface InstrumentDay {
  readonly date: string;
  readonly ticker: string;
  readonly asid: number | null;
}

function keySources({ date, ticker, asid }: InstrumentDay): Sources {
  return { TradeDate: date, Ticker: ticker, ASID: asid };
}

/** Price and quantity of each event, the columns of a tick that adjustments change. */
export function equityPriceTable(events: readonly EquityEvent[]): NumberTable {
  return {
    columns: ['Price', 'Quantity'],
    rowCount: events.length,
    values: [
      Float64Array.from(events, ({ price }) => price),
      Float64Array.from(events, ({ quantity }) => Number(quantity)),
    ],
  };
}

/** One row for each event; `prices` has a row for each, as they are or adjusted. */
export function equityTickSources(
  instrument: InstrumentDay,
  events: readonly EquityEvent[],
  prices: NumberTable,
): Sources {
  return {
    ...keySources(instrument),
    EventDateTime: eventMoments(EASTERN, instrument.date, events),
    EventType: events.map(({ type }) => type),
    Exchange: events.map(({ exchange }) => exchange),
    ConditionCode: Float64Array.from(events, ({ conditions }) => conditions),
    ...tableSources(prices),
  };
}

/** One row for each minute bar, as it is or adjusted. */
export function equityBarSources(
  instrument: InstrumentDay,
  { startNanos }: BarTable,
  table: NumberTable,
): Sources {
  return {
    ...keySources(instrument),
    BarDateTime: { zone: EASTERN, date: instrument.date, nanosOfDay: startNanos },
    ...tableSources(table),
  };
}

/** The one row of the instrument's day. */
export function equityDaySources(instrument: InstrumentDay, table: NumberTable): Sources {
  return { ...keySources(instrument), ...tableSources(table) };
}
