/** The company that a ticker stands for, and the tickers that it has had. Pure. */
import { earlierOf, laterOf } from '../request/literals.ts';
import type { TickerUse, UseDates } from './reused-tickers.ts';
import { OPEN_END, type Security } from './security.ts';
import type { SymbolTable } from './symbol-table.ts';

/** The one that has the ticker on a date, or else had it last before; null: none with a permanent number. */
export function companyOf(table: SymbolTable, ticker: string, date: string): Security | null {
  const [last] = table
    .find('Ticker', ticker)
    .filter(({ security, dated }) => security.asid !== null && dated.start <= date)
    .sort((a, b) => (a.dated.start > b.dated.start ? -1 : 1));
  return last?.security ?? null;
}

/** Its tickers on the dates, cut to them, in the order of time. */
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
