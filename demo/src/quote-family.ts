/** The datasets that quotes enter: ticks and quote bars of equities, and all of their options. */
import type { EquityEvent } from '@ticklake/market/events.ts';
import type { RowBuffers } from 'ticklake/engine/row-buffer.ts';
import { FLAGSHIP_TICKER } from './companies.ts';
import { isUnderlying, marketFactors, type TradedDay, tradedDays } from './equity-days.ts';
import type { EquityMarket } from './equity-market.ts';
import {
  appendQuoteBars,
  appendQuoteDay,
  appendTicks,
  appendTrades,
  factorsOn,
} from './equity-rows.ts';
import type { DemoFamily } from './family.ts';

const TEXT_IDS = [
  'eq_taq',
  'eq_trades',
  'eq_trades_adj',
  'eq_taq_1min',
  'eq_taq_1min_ind_std',
  'eq_taq_1min_ext',
  'eq_taq_daily',
];

/** Receives the daily events of some equities: their options. */
export interface UnderlyingDays {
  readonly textIds: readonly string[];
  append(
    buffers: RowBuffers,
    ticker: string,
    date: string,
    events: readonly EquityEvent[],
    hasTicks: boolean,
  ): void;
}

function hasQuoteBars({ size, ageOf }: EquityMarket['timeline'], ticker: string, dayIndex: number) {
  const age = ageOf(dayIndex);
  return age < size.tickDays || (ticker === FLAGSHIP_TICKER && age < size.quoteBarDays);
}

function appendBars(buffers: RowBuffers, { instrument, day }: TradedDay): void {
  appendQuoteBars(buffers, instrument, day);
  appendQuoteDay(buffers, instrument, day);
}

function* produce(
  market: EquityMarket,
  underlyings: UnderlyingDays,
  buffers: RowBuffers,
): Iterable<void> {
  const { timeline } = market;
  const { days, size } = timeline;
  const factors = marketFactors(market);
  for (let dayIndex = days.length - size.minuteDays; dayIndex < days.length; dayIndex++) {
    const hasTicks = timeline.ageOf(dayIndex) < size.tickDays;
    const keep = (ticker: string) => hasTicks || isUnderlying(ticker);
    for (const traded of tradedDays(market, dayIndex, keep)) {
      const { instrument, events } = traded;
      const { ticker, date } = instrument;
      if (hasTicks) {
        appendTicks(buffers, 'eq_taq', instrument, events);
        appendTrades(buffers, instrument, events, factorsOn(factors, instrument));
      }
      if (hasQuoteBars(timeline, ticker, dayIndex)) appendBars(buffers, traded);
      if (isUnderlying(ticker)) underlyings.append(buffers, ticker, date, events, hasTicks);
      yield;
    }
  }
}

export function quoteFamily(market: EquityMarket, underlyings: UnderlyingDays): DemoFamily {
  return {
    name: 'ticks and quote bars of equities, and options',
    textIds: [...TEXT_IDS, ...underlyings.textIds],
    produce: (buffers) => produce(market, underlyings, buffers),
  };
}
