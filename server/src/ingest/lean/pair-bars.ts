/** Trade bars and quote bars of one day, joined by the start of the bar. */
import type { BadRows, RecordParser } from './read-records.ts';
import { readAllRecords } from './read-records.ts';
import type { QuoteBar, TradeBar } from './records.ts';
import type { LeanFile } from './scan-folder.ts';
import { type OpenZip, openZip, type TextSource } from './text-source.ts';

export interface FilePair {
  /** Either one: what both have in common, the market, the symbol and the date, is the pair's. */
  readonly file: LeanFile;
  readonly trade: LeanFile | null;
  readonly quote: LeanFile | null;
}

export interface BarPair {
  readonly nanosOfDay: number;
  readonly trade: TradeBar | null;
  readonly quote: QuoteBar | null;
}

export interface BarParsers {
  readonly trade: RecordParser<TradeBar>;
  readonly quote: RecordParser<QuoteBar>;
}

function dayKey({ market, symbol, date }: LeanFile): string {
  return `${market}/${symbol}/${date}`;
}

/** Files of the same market, symbol and day, one pair for each, in the order of their keys. */
export function pairFiles(trades: readonly LeanFile[], quotes: readonly LeanFile[]): FilePair[] {
  const tradeOf = new Map(trades.map((file) => [dayKey(file), file]));
  const quoteOf = new Map(quotes.map((file) => [dayKey(file), file]));
  return [...new Set([...tradeOf.keys(), ...quoteOf.keys()])].sort().map((key) => {
    const trade = tradeOf.get(key) ?? null;
    const quote = quoteOf.get(key) ?? null;
    return { file: (trade ?? quote) as LeanFile, trade, quote };
  });
}

function joinBars(trades: readonly TradeBar[], quotes: readonly QuoteBar[]): BarPair[] {
  const joined = new Map<number, BarPair>();
  for (const trade of trades) {
    joined.set(trade.nanosOfDay, { nanosOfDay: trade.nanosOfDay, trade, quote: null });
  }
  for (const quote of quotes) {
    const { nanosOfDay } = quote;
    joined.set(nanosOfDay, { nanosOfDay, trade: joined.get(nanosOfDay)?.trade ?? null, quote });
  }
  return [...joined.values()].sort((a, b) => a.nanosOfDay - b.nanosOfDay);
}

/** The key by which members of the two zips belong together: the contract, if there are many. */
function memberKey({ fileName }: TextSource): string {
  return /_(?:trade|quote)(_.*)?\.csv$/i.exec(fileName)?.[1] ?? '';
}

function membersByKey(zip: OpenZip | null): Map<string, TextSource[]> {
  return Map.groupBy(zip?.members ?? [], memberKey);
}

async function readBars<T>(
  sources: readonly TextSource[],
  parse: RecordParser<T>,
  badRows: BadRows,
): Promise<T[]> {
  const bars: T[] = [];
  for (const source of sources) bars.push(...(await readAllRecords(source, parse, badRows)));
  return bars;
}

/** For each contract (or the one symbol) of a pair of zips, the joined bars of its day. */
export async function* readPair(
  pair: FilePair,
  parsers: BarParsers,
  badRows: BadRows,
): AsyncGenerator<{ source: TextSource; bars: readonly BarPair[] }> {
  const tradeZip = pair.trade && (await openZip(pair.trade));
  const quoteZip = pair.quote && (await openZip(pair.quote));
  try {
    const trades = membersByKey(tradeZip);
    const quotes = membersByKey(quoteZip);
    for (const key of new Set([...trades.keys(), ...quotes.keys()])) {
      const tradeSources = trades.get(key) ?? [];
      const quoteSources = quotes.get(key) ?? [];
      const bars = joinBars(
        await readBars(tradeSources, parsers.trade, badRows),
        await readBars(quoteSources, parsers.quote, badRows),
      );
      yield { source: (tradeSources[0] ?? quoteSources[0]) as TextSource, bars };
    }
  } finally {
    tradeZip?.close();
    quoteZip?.close();
  }
}
