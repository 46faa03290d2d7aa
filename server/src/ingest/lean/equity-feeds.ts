/** Equity ticks and bars. Times in these files are New York's. */
import { dayClock } from './day-clock.ts';
import { type Feed, type LeanRow, type Reading, rowsOfKind, tickerOf } from './feed.ts';
import { quotePrices, rowsOfPairs } from './pair-bars.ts';
import { type QuoteTick, type TradeBar, VENUES } from './records.ts';
import type { LeanFile } from './scan-folder.ts';

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

const tradeTickRows = rowsOfKind('equity tick trades', (reading, file) => {
  const { names, toUtc } = dayOf(reading, file);
  return (tick) => ({
    ...names,
    EventDateTime: toUtc(tick.nanosOfDay),
    EventType: 'TRADE',
    Price: tick.price,
    Quantity: tick.quantity,
    Exchange: venueName(tick.venue),
    ConditionCode: tick.conditions,
  });
});

/** The sides of a quote that changed, bid before ask. A side of zero price and size did not. */
function changedSides(tick: QuoteTick) {
  const bid = { EventType: 'QUOTE BID', Price: tick.bidPrice, Quantity: tick.bidSize };
  const ask = { EventType: 'QUOTE ASK', Price: tick.askPrice, Quantity: tick.askSize };
  return [bid, ask].filter(({ Price, Quantity }) => Price !== 0 || Quantity !== 0);
}

const quoteTickRows = rowsOfKind('equity tick quotes', (reading, file) => {
  const { names, toUtc } = dayOf(reading, file);
  return (tick) =>
    changedSides(tick).map((side) => ({
      ...names,
      EventDateTime: toUtc(tick.nanosOfDay),
      ...side,
      Exchange: venueName(tick.venue),
      ConditionCode: tick.conditions,
    }));
});

/** Trades come first, so that among equal stamps a trade meets the quotes that stood before. */
async function* tickRows(reading: Reading): AsyncGenerator<readonly LeanRow[]> {
  yield* tradeTickRows(reading);
  yield* quoteTickRows(reading);
}

function tradePrices({ open, high, low, close }: TradeBar): LeanRow {
  return { FirstTradePrice: open, HighTradePrice: high, LowTradePrice: low, LastTradePrice: close };
}

const minuteTradeRows = rowsOfKind('equity minute trades', (reading, file) => {
  const { names, toUtc } = dayOf(reading, file);
  return (bar) => ({
    ...names,
    BarDateTime: toUtc(bar.nanosOfDay),
    ...tradePrices(bar),
    Volume: bar.volume,
  });
});

const MINUTE_KINDS = ['equity minute trades', 'equity minute quotes'] as const;

const minuteRows = rowsOfPairs(MINUTE_KINDS, (reading, { file }) => {
  const { names, toUtc } = dayOf(reading, file);
  return ({ nanosOfDay, trade, quote }) => ({
    ...names,
    BarDateTime: toUtc(nanosOfDay),
    ...(trade && tradePrices(trade)),
    ...(quote && quotePrices(quote)),
  });
});

const dailyRows = rowsOfKind('equity daily bars', ({ identities }, file) => {
  const Ticker = tickerOf(file);
  return (bar) => ({
    TradeDate: bar.date,
    Ticker,
    ASID: identities.on(Ticker, bar.date),
    OpenPrice: bar.open,
    HighPrice: bar.high,
    LowPrice: bar.low,
    ClosePrice: bar.close,
    MarketHoursVolume: bar.volume,
  });
});

export const EQUITY_FEEDS: readonly Feed[] = [
  { dataset: 'eq_trades', kinds: ['equity tick trades'], rows: tradeTickRows },
  { dataset: 'eq_taq', kinds: ['equity tick trades', 'equity tick quotes'], rows: tickRows },
  { dataset: 'eq_trades_1min_ind_std', kinds: ['equity minute trades'], rows: minuteTradeRows },
  { dataset: 'eq_taq_1min_ind_std', kinds: MINUTE_KINDS, rows: minuteRows },
  { dataset: 'eq_daily_ohlc', kinds: ['equity daily bars'], rows: dailyRows },
];
