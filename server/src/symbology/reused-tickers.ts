/** Tickers that more than one company has had, and when each had them. Pure. */
import { joinUnbroken } from '@ticklake/market/security-master.ts';
import { earlierOf, laterOf } from '../request/literals.ts';
import { OPEN_END, type Security } from './security.ts';
import type { SymbolTable } from './symbol-table.ts';

/** Dates on which a ticker meant one company. */
export interface TickerUse {
  readonly ticker: string;
  /** The ASID; of a security that has none, its SecId with that word before it. */
  readonly id: string;
  readonly start: string;
  /** Included; `OPEN_END` while it lasts. */
  readonly end: string;
}

/** By ticker, each in the order of time. */
export type ReusedTickers = ReadonlyMap<string, readonly TickerUse[]>;

/** First and last date, both included; null: open. */
export interface UseDates {
  readonly first: string | null;
  readonly last: string | null;
}

const byStart = (a: TickerUse, b: TickerUse) => (a.start < b.start ? -1 : 1);

function companyIds(uses: readonly TickerUse[]): ReadonlySet<string> {
  return new Set(uses.map(({ id }) => id));
}

/** Null: an exchange's test symbol, which is no company. */
function idOf({ asid, secId }: Security): string | null {
  if (asid !== null) return `${asid}`;
  return secId === null ? null : `SecId:${secId}`;
}

/** The uses of one ticker, each company's as long as they last without a gap. */
function joined(uses: readonly TickerUse[]): TickerUse[] {
  const [{ ticker }] = uses as [TickerUse];
  return [...Map.groupBy(uses, ({ id }) => id)]
    .flatMap(([id, own]) => {
      const periods = own.toSorted(byStart).map(({ start, end }) => {
        return { value: id, startDate: start, endDate: end };
      });
      return joinUnbroken(periods).map(({ startDate, endDate }): TickerUse => {
        return { ticker, id, start: startDate, end: endDate };
      });
    })
    .sort(byStart);
}

export function reusedTickers(securities: readonly Security[]): ReusedTickers {
  const uses = securities.flatMap((security) => {
    const id = idOf(security);
    if (id === null) return [];
    return security.tickers.map(({ value, start, end }): TickerUse => {
      return { ticker: value, id, start, end: earlierOf(end, OPEN_END) };
    });
  });
  const reused = [...Map.groupBy(uses, ({ ticker }) => ticker)]
    .filter(([, own]) => companyIds(own).size > 1)
    .map(([ticker, own]) => [ticker, joined(own)] as const);
  return new Map(reused);
}

/** The uses on the dates, cut to them, of those tickers that meant more than one company there. */
export function ambiguousUses(
  reused: ReusedTickers,
  tickers: readonly string[],
  isAsked: (id: string) => boolean,
  { first, last }: UseDates,
): TickerUse[] {
  return tickers.flatMap((ticker) => {
    const uses = (reused.get(ticker) ?? [])
      .filter(({ id }) => isAsked(id))
      .map((use) => ({
        ...use,
        start: first !== null && first > use.start ? first : use.start,
        end: last !== null && last < use.end ? last : use.end,
      }))
      .filter(({ start, end }) => start <= end);
    return companyIds(uses).size > 1 ? uses : [];
  });
}

/** The company with the ticker on a date or last before; null: none with a number. */
export function companyOf(table: SymbolTable, ticker: string, date: string): Security | null {
  const [last] = table
    .find('Ticker', ticker)
    .filter(({ security, dated }) => security.asid !== null && dated.start <= date)
    .sort((a, b) => (a.dated.start > b.dated.start ? -1 : 1));
  return last?.security ?? null;
}

/** The tickers of a security on the dates, cut to them, in the order of time. */
export function tickerUses(
  table: SymbolTable,
  company: Security,
  { first, last }: UseDates,
): TickerUse[] {
  return table
    .tickersOf(company)
    .map(({ value, start, end }) => ({
      ...{ ticker: value, id: `${company.asid}` },
      start: first === null ? start : laterOf(first, start),
      end: earlierOf(last ?? OPEN_END, earlierOf(end, OPEN_END)),
    }))
    .filter(({ start, end }) => start <= end);
}
