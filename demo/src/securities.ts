/**
 * The securities of the demo market: what each company was called, where it was listed and which
 * numbers it had, over time. Periods are inclusive `YYYY-MM-DD` dates.
 */

import { OPEN_END_DATE } from '@ticklake/market/security-master.ts';
import { COMPANIES, OTC_COMPANIES } from './companies.ts';
import { equityAsid, secIdOf } from './identifiers.ts';
import type { Timeline } from './timeline.ts';
import type { Company } from './universe.ts';

export const HISTORY_START = '2007-01-03';

export interface Period<T> {
  readonly value: T;
  readonly start: string;
  readonly end: string;
}

export interface Security {
  readonly ordinal: number;
  readonly asid: number;
  /** Null for over-the-counter securities, which have ticks alone. */
  readonly company: Company | null;
  readonly description: string;
  readonly sic: number | null;
  readonly isListed: boolean;
  readonly start: string;
  readonly end: string;
  /** First and last index into the timeline's days on which it trades. */
  readonly firstDay: number;
  readonly lastDay: number;
  readonly tickers: readonly Period<string>[];
  readonly names: readonly Period<string>[];
  readonly exchanges: readonly Period<string>[];
  /** Values are ordinals of SecIds; `secIdOf` makes the number. */
  readonly secIdOrdinals: readonly Period<number>[];
}

/** The entry of a period list on a date, or the nearest one if no period covers it. */
export function valueOn<T>(periods: readonly Period<T>[], date: string): T {
  const period = periods.find(({ end }) => end >= date) ?? periods.at(-1);
  return (period as Period<T>).value;
}

interface Life {
  readonly start: string;
  readonly end: string;
}

/** One value, or a former one up to and including `untilAge`, then the present one. */
function history<T>(
  timeline: Timeline,
  life: Life,
  value: T,
  former?: { readonly value: T; readonly untilAge: number },
): Period<T>[] {
  if (!former || former.untilAge >= timeline.days.length - 1) return [{ value, ...life }];
  const change = timeline.indexOfAge(former.untilAge);
  return [
    { value: former.value, start: life.start, end: timeline.days[change] as string },
    { value, start: timeline.days[change + 1] as string, end: life.end },
  ];
}

function listedSecurity(company: Company, ordinal: number, timeline: Timeline): Security {
  const { listedAge, delistedAge, formerTicker, formerExchange, reclassified } = company.special;
  const firstDay = listedAge === undefined ? 0 : timeline.indexOfAge(listedAge);
  const lastDay = timeline.indexOfAge(delistedAge ?? 0);
  const life = {
    start: listedAge === undefined ? HISTORY_START : (timeline.days[firstDay] as string),
    end: delistedAge === undefined ? OPEN_END_DATE : (timeline.days[lastDay] as string),
  };
  const renamed = (value: string | undefined) =>
    formerTicker && value !== undefined ? { value, untilAge: formerTicker.untilAge } : undefined;
  return {
    ordinal,
    asid: equityAsid(ordinal),
    company,
    description: company.description,
    sic: company.sic,
    isListed: delistedAge === undefined,
    ...life,
    firstDay,
    lastDay,
    tickers: history(timeline, life, company.ticker, renamed(formerTicker?.ticker)),
    names: history(timeline, life, company.name, renamed(formerTicker?.name)),
    exchanges: history(
      timeline,
      life,
      company.exchange as string,
      formerExchange && { value: formerExchange.exchange, untilAge: formerExchange.untilAge },
    ),
    secIdOrdinals: history(
      timeline,
      life,
      ordinal,
      reclassified && { value: ordinal + 500, untilAge: reclassified.untilAge },
    ),
  };
}

function otcSecurities(listed: readonly Security[], timeline: Timeline): Security[] {
  return OTC_COMPANIES.map((company, i) => {
    const former = listed.find(({ company: c }) => c?.ticker === company.formerlyListedAs);
    const firstDay = former ? former.lastDay + 1 : 0;
    const start = former ? (timeline.days[firstDay] as string) : HISTORY_START;
    const period = <T>(value: T): Period<T>[] => [{ value, start, end: OPEN_END_DATE }];
    const ordinal = listed.length + i;
    return {
      ordinal,
      asid: equityAsid(ordinal),
      company: null,
      description: 'Equity Shares',
      sic: company.sic,
      isListed: true,
      start,
      end: OPEN_END_DATE,
      firstDay,
      lastDay: timeline.days.length - 1,
      tickers: period(company.ticker),
      names: period(company.name),
      exchanges: period('OTC'),
      secIdOrdinals: period(ordinal),
    };
  });
}

/** Every security with an ASID, listed ones first. */
export function buildSecurities(timeline: Timeline): Security[] {
  const last = timeline.days.length - 1;
  const listed = COMPANIES.filter(
    ({ special }) => special.delistedAge === undefined || special.delistedAge < last,
  ).map((company, ordinal) => listedSecurity(company, ordinal, timeline));
  return [...listed, ...otcSecurities(listed, timeline)];
}

export interface NameOnDay {
  readonly ticker: string;
  readonly name: string;
  readonly exchange: string;
  readonly secId: number;
}

/** The name of a security on a date. */
export function nameOn(security: Security, date: string): NameOnDay {
  return {
    ticker: valueOn(security.tickers, date),
    name: valueOn(security.names, date),
    exchange: valueOn(security.exchanges, date),
    secId: secIdOf(valueOn(security.secIdOrdinals, date)),
  };
}
