/** Quotes and trades of over-the-counter securities, all of them reported through FINRA. */
import { isHalfDay } from '@ticklake/market/calendar.ts';
import { OTC_COMPANIES, type OtcCompany } from './companies.ts';
import { equityEvents } from './equity-events.ts';
import type { EquityMarket } from './equity-market.ts';
import { appendTicks } from './equity-rows.ts';
import type { DemoFamily } from './family.ts';
import { sessionOf } from './intraday-path.ts';
import { roundCents } from './price-path.ts';
import { randomOf } from './random.ts';
import type { Security } from './securities.ts';

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
