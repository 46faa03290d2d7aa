/** Trade bars and quote bars of one day, joined by the start of the bar. */
import { atEnd } from '../../base/at-end.ts';
import {
  type ContractOf,
  contractOf,
  type Feed,
  KIND_READERS,
  type LeanRow,
  type Reading,
} from './feed.ts';
import type { QuoteBar, TradeBar } from './records.ts';
import { filesOf, type LeanFile } from './scan-folder.ts';
import {
  type BadRows,
  type OpenZip,
  openZip,
  type RecordParser,
  readAllRecords,
  type TextSource,
} from './text-source.ts';

/** The quote columns that minute bars of equities and of futures share. */
export function quotePrices({ bid, ask }: QuoteBar): LeanRow {
  return {
    OpenBidPrice: bid?.open ?? null,
    OpenAskPrice: ask?.open ?? null,
    HighBidPrice: bid?.high ?? null,
    HighAskPrice: ask?.high ?? null,
    LowBidPrice: bid?.low ?? null,
    LowAskPrice: ask?.low ?? null,
    CloseBidPrice: bid?.close ?? null,
    CloseBidSize: bid?.closeSize ?? null,
    CloseAskPrice: ask?.close ?? null,
    CloseAskSize: ask?.closeSize ?? null,
  };
}

export interface FilePair {
  /** Either one, for the market, symbol and date, which both have in common. */
  readonly file: LeanFile;
  readonly trade: LeanFile | null;
  readonly quote: LeanFile | null;
}

interface BarPair {
  readonly nanosOfDay: number;
  readonly trade: TradeBar | null;
  readonly quote: QuoteBar | null;
}

function dayKey({ market, symbol, date }: LeanFile): string {
  return `${market}/${symbol}/${date}`;
}

/** Files of the same market, symbol and day, one pair for each, in the order of their keys. */
function pairFiles(trades: readonly LeanFile[], quotes: readonly LeanFile[]): FilePair[] {
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

/** The kinds of files whose bars are joined. */
type BarKinds =
  | readonly ['equity minute trades', 'equity minute quotes']
  | readonly ['futures minute trades', 'futures minute quotes'];

/** Rows of the joined bars of each day and contract. `rowFor` is called for each pair of texts. */
export function rowsOfPairs<K extends BarKinds>(
  [tradeKind, quoteKind]: K,
  rowFor: (
    reading: Reading,
    pair: FilePair,
    contract: ContractOf<K[0]>,
  ) => (bars: BarPair) => LeanRow,
): Feed['rows'] {
  return async function* (reading) {
    const { folder, badRows } = reading;
    for (const pair of pairFiles(filesOf(folder, tradeKind), filesOf(folder, quoteKind))) {
      const tradeZip = pair.trade && (await openZip(pair.trade));
      const quoteZip = pair.quote && (await openZip(pair.quote));
      using _quoteZip = atEnd(() => quoteZip?.close());
      using _tradeZip = atEnd(() => tradeZip?.close());
      const trades = membersByKey(tradeZip);
      const quotes = membersByKey(quoteZip);
      for (const key of new Set([...trades.keys(), ...quotes.keys()])) {
        const tradeSources = trades.get(key) ?? [];
        const quoteSources = quotes.get(key) ?? [];
        const bars = joinBars(
          await readBars(tradeSources, KIND_READERS[tradeKind].parse, badRows),
          await readBars(quoteSources, KIND_READERS[quoteKind].parse, badRows),
        );
        const source = (tradeSources[0] ?? quoteSources[0]) as TextSource;
        const contract = contractOf<K[0]>(tradeKind, pair.file, source, badRows);
        if (contract !== undefined) yield bars.map(rowFor(reading, pair, contract));
      }
    }
  };
}
