/** The days of the listed equities with their events, as the families of datasets read them. */
import { buildFactorTable, type FactorTable } from '@ticklake/market/adjustment.ts';
import { isHalfDay } from '@ticklake/market/calendar.ts';
import type { InstrumentDay } from '@ticklake/market/equity-rows.ts';
import type { EquityDay, EquityEvent } from '@ticklake/market/events.ts';
import { OPTION_UNDERLYINGS, TEST_SYMBOL } from './companies.ts';
import {
  type EquityMarket,
  eventsOfDay,
  type ListedDay,
  listedDays,
  testSymbolEvents,
} from './equity-market.ts';
import { averagePriceBefore } from './price-path.ts';

/** The adjustment factors of the market's corporate actions. */
export function marketFactors(market: EquityMarket): FactorTable {
  return buildFactorTable(
    market.listed.flatMap(({ actions }) =>
      actions.map(({ security, effectiveDate, factor, reason }) => ({
        security: security.asid,
        effectiveDate,
        factor,
        reason,
      })),
    ),
  );
}

/** An instrument's events of a day with what the computations need to know of it. */
export interface TradedDay {
  readonly instrument: InstrumentDay;
  readonly events: readonly EquityEvent[];
  readonly day: EquityDay;
  /** Null for the test symbol. */
  readonly listedDay: ListedDay | null;
}

function tradedDay(market: EquityMarket, listedDay: ListedDay, hasQuotes: boolean): TradedDay {
  const { listed, dayIndex, date, ticker } = listedDay;
  const events = eventsOfDay(market, listedDay, hasQuotes);
  return {
    instrument: { date, ticker, asid: listed.security.asid },
    events,
    day: {
      events,
      isHalfDay: isHalfDay(date),
      averagePrice: averagePriceBefore(listed.path, dayIndex),
    },
    listedDay,
  };
}

function testSymbolDay(market: EquityMarket, date: string): TradedDay {
  const events = testSymbolEvents(market, date);
  return {
    instrument: { date, ticker: TEST_SYMBOL.ticker, asid: null },
    events,
    day: { events, isHalfDay: isHalfDay(date), averagePrice: TEST_SYMBOL.price },
    listedDay: null,
  };
}

const UNDERLYINGS: ReadonlySet<string> = new Set(OPTION_UNDERLYINGS);

/** Equities whose days have quotes as far back as there are minute bars: options need them. */
export function isUnderlying(ticker: string): boolean {
  return UNDERLYINGS.has(ticker);
}

/**
 * The instruments of a day with their events, by ticker. Tick days have quotes, and the test
 * symbol; on other days only the underlyings of options have quotes. `keep` picks by ticker.
 */
export function* tradedDays(
  market: EquityMarket,
  dayIndex: number,
  keep: (ticker: string) => boolean = () => true,
): Iterable<TradedDay> {
  const { timeline } = market;
  const hasTicks = timeline.ageOf(dayIndex) < timeline.size.tickDays;
  const instruments = listedDays(market, dayIndex).map((listedDay) => ({
    ticker: listedDay.ticker,
    trade: () => tradedDay(market, listedDay, hasTicks || isUnderlying(listedDay.ticker)),
  }));
  if (hasTicks)
    instruments.push({
      ticker: TEST_SYMBOL.ticker,
      trade: () => testSymbolDay(market, timeline.days[dayIndex] as string),
    });
  instruments.sort((a, b) => (a.ticker < b.ticker ? -1 : 1));
  for (const { ticker, trade } of instruments) if (keep(ticker)) yield trade();
}
