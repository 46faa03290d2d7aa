/** What a symbol meant, by dates. Pure. */
import { type Dated, type Security, valueOn } from './security.ts';
import type { Holding, SymbolTable, SymbolType } from './symbol-table.ts';

/** First and last date, both included. */
export interface AskedDates {
  readonly start: string;
  readonly end: string;
}

/** Dates on which a symbol meant one security under one ticker. */
export interface SymbolInterval extends AskedDates {
  readonly security: Security;
  readonly ticker: string;
  /** Name and listing exchange on the last of the dates. */
  readonly name: string | null;
  readonly exchange: string | null;
  /** The tickers of the same security before and after this one. */
  readonly before: Dated | null;
  readonly after: Dated | null;
}

const later = (a: string, b: string) => (a > b ? a : b);
const earlier = (a: string, b: string) => (a < b ? a : b);

/** A ticker's own dates are those of its entry; any other symbol goes through the tickers of its time. */
function tickersOf(type: SymbolType, { security, dated }: Holding): readonly Dated[] {
  return type === 'Ticker' ? [dated] : security.tickers;
}

/** In the order of time; none where the symbol is unknown, or only at other dates. */
export function resolveSymbol(
  table: SymbolTable,
  type: SymbolType,
  symbol: string,
  asked: AskedDates,
): SymbolInterval[] {
  const found = table.find(type, symbol).flatMap((holding) => {
    const { security, dated } = holding;
    const chain = table.tickersOf(security);
    return tickersOf(type, holding).flatMap((ticker): SymbolInterval[] => {
      const start = later(later(dated.start, ticker.start), asked.start);
      const end = earlier(earlier(dated.end, ticker.end), asked.end);
      if (start > end) return [];
      return [
        {
          ...{ security, start, end, ticker: ticker.value },
          name: valueOn(security.names, end),
          exchange: valueOn(security.exchanges, end),
          before: chain.findLast((each) => each.end < ticker.start) ?? null,
          after: chain.find((each) => each.start > ticker.end) ?? null,
        },
      ];
    });
  });
  return found.sort((a, b) => (a.start < b.start ? -1 : 1));
}
