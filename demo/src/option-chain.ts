/** Which option contracts exist on the demo underlyings, from when to when. */
import { isTradingDay, previousTradingDay } from '@ticklake/market/calendar.ts';
import type { EquityMarket, ListedSecurity } from './equity-market.ts';

export interface OptionContract {
  readonly expiration: string;
  readonly strike: number;
  readonly callPut: 'C' | 'P';
  readonly isWeekly: boolean;
  /** First day on which it is listed. */
  readonly firstTradeDate: string;
}

export interface OptionChain {
  readonly listed: ListedSecurity;
  readonly root: string;
  /** Volatility a year around which the contracts are priced. */
  readonly volatility: number;
  /** By expiration, strike and side. */
  readonly contracts: readonly OptionContract[];
}

const WEEKLY_COUNT = 2;
const MONTHLY_COUNT = 2;
/** Strikes listed on each side of the price. */
const STRIKES_AROUND = 2;
/** Days before the minute bars in which the chain is built up. */
const LEAD_DAYS = 70;
const DAY_MS = 86_400_000;
const FRIDAY = 5;

function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function tradingDayUpTo(date: string): string {
  return isTradingDay(date) ? date : previousTradingDay(date);
}

interface Expiration {
  readonly date: string;
  readonly isWeekly: boolean;
}

/** The expirations that are listed on a date: the next weekly ones and monthly ones. */
function expirationsOn(date: string): Expiration[] {
  const expirations: Expiration[] = [];
  const ms = Date.parse(`${date}T00:00:00Z`);
  let friday = ms + ((FRIDAY - new Date(ms).getUTCDay() + 7) % 7) * DAY_MS;
  let weeklyCount = 0;
  let monthlyCount = 0;
  for (; monthlyCount < MONTHLY_COUNT; friday += 7 * DAY_MS) {
    const dayOfMonth = new Date(friday).getUTCDate();
    const isWeekly = dayOfMonth < 15 || dayOfMonth > 21;
    const expiration = { date: tradingDayUpTo(dateOf(friday)), isWeekly };
    if (expiration.date < date) continue;
    if (isWeekly && weeklyCount++ >= WEEKLY_COUNT) continue;
    if (!isWeekly) monthlyCount++;
    expirations.push(expiration);
  }
  return expirations;
}

function strikeStep(price: number): number {
  if (price < 25) return 1;
  return price < 100 ? 2.5 : 5;
}

function compareContracts(a: OptionContract, b: OptionContract): number {
  if (a.expiration !== b.expiration) return a.expiration < b.expiration ? -1 : 1;
  if (a.strike !== b.strike) return a.strike - b.strike;
  return a.callPut < b.callPut ? -1 : 1;
}

/** Contracts once listed stay until they expire; new strikes follow the price. */
export function buildOptionChain(market: EquityMarket, ticker: string): OptionChain {
  const listed = market.listed.find(({ company }) => company.ticker === ticker);
  if (!listed) throw new Error(`no company ${ticker}`);
  const { path, company } = listed;
  const { days, size } = market.timeline;
  const step = strikeStep(company.lastPrice);
  const contracts = new Map<string, OptionContract>();
  const firstDay = Math.max(path.firstDay + 1, days.length - size.minuteDays - LEAD_DAYS);
  for (let dayIndex = firstDay; dayIndex < days.length; dayIndex++) {
    const date = days[dayIndex] as string;
    const nearest = Math.round((path.close[dayIndex - path.firstDay - 1] as number) / step);
    for (const { date: expiration, isWeekly } of expirationsOn(date))
      for (let i = nearest - STRIKES_AROUND; i <= nearest + STRIKES_AROUND; i++)
        for (const callPut of ['C', 'P'] as const) {
          const key = `${expiration} ${i} ${callPut}`;
          if (contracts.has(key)) continue;
          const strike = i * step;
          contracts.set(key, { expiration, strike, callPut, isWeekly, firstTradeDate: date });
        }
  }
  return {
    listed,
    root: ticker,
    volatility: company.volatility * Math.sqrt(252) * 1.05,
    contracts: [...contracts.values()].sort(compareContracts),
  };
}

/** The contracts that can be traded on a date, in natural order. */
export function contractsOn(chain: OptionChain, date: string): OptionContract[] {
  return chain.contracts.filter(
    ({ firstTradeDate, expiration }) => firstTradeDate <= date && date <= expiration,
  );
}
