/** The listed equities: securities, actions, paths and, for each day, events. All from one seed. */
import { isHalfDay } from '@ticklake/market/calendar.ts';
import type { EquityEvent } from '@ticklake/market/events.ts';
import { TEST_SYMBOL } from './companies.ts';
import { type CorporateAction, type FindPath, priceActions } from './corporate-actions.ts';
import { equityEvents } from './equity-events.ts';
import { haltOn } from './halts.ts';
import { sessionOf } from './intraday-path.ts';
import { type PlannedAction, planActions } from './planned-actions.ts';
import { buildPricePath, marketDraws, type PricePath } from './price-path.ts';
import { randomOf } from './random.ts';
import { buildSecurities, nameOn, type Security } from './securities.ts';
import type { Timeline } from './timeline.ts';
import { ACTIVITIES, type Company } from './universe.ts';

const VENUES = ['NASDAQ', 'NYSE', 'ARCA', 'BATS', 'EDGX', 'IEX', 'BATS Y', 'NASDAQ BX'] as const;

export interface ListedSecurity {
  readonly security: Security;
  readonly company: Company;
  readonly path: PricePath;
  readonly actions: readonly CorporateAction[];
}

export interface EquityMarket {
  readonly seed: number;
  readonly timeline: Timeline;
  /** Listed and over-the-counter. */
  readonly securities: readonly Security[];
  readonly listed: readonly ListedSecurity[];
}

export function buildEquityMarket(seed: number, timeline: Timeline): EquityMarket {
  const securities = buildSecurities(timeline);
  const market = marketDraws(seed, timeline);
  const planned: { security: Security; plan: PlannedAction[]; path: PricePath }[] = [];
  for (const security of securities) {
    if (!security.company) continue;
    const plan = planActions(seed, security, timeline);
    planned.push({ security, plan, path: buildPricePath(seed, security, timeline, market, plan) });
  }
  const find: FindPath = (ticker) => {
    const found = planned.find(({ security }) => security.company?.ticker === ticker);
    if (!found) throw new Error(`no company ${ticker}`);
    return found;
  };
  const listed = planned.map(({ security, plan, path }) => ({
    security,
    company: security.company as Company,
    path,
    actions: priceActions(plan, security, path, timeline, find),
  }));
  return { seed, timeline, securities, listed };
}

/** One listed security on one day, under the ticker of that day. */
export interface ListedDay {
  readonly listed: ListedSecurity;
  readonly dayIndex: number;
  readonly date: string;
  readonly ticker: string;
}

/** The securities that trade on a day, by ticker. */
export function listedDays(market: EquityMarket, dayIndex: number): ListedDay[] {
  const date = market.timeline.days[dayIndex] as string;
  return market.listed
    .filter(({ path }) => dayIndex >= path.firstDay && dayIndex <= path.lastDay)
    .map((listed) => ({ listed, dayIndex, date, ticker: nameOn(listed.security, date).ticker }))
    .sort((a, b) => (a.ticker < b.ticker ? -1 : 1));
}

/** The events of a security on a day; `hasQuotes` false leaves trades alone. */
export function eventsOfDay(
  market: EquityMarket,
  { listed, dayIndex, date }: ListedDay,
  hasQuotes: boolean,
): readonly EquityEvent[] {
  const { company, path, security } = listed;
  const activity = ACTIVITIES[company.activity];
  const at = dayIndex - path.firstDay;
  const busyness = (path.activity[at] as number) * market.timeline.size.activity;
  const plan = {
    prices: {
      reference: path.reference[at] as number,
      open: path.open[at] as number,
      close: path.close[at] as number,
      volatility: company.volatility,
    },
    session: sessionOf(isHalfDay(date)),
    tradeCount: activity.tradeCount * busyness,
    quoteCount: hasQuotes ? activity.quoteCount * busyness : 0,
    averageVolume: activity.volume * busyness,
    spreadCents: activity.spreadCents,
    venues: VENUES.slice(0, activity.venueCount),
    listingExchange: nameOn(security, date).exchange,
    hasAuctions: true,
    halt: haltOn(company.ticker, market.timeline.ageOf(dayIndex)),
  };
  return equityEvents(plan, randomOf(market.seed, 'events', company.name, date));
}

/** The events of the exchange test symbol: a few of everything around a fixed price. */
export function testSymbolEvents(market: EquityMarket, date: string): readonly EquityEvent[] {
  const { price, exchange } = TEST_SYMBOL;
  const plan = {
    prices: { reference: price, open: price, close: price, volatility: 0.001 },
    session: sessionOf(isHalfDay(date)),
    tradeCount: 30 * market.timeline.size.activity,
    quoteCount: 120 * market.timeline.size.activity,
    averageVolume: 3000,
    spreadCents: 10,
    venues: [exchange],
    listingExchange: exchange,
    hasAuctions: false,
    halt: null,
  };
  return equityEvents(plan, randomOf(market.seed, 'test symbol', date));
}
