/** Trade bars and daily values of equities, with the halts and restrictions that trades bring. */

import { isHalfDay } from '@ticklake/market/calendar.ts';
import { EQUITY_DAILY_OHLC_COLUMNS } from '@ticklake/market/equity-daily-ohlc.ts';
import type { RowBuffers } from 'ticklake/engine/row-buffer.ts';
import { OTC_COMPANIES, type OtcCompany } from './companies.ts';
import { computeDailyValues, DailyBlock, drawDailyValues } from './daily-rows.ts';
import { marketFactors, type TradedDay, tradedDays } from './equity-days.ts';
import { equityEvents } from './equity-events.ts';
import { type EquityMarket, listedDays } from './equity-market.ts';
import { appendTicks, appendTradeBars, factorsOn } from './equity-rows.ts';
import type { DemoFamily } from './family.ts';
import { sessionOf } from './intraday-path.ts';
import { roundCents } from './price-path.ts';
import { randomOf } from './random.ts';
import { RestrictionDay } from './restriction-rows.ts';
import type { Security } from './securities.ts';

/** Trading days before those with ticks, whose daily prices are made first. */
const FIRST_DAYS = 10;

/** Old days whose daily values are gathered before they are passed on. */
const DAYS_OF_PORTION = 100;

const LOW = EQUITY_DAILY_OHLC_COLUMNS.indexOf('LowPrice');

const DAILY_TEXT_IDS = [
  'eq_daily_ohlc',
  'eq_daily_ohlc_ind_std',
  'eq_daily_ohlc_adj',
  'eq_daily_ohlc_ind_std_adj',
];

const TEXT_IDS = [
  'eq_trades_1min',
  'eq_trades_1min_ind_std',
  'eq_trades_1min_adj',
  'eq_trades_1min_ind_std_adj',
  ...DAILY_TEXT_IDS,
  'eq_ssr_circ_break',
  'eq_trading_halts',
];

const LOGICS = ['vendor_default', 'industry_std'] as const;

class TradeDays {
  readonly #market: EquityMarket;
  readonly #buffers: RowBuffers;
  readonly #factors: ReturnType<typeof marketFactors>;
  readonly #daily = {
    vendor_default: new DailyBlock('eq_daily_ohlc', 'eq_daily_ohlc_adj'),
    industry_std: new DailyBlock('eq_daily_ohlc_ind_std', 'eq_daily_ohlc_ind_std_adj'),
  };
  readonly #restrictions: RestrictionDay;

  constructor(market: EquityMarket, buffers: RowBuffers) {
    this.#market = market;
    this.#buffers = buffers;
    this.#factors = marketFactors(market);
    this.#restrictions = new RestrictionDay(market.timeline);
  }

  *run(): Iterable<void> {
    const { days, size } = this.#market.timeline;
    const firstMinuteDay = days.length - size.minuteDays;
    for (let dayIndex = 0; dayIndex < days.length; dayIndex++) {
      if (dayIndex < firstMinuteDay) this.#drawDay(dayIndex);
      else
        for (const traded of tradedDays(this.#market, dayIndex)) {
          this.#computeDay(traded);
          yield;
        }
      this.#restrictions.flush(this.#buffers);
      if (dayIndex % DAYS_OF_PORTION !== 0) continue;
      this.#flushDaily();
      yield;
    }
    this.#flushDaily();
  }

  /** Only the daily values of the first days. */
  *runFirst(): Iterable<void> {
    const { days, size } = this.#market.timeline;
    const end = days.length - size.tickDays;
    const from = Math.max(end - FIRST_DAYS, days.length - size.minuteDays);
    for (let dayIndex = from; dayIndex < end; dayIndex++)
      for (const traded of tradedDays(this.#market, dayIndex)) this.#addDaily(traded);
    this.#flushDaily();
    yield;
  }

  #flushDaily(): void {
    for (const block of Object.values(this.#daily)) block.flush(this.#buffers);
  }

  #drawDay(dayIndex: number): void {
    for (const listedDay of listedDays(this.#market, dayIndex)) {
      const { listed, date, ticker } = listedDay;
      const instrument = { date, ticker, asid: listed.security.asid };
      const random = randomOf(this.#market.seed, 'daily', listed.company.name, date);
      const drawn = drawDailyValues(listedDay, random);
      const factors = factorsOn(this.#factors, instrument);
      for (const logic of LOGICS) this.#daily[logic].add(instrument, drawn[logic], factors);
      this.#restrictions.addDrawn(listedDay, drawn.vendor_default[LOW] as number, random);
    }
  }

  #addDaily({ instrument, day }: TradedDay): void {
    for (const logic of LOGICS) {
      const values = computeDailyValues(day, logic);
      if (values) this.#daily[logic].add(instrument, values, factorsOn(this.#factors, instrument));
    }
  }

  #computeDay(traded: TradedDay): void {
    const { instrument, events, day, listedDay } = traded;
    const factors = factorsOn(this.#factors, instrument);
    for (const logic of LOGICS) appendTradeBars(this.#buffers, logic, instrument, day, factors);
    this.#addDaily(traded);
    if (listedDay) this.#restrictions.addTraded(listedDay, events, sessionOf(day.isHalfDay));
  }
}

export function tradeFamily(market: EquityMarket): DemoFamily {
  return {
    name: 'trade bars and daily values of equities',
    textIds: TEXT_IDS,
    produce: (buffers) => new TradeDays(market, buffers).run(),
  };
}

/** Daily prices of few days, as `tradeFamily` makes them. */
export function firstPricesFamily(market: EquityMarket): DemoFamily {
  return {
    name: 'the first daily prices',
    textIds: DAILY_TEXT_IDS,
    produce: (buffers) => new TradeDays(market, buffers).runFirst(),
  };
}

const VOLATILITY = 0.03;

function otcEvents(market: EquityMarket, company: OtcCompany, date: string) {
  const random = randomOf(market.seed, 'otc', company.ticker, date);
  const near = () => roundCents(company.price * Math.exp(VOLATILITY * random.normal()));
  const { activity } = market.timeline.size;
  const plan = {
    prices: { reference: near(), open: near(), close: near(), volatility: VOLATILITY },
    session: sessionOf(isHalfDay(date)),
    tradeCount: 40 * activity,
    quoteCount: 300 * activity,
    averageVolume: 20_000,
    spreadCents: 2,
    venues: ['FINRA'],
    listingExchange: 'FINRA',
    hasAuctions: false,
    halt: null,
  };
  return equityEvents(plan, random);
}

export function otcFamily(market: EquityMarket): DemoFamily {
  const { days, size } = market.timeline;
  const companies = OTC_COMPANIES.map((company) => ({
    company,
    security: market.securities.find(
      ({ tickers }) => tickers[0]?.value === company.ticker,
    ) as Security,
  })).sort((a, b) => (a.company.ticker < b.company.ticker ? -1 : 1));
  return {
    name: 'over-the-counter equities',
    textIds: ['eq_otc_taq'],
    *produce(buffers) {
      for (const date of days.slice(-size.tickDays))
        for (const { company, security } of companies) {
          const instrument = { date, ticker: company.ticker, asid: security.asid };
          appendTicks(buffers, 'eq_otc_taq', instrument, otcEvents(market, company, date));
          yield;
        }
    },
  };
}
