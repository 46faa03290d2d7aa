/** The equity datasets: ticks, minute bars and daily values, day by day. */
import { buildFactorTable, type FactorTable } from '../market/adjustment.ts';
import { isHalfDay } from '../market/calendar.ts';
import { EQUITY_DAILY_OHLC_COLUMNS } from '../market/equity-daily-ohlc.ts';
import type { EquityDay } from '../market/equity-day.ts';
import type { EquityEvent } from '../market/events.ts';
import { FLAGSHIP_TICKER, TEST_SYMBOL } from './companies.ts';
import { computeDailyValues, DailyBlock, drawDailyValues } from './daily-rows.ts';
import {
  type EquityMarket,
  eventsOfDay,
  type ListedDay,
  listedDays,
  testSymbolEvents,
} from './equity-market.ts';
import {
  appendMinuteBars,
  appendQuoteDay,
  appendTicks,
  appendTrades,
  factorsOn,
  type InstrumentDay,
} from './equity-rows.ts';
import type { DemoFamily } from './family.ts';
import { sessionOf } from './intraday-path.ts';
import { averagePriceBefore } from './price-path.ts';
import { randomOf } from './random.ts';
import { RestrictionDay } from './restriction-rows.ts';
import type { RowBuffers } from './row-buffer.ts';

/** Old days whose daily values are gathered before they are passed on. */
const DAYS_OF_PORTION = 100;

const LOW = EQUITY_DAILY_OHLC_COLUMNS.indexOf('LowPrice');

const TEXT_IDS = [
  'eq_taq',
  'eq_trades',
  'eq_trades_adj',
  'eq_taq_1min',
  'eq_taq_1min_ind_std',
  'eq_taq_1min_ext',
  'eq_taq_daily',
  'eq_trades_1min',
  'eq_trades_1min_ind_std',
  'eq_trades_1min_adj',
  'eq_trades_1min_ind_std_adj',
  'eq_daily_ohlc',
  'eq_daily_ohlc_ind_std',
  'eq_daily_ohlc_adj',
  'eq_daily_ohlc_ind_std_adj',
  'eq_ssr_circ_break',
  'eq_trading_halts',
] as const;

function marketFactors(market: EquityMarket): FactorTable {
  return buildFactorTable(
    market.listed.flatMap(({ actions }) =>
      actions.map(({ security, effectiveDate, factor, reason }) => ({
        asid: security.asid,
        effectiveDate,
        factor,
        reason,
      })),
    ),
  );
}

/** An instrument's events of a day with what the computations need to know of it. */
interface TradedDay {
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

/** What takes the events of the days of some equities: their options. */
export interface UnderlyingDays {
  readonly textIds: readonly string[];
  has(ticker: string): boolean;
  append(
    buffers: RowBuffers,
    ticker: string,
    date: string,
    events: readonly EquityEvent[],
    hasTicks: boolean,
  ): void;
}

/** What is generated of an instrument on a day. */
interface Depth {
  readonly hasTicks: boolean;
  readonly hasQuoteBars: boolean;
}

class EquityDays {
  readonly #market: EquityMarket;
  readonly #factors: FactorTable;
  readonly #buffers: RowBuffers;
  readonly #underlyings: UnderlyingDays;
  readonly #vendorDaily = new DailyBlock('eq_daily_ohlc', 'eq_daily_ohlc_adj');
  readonly #industryDaily = new DailyBlock('eq_daily_ohlc_ind_std', 'eq_daily_ohlc_ind_std_adj');

  readonly #restrictions: RestrictionDay;

  constructor(market: EquityMarket, buffers: RowBuffers, underlyings: UnderlyingDays) {
    this.#market = market;
    this.#factors = marketFactors(market);
    this.#buffers = buffers;
    this.#underlyings = underlyings;
    this.#restrictions = new RestrictionDay(market.timeline);
  }

  *run(): Iterable<void> {
    const { days, size } = this.#market.timeline;
    const firstMinuteDay = days.length - size.minuteDays;
    for (let dayIndex = 0; dayIndex < firstMinuteDay; dayIndex++) {
      this.#drawDay(dayIndex);
      if (dayIndex % DAYS_OF_PORTION === 0) {
        this.#flushDaily();
        yield;
      }
    }
    for (let dayIndex = firstMinuteDay; dayIndex < days.length; dayIndex++) {
      for (const traded of this.#tradedDays(dayIndex)) {
        this.#appendTraded(traded, this.#depthOf(traded, dayIndex));
        yield;
      }
      this.#flushDaily();
      this.#restrictions.flush(this.#buffers);
    }
  }

  #flushDaily(): void {
    this.#vendorDaily.flush(this.#buffers);
    this.#industryDaily.flush(this.#buffers);
  }

  #drawDay(dayIndex: number): void {
    for (const listedDay of listedDays(this.#market, dayIndex)) {
      const { listed, date, ticker } = listedDay;
      const instrument = { date, ticker, asid: listed.security.asid };
      const random = randomOf(this.#market.seed, 'daily', listed.company.name, date);
      const drawn = drawDailyValues(listedDay, random);
      const factors = factorsOn(this.#factors, instrument);
      this.#vendorDaily.add(instrument, drawn.vendor_default, factors);
      this.#industryDaily.add(instrument, drawn.industry_std, factors);
      this.#restrictions.addDrawn(listedDay, drawn.vendor_default[LOW] as number, random);
    }
    this.#restrictions.flush(this.#buffers);
  }

  /** The instruments of a day with their events, by ticker. */
  *#tradedDays(dayIndex: number): Iterable<TradedDay> {
    const { timeline } = this.#market;
    const hasTicks = timeline.ageOf(dayIndex) < timeline.size.tickDays;
    const instruments: { ticker: string; events: () => TradedDay }[] = listedDays(
      this.#market,
      dayIndex,
    ).map((listedDay) => ({
      ticker: listedDay.ticker,
      events: () =>
        tradedDay(this.#market, listedDay, hasTicks || this.#underlyings.has(listedDay.ticker)),
    }));
    if (hasTicks)
      instruments.push({
        ticker: TEST_SYMBOL.ticker,
        events: () => testSymbolDay(this.#market, timeline.days[dayIndex] as string),
      });
    instruments.sort((a, b) => (a.ticker < b.ticker ? -1 : 1));
    for (const { events } of instruments) yield events();
  }

  #depthOf({ listedDay }: TradedDay, dayIndex: number): Depth {
    const isFlagship = listedDay?.listed.company.ticker === FLAGSHIP_TICKER;
    const { size, ageOf } = this.#market.timeline;
    const age = ageOf(dayIndex);
    const hasTicks = age < size.tickDays;
    return { hasTicks, hasQuoteBars: hasTicks || (isFlagship && age < size.quoteBarDays) };
  }

  #appendTraded(traded: TradedDay, { hasTicks, hasQuoteBars }: Depth): void {
    const { instrument, events, day, listedDay } = traded;
    const buffers = this.#buffers;
    const factors = factorsOn(this.#factors, instrument);
    if (hasTicks) {
      appendTicks(buffers, 'eq_taq', instrument, events);
      appendTrades(buffers, instrument, events, factors);
    }
    appendMinuteBars(buffers, instrument, day, factors, hasQuoteBars);
    if (hasQuoteBars) appendQuoteDay(buffers, instrument, day);
    const vendor = computeDailyValues(day, 'vendor_default');
    const industry = computeDailyValues(day, 'industry_std');
    if (vendor) this.#vendorDaily.add(instrument, vendor, factors);
    if (industry) this.#industryDaily.add(instrument, industry, factors);
    if (listedDay) this.#restrictions.addTraded(listedDay, events, sessionOf(day.isHalfDay));
    if (this.#underlyings.has(instrument.ticker))
      this.#underlyings.append(buffers, instrument.ticker, instrument.date, events, hasTicks);
  }
}

/** The equity datasets and, of the same days, those of the options on some of the equities. */
export function equityFamily(market: EquityMarket, underlyings: UnderlyingDays): DemoFamily {
  return {
    name: 'equities and options',
    textIds: [...TEXT_IDS, ...underlyings.textIds],
    produce: (buffers) => new EquityDays(market, buffers, underlyings).run(),
  };
}
