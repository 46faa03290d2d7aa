/** The columns a chart is drawn from, found by the names that families of datasets use. */

export type CandlePlan = NonNullable<ReturnType<typeof candlePlan>>;
/** Events one by one: trades, and quotes where there are any. */
export type TickPlan = NonNullable<ReturnType<typeof tickPlan>>;

export type ChartPlan = (CandlePlan | TickPlan) & {
  /** Columns that name what a row is about; a chart shows one thing of it. */
  readonly instrument: readonly string[];
};

const PRICES: readonly (readonly [open: string, high: string, low: string, close: string])[] = [
  ['OpenPrice', 'HighPrice', 'LowPrice', 'ClosePrice'],
  ['FirstTradePrice', 'HighTradePrice', 'LowTradePrice', 'LastTradePrice'],
  ['OpenTradePrice', 'HighTradePrice', 'LowTradePrice', 'CloseTradePrice'],
];
const BAR_TIMES = ['BarDateTime', 'TradeDate'];
const VOLUMES = ['Volume', 'DailyVolume', 'MarketHoursVolume', 'TotalQuantity', 'TotalVolume'];
const INSTRUMENT = ['Ticker', 'CallPut', 'Strike', 'ExpirationDate', 'Expiration'];
const TICK_TIME = 'EventDateTime';

type Has = (name: string) => boolean;

function candlePlan(has: Has) {
  const prices = PRICES.find((names) => names.every(has));
  const time = BAR_TIMES.find(has);
  if (!prices || time === undefined) return null;
  const [open, high, low, close] = prices;
  const volume = VOLUMES.find(has) ?? null;
  return { kind: 'candles' as const, time, open, high, low, close, volume };
}

function tickPlan(has: Has) {
  const optional = (name: string) => (has(name) ? name : null);
  const price = ['Price', 'L1Price'].find(has);
  if (!has(TICK_TIME) || price === undefined) return null;
  const hasQuotesBeside = has('BidPrice') && has('AskPrice');
  return {
    kind: 'ticks' as const,
    time: TICK_TIME,
    price,
    quantity: optional(price === 'Price' ? 'Quantity' : 'L1Size'),
    // The kind of an event; letters of kinds that are coded as numbers have their own column.
    event: optional('Action') ?? optional('EventType'),
    side: optional('Side'),
    // Quotes that stand in the row of a trade.
    bid: hasQuotesBeside ? 'BidPrice' : null,
    ask: hasQuotesBeside ? 'AskPrice' : null,
    bidSize: hasQuotesBeside ? optional('BidSize') : null,
    askSize: hasQuotesBeside ? optional('AskSize') : null,
  };
}

/** Null where the dataset has nothing that a chart of prices could show. */
export function chartPlan(columns: readonly string[]): ChartPlan | null {
  const has: Has = (name) => columns.includes(name);
  const plan = tickPlan(has) ?? candlePlan(has);
  return plan && { ...plan, instrument: INSTRUMENT.filter(has) };
}

/** All columns that the chart reads, after the date. */
export function chartColumns({ kind: _, instrument, ...own }: ChartPlan, date: string | null) {
  const names = [date, ...instrument, ...Object.values<string | null>(own)];
  return [...new Set(names.filter((name) => name !== null))];
}

type EventKind = 'Trade' | 'Bid' | 'Ask';
type KindTable = readonly (readonly [pattern: RegExp, kind: EventKind])[];

const EVENTS: KindTable = [
  [/^TRADE(?!.*CANCEL)/, 'Trade'],
  [/^T( NB)?$/, 'Trade'],
  [/^QUOTE BID/, 'Bid'],
  [/^QUOTE (ASK|SELL)/, 'Ask'],
];
/** Quotes whose side stands in a column of its own. */
const SIDED_QUOTE = /^(FQ|NFQ|R)( NB)?$/;
const SIDES: KindTable = [
  [/^B/i, 'Bid'],
  [/^[AS]/i, 'Ask'],
];

/** The kind of an event; null if charts do not show it. `event` is null where rows have none. */
export function eventKind(event: string | null, side: string): EventKind | null {
  const isSided = event === null || SIDED_QUOTE.test(event);
  const [table, text] = isSided ? [SIDES, side] : [EVENTS, event];
  return table.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}
