/**
 * Which contract of a root has a rank on which trade dates. A date's contracts are those with a row
 * on it, ranked by what was known before it: by deliveries, or by figures that are few weekdays
 * old. So later rows never change a date, and days depend neither on each other nor on where a
 * schedule begins.
 */

import { LRUCache } from 'lru-cache';
import type { ContractSpan, GapReason, RollGap } from '../engine/query-plan.ts';
import { addDays } from '../request/literals.ts';
import { type ContinuousContract, KNOWN_WEEKDAYS, type RollRule } from './continuous-contract.ts';

/** One contract's figures on a trade date. */
export interface ContractDay {
  readonly date: string;
  readonly ticker: string;
  /** Contracts traded. */
  readonly quantity: number;
  /** Contracts open, as published on that date; null: not published. */
  readonly openInterest: number | null;
}

const MONTH_LETTERS = 'FGHJKMNQUVXZ';

/**
 * The delivery as `YYYY-MM`: of contracts with that letter and digit, the next one on or after a
 * trade date. Null for what is no contract of the root, such as a spread.
 */
export function deliveryOf(root: string, ticker: string, date: string): string | null {
  const [, letter, digits] = /^([FGHJKMNQUVXZ])(\d{1,2})$/.exec(ticker.slice(root.length)) ?? [];
  if (!ticker.startsWith(root) || letter === undefined || digits === undefined) return null;
  const month = `${MONTH_LETTERS.indexOf(letter) + 1}`.padStart(2, '0');
  const cycle = 10 ** digits.length;
  const [firstYear, dateMonth] = [Number(date.slice(0, 4)), date.slice(5, 7)];
  const earliestYear = month < dateMonth ? firstYear + 1 : firstYear;
  const years = (((Number(digits) - earliestYear) % cycle) + cycle) % cycle;
  return `${earliestYear + years}-${month}`;
}

/** One contract of a date. */
interface Contract {
  readonly ticker: string;
  /** Tells it from contracts of the same name in other decades. */
  readonly name: string;
  readonly delivery: string;
  readonly quantity: number;
  readonly openInterest: number | null;
}

/** Both in ascending order. */
export interface RollSchedule {
  readonly spans: readonly ContractSpan[];
  readonly gaps: readonly RollGap[];
  /** The most contracts that were ranked on one date. */
  readonly rankedMax: number;
  readonly lastDate: string | null;
  /** The contract after the last date, by what is known on it; null: none. */
  readonly next: string | null;
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const DAY_MS = 86_400_000;
/** Days from 1900-01-01 to 1970-01-01. */
const DAYS_FROM_MONDAY = 25_567;

function isWeekday(date: string): boolean {
  const day = new Date(`${date}T00:00:00Z`).getUTCDay();
  return day !== 0 && day !== 6;
}

/** Weekdays from a Monday long ago up to the day before. */
function weekdaysBefore(date: string): number {
  const day = Date.parse(date) / DAY_MS + DAYS_FROM_MONDAY;
  return Math.floor(day / 7) * 5 + Math.min(day % 7, 5);
}

/** True if at most so many weekdays lie in [date, later). */
function isRecent(date: string, later: string): boolean {
  return weekdaysBefore(later) - weekdaysBefore(date) <= KNOWN_WEEKDAYS;
}

/** Contracts of each date, nearest delivery first. `days` ascend by date. */
function contractsByDate(root: string, days: Iterable<ContractDay>): Map<string, Contract[]> {
  const byDate = new Map<string, Contract[]>();
  for (const { date, ticker, quantity, openInterest } of days) {
    const delivery = deliveryOf(root, ticker, date);
    if (delivery === null) continue;
    const contract = { ticker, name: `${ticker} ${delivery}`, delivery, quantity, openInterest };
    byDate.getOrInsertComputed(date, () => []).push(contract);
  }
  for (const contracts of byDate.values()) {
    contracts.sort((a, b) => compareTexts(a.delivery, b.delivery));
  }
  return byDate;
}

/** Figures of contracts from earlier dates. */
class KnownFigures {
  #traded: { readonly date: string; readonly quantities: ReadonlyMap<string, number> } | null =
    null;
  readonly #openInterests = new Map<string, { readonly date: string; readonly count: number }>();

  /** Open interest lasts until published again. Volume counts on weekdays only. */
  take(date: string, contracts: readonly Contract[]): void {
    for (const { name, openInterest } of contracts) {
      if (openInterest !== null) this.#openInterests.set(name, { date, count: openInterest });
    }
    if (!isWeekday(date) || contracts.every(({ quantity }) => quantity === 0)) return;
    const quantities = new Map(contracts.map(({ name, quantity }) => [name, quantity]));
    this.#traded = { date, quantities };
  }

  /** Traded contracts by name; others were not traded. Null: nothing recent is known. */
  quantitiesOn(date: string): ReadonlyMap<string, number> | null {
    return this.#traded && isRecent(this.#traded.date, date) ? this.#traded.quantities : null;
  }

  /** Null: nothing recent is known of the contract. */
  openInterestOn(date: string, { name }: Contract): number | null {
    const known = this.#openInterests.get(name);
    return known && isRecent(known.date, date) ? known.count : null;
  }
}

type Ranked = readonly Contract[] | GapReason;

/** The contracts of a date, first rank first; of equal figures the nearer delivery. */
const RANK: Readonly<
  Record<RollRule, (date: string, listed: readonly Contract[], known: KnownFigures) => Ranked>
> = {
  c: (_, listed) => listed,
  v: (date, listed, known) => {
    const quantities = known.quantitiesOn(date);
    if (!quantities) return 'no_volume';
    const quantityOf = ({ name }: Contract) => quantities.get(name) ?? 0;
    return listed.toSorted((a, b) => quantityOf(b) - quantityOf(a));
  },
  n: (date, listed, known) => {
    const published = listed.flatMap((contract) => {
      const count = known.openInterestOn(date, contract);
      return count === null ? [] : [{ contract, count }];
    });
    if (published.length === 0) return 'no_open_interest';
    return published.sort((a, b) => b.count - a.count).map(({ contract }) => contract);
  },
};

/** Joins dates of equal content, unless figures expire between them. */
class Spans<T> {
  readonly spans: (T & { readonly start: string; end: string })[] = [];
  #open: string | null = null;

  add(date: string, key: string, content: T): void {
    const last = this.spans.at(-1);
    if (last && key === this.#open && isRecent(last.end, date)) last.end = date;
    else this.spans.push({ ...content, start: date, end: date });
    this.#open = key;
  }

  close(): void {
    this.#open = null;
  }
}

/** `days` are all that is known of the root, in ascending order of their dates. */
export function rollSchedule(
  { root, rule, rank }: Pick<ContinuousContract, 'root' | 'rule' | 'rank'>,
  days: Iterable<ContractDay>,
): RollSchedule {
  const known = new KnownFigures();
  const held = new Spans<{ readonly ticker: string }>();
  const missing = new Spans<{ readonly reason: GapReason }>();
  let rankedMax = 0;
  const byDate = contractsByDate(root, days);
  for (const [date, listed] of byDate) {
    const ranked = RANK[rule](date, listed, known);
    const contract = typeof ranked === 'string' ? undefined : ranked[rank];
    if (typeof ranked !== 'string') rankedMax = Math.max(rankedMax, ranked.length);
    if (contract) {
      held.add(date, contract.name, { ticker: contract.ticker });
      missing.close();
    } else {
      const reason = typeof ranked === 'string' ? ranked : 'too_few_contracts';
      missing.add(date, reason, { reason });
      held.close();
    }
    known.take(date, listed);
  }
  const [lastDate = null, listed = []] = [...byDate].at(-1) ?? [];
  const coming = lastDate === null ? [] : RANK[rule](addDays(lastDate, 1), listed, known);
  const next = typeof coming === 'string' ? null : (coming[rank]?.ticker ?? null);
  return { spans: held.spans, gaps: missing.spans, rankedMax, lastDate, next };
}

export const GAP_TEXTS: Readonly<Record<GapReason, string>> = {
  no_volume: `No contract of the root traded on the ${KNOWN_WEEKDAYS} weekdays before`,
  no_open_interest: `No open interest of the root's contracts was published on the ${KNOWN_WEEKDAYS} weekdays before`,
  too_few_contracts: 'Fewer contracts of the root are ranked on these dates',
};
export const GAP_REASONS = Object.keys(GAP_TEXTS) as [GapReason, ...GapReason[]];

/** Spans and gaps of all of them together, each some hundred bytes. */
const SPANS_MAX = 200_000;

/** Schedules that were made of the same rows, so that accounts of equal rules share them. */
export class RollSchedules {
  readonly known = new LRUCache<string, RollSchedule>({
    maxSize: SPANS_MAX,
    sizeCalculation: ({ spans, gaps }) => spans.length + gaps.length + 1,
  });
}
