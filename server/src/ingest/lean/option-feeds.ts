/** Option trade bars and open interest. Times in these files are New York's. */
import { dayClock } from './day-clock.ts';
import {
  type Feed,
  KIND_READERS,
  type LeanRow,
  type Reading,
  recordsOf,
  rowsOfKind,
  tickerOf,
} from './feed.ts';
import type { QuoteBar } from './records.ts';
import { filesOf, type LeanFile } from './scan-folder.ts';
import { readAllRecords, textSources } from './text-source.ts';

const ZONE = 'America/New_York';
const KIND = 'option minute trades';
const OPEN_INTEREST_KIND = 2;
const CALL_BIT = 32;

/** The underlying's quotes at the start and the end of a minute; empty where none is known. */
type QuotesAt = (nanosOfDay: number) => LeanRow;

function quotesOfBar({ bid, ask }: QuoteBar, isOwnMinute: boolean): LeanRow {
  return {
    UnderOpenBidPrice: (isOwnMinute ? bid?.open : bid?.close) ?? null,
    UnderOpenAskPrice: (isOwnMinute ? ask?.open : ask?.close) ?? null,
    UnderCloseBidPrice: bid?.close ?? null,
    UnderCloseAskPrice: ask?.close ?? null,
  };
}

async function readUnderlyingBars(reading: Reading, file: LeanFile): Promise<QuoteBar[]> {
  const quotes = filesOf(reading.folder, 'equity minute quotes');
  const match = quotes.find(({ symbol, date }) => symbol === file.symbol && date === file.date);
  const bars: QuoteBar[] = [];
  if (!match) return bars;
  const { parse } = KIND_READERS['equity minute quotes'];
  for await (const source of textSources(match)) {
    bars.push(...(await readAllRecords(source, parse, reading.badRows)));
  }
  return bars.sort((a, b) => a.nanosOfDay - b.nanosOfDay);
}

/** In a minute without a bar of its own the quotes of the last bar still stand. */
async function underlyingQuotes(reading: Reading, file: LeanFile): Promise<QuotesAt> {
  const bars = await readUnderlyingBars(reading, file);
  return (nanosOfDay) => {
    const bar = bars.findLast((candidate) => candidate.nanosOfDay <= nanosOfDay);
    return bar ? quotesOfBar(bar, bar.nanosOfDay === nanosOfDay) : {};
  };
}

async function* tradeRows(reading: Reading): AsyncGenerator<readonly LeanRow[]> {
  let currentFile: LeanFile | null = null;
  let quotesAt: QuotesAt = () => ({});
  const { folder, badRows } = reading;
  const files = filesOf(folder, KIND);
  for await (const { file, contract, records } of recordsOf(KIND, files, badRows)) {
    if (file !== currentFile) quotesAt = await underlyingQuotes(reading, file);
    currentFile = file;
    const toUtc = dayClock(ZONE, file.date);
    yield records.map((bar) => ({
      TradeDate: file.date,
      BarDateTime: toUtc(bar.nanosOfDay),
      Ticker: tickerOf(file),
      ...contract,
      OpenTradePrice: bar.open,
      HighTradePrice: bar.high,
      LowTradePrice: bar.low,
      CloseTradePrice: bar.close,
      ...quotesAt(bar.nanosOfDay),
      Volume: bar.volume,
    }));
  }
}

const openInterestRows = rowsOfKind('option open interest', (_reading, file, contract) => {
  const toUtc = dayClock(ZONE, file.date);
  return ({ nanosOfDay, contracts }) => ({
    TradeDate: file.date,
    EventDateTime: toUtc(nanosOfDay),
    Ticker: tickerOf(file),
    ...contract,
    EventType: contract.CallPut === 'C' ? OPEN_INTEREST_KIND | CALL_BIT : OPEN_INTEREST_KIND,
    Action: 'OI',
    Quantity: contracts,
  });
});

export const OPTION_FEEDS: readonly Feed[] = [
  { dataset: 'opt_trades_1min', kinds: [KIND], rows: tradeRows },
  { dataset: 'opt_tanq', kinds: ['option open interest'], rows: openInterestRows },
];
