/** Equity ticks and bars. Times in these files are New York's. */
import { dayClock } from './day-clock.ts';
import { type Feed, type LeanRow, type Reading, tickerOf } from './feed.ts';
import { KIND_READERS, kindRecords } from './kind-readers.ts';
import { pairFiles, readPair } from './pair-bars.ts';
import { quotePrices } from './quote-prices.ts';
import type { QuoteTick, TradeBar } from './records.ts';
import { filesOf, type LeanFile } from './scan-folder.ts';
import { VENUES } from './venues.ts';

const ZONE = 'America/New_York';

function venueName(letter: string): string {
  return VENUES[letter.toUpperCase()] ?? 'UNKNOWN';
}

function dayOf({ identities }: Reading, file: LeanFile) {
  const { date: TradeDate } = file;
  const Ticker = tickerOf(file);
  const ASID = identities.on(Ticker, TradeDate);
  return { names: { TradeDate, Ticker, ASID }, toUtc: dayClock(ZONE, TradeDate) };
}

async function* tradeTickRows(reading: Reading): AsyncGenerator<readonly LeanRow[]> {
  for await (const { file, records } of kindRecords(reading, 'equity tick trades')) {
    const { names, toUtc } = dayOf(reading, file);
    yield records
      .filter((tick) => !(tick.isSuspicious && reading.dropSuspicious))
      .map((tick) => ({
        ...names,
        EventDateTime: toUtc(tick.nanosOfDay),
        EventType: 'TRADE',
        Price: tick.price,
        Quantity: tick.quantity,
        Exchange: venueName(tick.venue),
        ConditionCode: tick.conditions,
      }));
  }
}

/** The sides of a quote that changed, bid before ask. A side of zero price and size did not. */
function changedSides(tick: QuoteTick) {
  const bid = { EventType: 'QUOTE BID', Price: tick.bidPrice, Quantity: tick.bidSize };
  const ask = { EventType: 'QUOTE ASK', Price: tick.askPrice, Quantity: tick.askSize };
  return [bid, ask].filter(({ Price, Quantity }) => Price !== 0 || Quantity !== 0);
}

async function* quoteTickRows(reading: Reading): AsyncGenerator<readonly LeanRow[]> {
  for await (const { file, records } of kindRecords(reading, 'equity tick quotes')) {
    const { names, toUtc } = dayOf(reading, file);
    yield records
      .filter((tick) => !(tick.isSuspicious && reading.dropSuspicious))
      .flatMap((tick) =>
        changedSides(tick).map((side) => ({
          ...names,
          EventDateTime: toUtc(tick.nanosOfDay),
          ...side,
          Exchange: venueName(tick.venue),
          ConditionCode: tick.conditions,
        })),
      );
  }
}

/** Trades come first, so that among equal stamps a trade meets the quotes that stood before. */
async function* tickRows(reading: Reading): AsyncGenerator<readonly LeanRow[]> {
  yield* tradeTickRows(reading);
  yield* quoteTickRows(reading);
}

async function* minuteTradeRows(reading: Reading): AsyncGenerator<readonly LeanRow[]> {
  for await (const { file, records } of kindRecords(reading, 'equity minute trades')) {
    const { names, toUtc } = dayOf(reading, file);
    yield records.map((bar) => ({
      ...names,
      BarDateTime: toUtc(bar.nanosOfDay),
      ...tradePrices(bar),
      Volume: bar.volume,
    }));
  }
}

function tradePrices({ open, high, low, close }: TradeBar): LeanRow {
  return { FirstTradePrice: open, HighTradePrice: high, LowTradePrice: low, LastTradePrice: close };
}

const BAR_PARSERS = {
  trade: KIND_READERS['equity minute trades'].parse,
  quote: KIND_READERS['equity minute quotes'].parse,
};

async function* minuteRows(reading: Reading): AsyncGenerator<readonly LeanRow[]> {
  const trades = filesOf(reading.folder, 'equity minute trades');
  const quotes = filesOf(reading.folder, 'equity minute quotes');
  for (const pair of pairFiles(trades, quotes)) {
    const { names, toUtc } = dayOf(reading, pair.file);
    for await (const { bars } of readPair(pair, BAR_PARSERS, reading.badRows)) {
      yield bars.map(({ nanosOfDay, trade, quote }) => ({
        ...names,
        BarDateTime: toUtc(nanosOfDay),
        ...(trade && tradePrices(trade)),
        ...(quote && quotePrices(quote)),
      }));
    }
  }
}

async function* dailyRows(reading: Reading): AsyncGenerator<readonly LeanRow[]> {
  for await (const { file, records } of kindRecords(reading, 'equity daily bars')) {
    const Ticker = tickerOf(file);
    yield records.map((bar) => ({
      TradeDate: bar.date,
      Ticker,
      ASID: reading.identities.on(Ticker, bar.date),
      OpenPrice: bar.open,
      HighPrice: bar.high,
      LowPrice: bar.low,
      ClosePrice: bar.close,
      MarketHoursVolume: bar.volume,
    }));
  }
}

export const EQUITY_FEEDS: readonly Feed[] = [
  { dataset: 'eq_trades', kinds: ['equity tick trades'], rows: tradeTickRows },
  { dataset: 'eq_taq', kinds: ['equity tick trades', 'equity tick quotes'], rows: tickRows },
  { dataset: 'eq_trades_1min_ind_std', kinds: ['equity minute trades'], rows: minuteTradeRows },
  {
    dataset: 'eq_taq_1min_ind_std',
    kinds: ['equity minute trades', 'equity minute quotes'],
    rows: minuteRows,
  },
  { dataset: 'eq_daily_ohlc', kinds: ['equity daily bars'], rows: dailyRows },
];
