/** Securities by every symbol and identifier that they have had. */
import { always, type Dated, type Security, valueOn } from './security.ts';

const SYMBOL_TYPES = ['Ticker', 'ASID', 'SecId', 'FIGI', 'ISIN', 'CUSIP', 'SEDOL'] as const;
/** Also of what is no security: option contracts. */
export const RESOLVED_TYPES = [...SYMBOL_TYPES, 'OSI'] as const;
export type SymbolType = (typeof SYMBOL_TYPES)[number];

const scalar = (value: string | number | null) => (value === null ? [] : [always(`${value}`)]);

/** A security's symbols of each type. */
const VALUES_OF: Readonly<Record<SymbolType, (security: Security) => readonly Dated[]>> = {
  Ticker: ({ tickers }) => tickers,
  ASID: ({ asid }) => scalar(asid),
  SecId: ({ secId }) => scalar(secId),
  FIGI: ({ figis }) => figis,
  ISIN: ({ isins }) => isins,
  CUSIP: ({ cusips }) => cusips,
  SEDOL: ({ sedol }) => scalar(sedol),
};

/** A security that had the symbol, and when. */
export interface Holding {
  readonly security: Security;
  readonly dated: Dated;
}

type Holdings = ReadonlyMap<string, readonly Holding[]>;

function holdingsOf(securities: readonly Security[], type: SymbolType): Holdings {
  const all = securities.flatMap((security) =>
    VALUES_OF[type](security).map((dated) => ({ security, dated })),
  );
  return Map.groupBy(all, ({ dated }) => dated.value);
}

/** Securities that are one through restructurings have the same permanent number. */
const chainKey = ({ asid, secId }: Security) => (asid === null ? `SecId ${secId}` : `${asid}`);

export class SymbolTable {
  readonly securities: readonly Security[];
  /** Each made when it is first asked for. */
  readonly #holdings = new Map<SymbolType, Holdings>();
  #chains: ReadonlyMap<string, readonly Dated[]> | null = null;

  constructor(securities: readonly Security[]) {
    this.securities = securities;
  }

  /** The securities that have had the symbol, by the dates on which they had it. */
  find(type: SymbolType, symbol: string): readonly Holding[] {
    const known = this.#holdings.getOrInsertComputed(type, () => holdingsOf(this.securities, type));
    return known.get(symbol) ?? [];
  }

  /** All tickers of the security, through restructurings, in the order of time. */
  tickersOf(security: Security): readonly Dated[] {
    this.#chains ??= this.#makeChains();
    return this.#chains.get(chainKey(security)) ?? [];
  }

  #makeChains(): ReadonlyMap<string, readonly Dated[]> {
    const chains = new Map<string, readonly Dated[]>();
    for (const [key, members] of Map.groupBy(this.securities, chainKey)) {
      const tickers = members.flatMap(({ tickers }) => tickers);
      chains.set(
        key,
        tickers.sort((a, b) => (a.start < b.start ? -1 : 1)),
      );
    }
    return chains;
  }
}

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

/** Tickers have the dates of their entry; other symbols those of the tickers then. */
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
