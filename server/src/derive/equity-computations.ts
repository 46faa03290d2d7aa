/** Bars and daily values of equities from their ticks, one security and day at a time. */
import { type BarLayout, BarWriter } from '@ticklake/market/bar-layout.ts';
import { previousTradingDay, tradingDaysEndingAt } from '@ticklake/market/calendar.ts';
import { isHalfDayOf } from '@ticklake/market/calendars.ts';
import {
  type AggregationLogic,
  BEST_ALONE,
  isBestAlone,
  UNKNOWN_QUOTE_BITS,
  UNKNOWN_TRADE_BITS,
} from '@ticklake/market/conditions.ts';
import {
  EQUITY_EXTENDED_BAR,
  EQUITY_MINUTE_BAR,
  EQUITY_TRADE_BAR,
  type EquityBar,
  hoursOf,
} from '@ticklake/market/equity-bar.ts';
import {
  equityDailyBar,
  equityTradeBars,
  writeEquityMinuteBars,
} from '@ticklake/market/equity-bars.ts';
import { equityDailyOhlc } from '@ticklake/market/equity-daily-ohlc.ts';
import { equityBarSources, equityDaySources } from '@ticklake/market/equity-rows.ts';
import {
  EQUITY_EVENT_TYPES,
  type EquityDay,
  type EquityEvent,
  type EquityEventType,
} from '@ticklake/market/events.ts';
import { QuantitySum } from '@ticklake/market/quantity.ts';
import type { BarTable, NumberTable, Sources } from '@ticklake/market/row-sources.ts';
import type { DayHours } from '@ticklake/market/sessions.ts';
import { counted } from '../base/printable.ts';
import type { Column, Dataset } from '../catalog/dataset.ts';
import { cellText } from '../engine/cell-text.ts';
import { type ColumnBatch, dateOfDays } from '../engine/columns.ts';
import { type Codes, type Doubles, orZero, quantityOrZero } from '../engine/gathered-columns.ts';
import { NO_CODE } from '../engine/text-codes.ts';
import {
  bufferRows,
  type Computation,
  type ComputationInput,
  plainComputation,
  referencedComputation,
} from './computation.ts';
import {
  type EventColumns,
  type GatheredEvents,
  type InstrumentDay,
  instrumentDays,
  placeOfDay,
} from './instrument-days.ts';
import { CLOSE_COLUMNS, referenceRows } from './reference-rows.ts';

const NUMBERS = ['Price', 'Quantity', 'ConditionCode'];
const EQUITY_EVENTS = { texts: ['EventType', 'Exchange'], numbers: NUMBERS };
/** For what looks at trades alone, wherever they were made. */
const EQUITY_TRADES = { texts: ['EventType'], numbers: NUMBERS };

type Changing<T> = { -readonly [K in keyof T]: T[K] };

/** One object for all of a day's events, maybe millions: each is valid until the next. */
class EquityEvents implements Iterator<EquityEvent> {
  readonly #events: GatheredEvents;
  // Fractions from the beginning: the engine of the language then keeps doubles in place.
  readonly #event: Changing<EquityEvent> = {
    nanosOfDay: 0.5,
    type: 'TRADE',
    price: 0.5,
    quantity: 0.5,
    exchange: '',
    conditions: 0.5,
  };
  readonly #next = { done: false, value: this.#event } as const;
  #at = 0;

  constructor({ events }: InstrumentDay) {
    this.#events = events;
  }

  next(): IteratorResult<EquityEvent> {
    const { nanosOfDay, texts, numbers, length } = this.#events;
    const [i, event] = [this.#at++, this.#event];
    if (i >= length) return END;
    event.nanosOfDay = nanosOfDay.at(i);
    event.type = (texts[0] as Codes).textAt(i) as EquityEventType;
    event.price = orZero(numbers[0] as Doubles, i);
    event.quantity = quantityOrZero(numbers[1] as Doubles, i);
    event.exchange = texts[1]?.textAt(i) ?? 'UNKNOWN';
    event.conditions = orZero(numbers[2] as Doubles, i);
    return this.#next;
  }
}

const END: IteratorResult<EquityEvent> = { done: true, value: undefined };

type EventKind = 'trade' | 'quote' | 'best quote' | 'unknown';

const KNOWN_TYPES: ReadonlySet<string | null> = new Set(EQUITY_EVENT_TYPES);
const MASK_MAX = 2 ** 32 - 1;

function kindOf(type: string | null): EventKind {
  if (!KNOWN_TYPES.has(type)) return 'unknown';
  if (type?.startsWith('T')) return 'trade';
  return type?.endsWith(' NB') ? 'best quote' : 'quote';
}

/** Null conditions are none. */
function hasUnknown(mask: number, unknownBits: number): boolean {
  return mask > MASK_MAX || mask < 0 || (mask & unknownBits) !== 0;
}

function countIn<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Quotes of national bests alone, and those that are not the bid and the ask of one moment. */
class BestsAlone {
  count = 0;
  #pairCount = 0;
  #bidNanos = Number.NaN;

  add(isBid: boolean, nanos: number): void {
    this.count++;
    if (!isBid && nanos === this.#bidNanos) this.#pairCount++;
    this.#bidNanos = isBid ? nanos : Number.NaN;
  }

  get unpairedCount(): number {
    return this.count - 2 * this.#pairCount;
  }
}

/**
 * Counts events by kind, trades without a price or outside of the sessions, and events of unknown
 * types and conditions.
 */
function countDoubts({ events }: InstrumentDay, { nightStartNanos, endNanos }: DayHours) {
  const types = events.codes('EventType');
  const [prices, conditions] = [events.doubles('Price').all, events.doubles('ConditionCode').all];
  const [times, quantities] = [events.nanosOfDay.all, events.doubles('Quantity')];
  const outside = { count: 0, shares: new QuantitySum() };
  let lastNanos = Number.NEGATIVE_INFINITY;
  const unknownTypes = new Map<string | null, number>();
  const unknownConditions = new Map<string, number>();
  const counts = { trade: 0, quote: 0, 'best quote': 0, unknown: 0 };
  const alone = new BestsAlone();
  let unpricedTradeCount = 0;
  // By code, from `NO_CODE` on: each type is looked at once, of maybe millions of events.
  const kinds: EventKind[] = [];
  const codes = types.all;
  for (let i = 0; i < codes.length; i++) {
    const at = (codes[i] as number) - NO_CODE;
    kinds[at] ??= kindOf(types.textAt(i));
    const kind = kinds[at];
    counts[kind]++;
    lastNanos = Math.max(lastNanos, times[i] as number);
    if (kind === 'unknown') {
      countIn(unknownTypes, types.textAt(i));
      continue;
    }
    const isTrade = kind === 'trade';
    if (isTrade && !((prices[i] as number) > 0)) unpricedTradeCount++;
    else if (isTrade && (lastNanos < nightStartNanos || lastNanos >= endNanos)) {
      outside.count++;
      outside.shares.add(quantityOrZero(quantities, i));
    }
    let mask = conditions[i] as number;
    if (kind === 'best quote' && isBestAlone(mask)) {
      alone.add(types.textAt(i) === 'QUOTE BID NB', times[i] as number);
      mask -= BEST_ALONE;
    }
    if (hasUnknown(mask, isTrade ? UNKNOWN_TRADE_BITS : UNKNOWN_QUOTE_BITS)) {
      countIn(unknownConditions, `the ${isTrade ? 'trade' : 'quote'} conditions ${mask}`);
    }
  }
  return { counts, alone, unpricedTradeCount, outside, unknownTypes, unknownConditions };
}

/** The most frequent one, and how many others there are, so that a warning stays a line. */
function mostOf<K>(counts: ReadonlyMap<K, number>) {
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  if (!most) return null;
  const others = counts.size > 1 ? `, and ${counts.size - 1} more such` : '';
  return { what: most[0], events: `${counted(most[1], 'event')}${others}` };
}

/** A sum of the units of a dataset's quantities, as shares. */
function sharesText({ columnByName, timeZone }: Dataset, { value }: QuantitySum): string {
  const text = cellText(columnByName.get('Quantity') as Column, BigInt(value), timeZone);
  return `${text} ${text === '1' ? 'share' : 'shares'}`;
}

/** The numbers of its quotes by venues, and of national bests that may be of no full feed. */
function warnOfDoubts(
  { inputs: [ticks], warn }: ComputationInput,
  day: InstrumentDay,
  hours: DayHours,
) {
  const { asid, otherAsid } = day;
  const { counts, alone, unpricedTradeCount, outside, ...unknown } = countDoubts(day, hours);
  const [type, condition] = [mostOf(unknown.unknownTypes), mostOf(unknown.unknownConditions)];
  const quoteCount = counts.quote + counts['best quote'];
  const doubts = [
    otherAsid !== null && `events of ASID ${otherAsid} and ${asid}; all count as those of ${asid}`,
    counts.quote > 0 &&
      counts['best quote'] === 0 &&
      'no quote is marked as the national best; bars have no bid and ask',
    alone.count > 0 &&
      alone.count < quoteCount &&
      `${counted(alone.count, 'quote')} of national bests alone and ${quoteCount - alone.count} of venues; ` +
        'sizes at the best are those of both',
    alone.unpairedCount > 0 &&
      `${counted(alone.unpairedCount, 'quote')} of national bests alone without the other side; ` +
        'spreads change with asks',
    unpricedTradeCount > 0 &&
      `${counted(unpricedTradeCount, 'trade')} without a price; no bar counts them`,
    outside.count > 0 &&
      `${counted(outside.count, 'trade')} outside of the sessions, ${sharesText(ticks, outside.shares)} ` +
        'in all; the daily volume has them, no bar does',
    type && `the unknown type ${type.what} of ${type.events}; no bar counts them`,
    condition && `unknown bits in ${condition.what} of ${condition.events}`,
  ];
  for (const doubt of doubts) if (doubt) warn(`${placeOfDay(ticks, day)}: ${doubt}`);
  return { ofVenues: counts.quote, unmarked: counts['best quote'] - alone.count };
}

interface EquityInstrumentDay {
  readonly instrument: InstrumentDay;
  readonly day: EquityDay;
}

/** The average price of an instrument before a date, in dollars; null if unknown. */
type AveragePrices = (instrument: InstrumentDay) => number | null;

/**
 * The equities of the first input, one day after the other, in the order of their tickers.
 * `columns`: `EQUITY_EVENTS` or `EQUITY_TRADES`.
 */
async function* equityDays(
  input: ComputationInput,
  columns: EventColumns,
  averagePrices: AveragePrices = () => null,
): AsyncIterable<EquityInstrumentDay> {
  const { calendar, sessions, textId } = input.inputs[0];
  // By dates: a full feed may have bests alone of an instrument that one venue quotes.
  const [fullDates, unmarkedDates] = [new Set<string>(), new Set<string>()];
  for await (const instrument of instrumentDays(input, columns)) {
    const hours = { isHalfDay: isHalfDayOf(calendar, instrument.date), sessions };
    const quotes = warnOfDoubts(input, instrument, hoursOf(hours));
    if (quotes.ofVenues > 0) fullDates.add(instrument.date);
    if (quotes.unmarked > 0) unmarkedDates.add(instrument.date);
    const day = {
      events: { [Symbol.iterator]: () => new EquityEvents(instrument) },
      ...hours,
      averagePrice: averagePrices(instrument),
    };
    yield { instrument, day };
  }
  for (const date of unmarkedDates.difference(fullDates)) {
    input.warn(
      `${textId} ${date}: all quotes are national bests, and not all have bit 32 of ConditionCode; if the feed has no others, ` +
        'load it again with the bit; sizes at the best are sums over venues',
    );
  }
}

const BARS_RULE_VERSION = 2;
const QUOTE_BARS_RULE_VERSION = 3;
const PRICES_RULE_VERSION = 1;

type EquityRows = (from: InstrumentDay, day: EquityDay) => [rowCount: number, sources: Sources];

/** Computes the rows of one instrument's day after the other. */
interface EquityComputation {
  readonly columns: EventColumns;
  readonly rowsFor: (logic: AggregationLogic) => EquityRows;
}

/** Rows of bars; those of all days are made in the same memory. */
function barRows<Bar>(
  columns: EventColumns,
  layout: BarLayout<Bar>,
  compute: (day: EquityDay, logic: AggregationLogic, writer: BarWriter<Bar>) => BarTable,
): EquityComputation {
  return {
    columns,
    rowsFor: (logic) => {
      const writer = new BarWriter(layout);
      return (instrument, day) => {
        const table = compute(day, logic, writer);
        return [table.rowCount, equityBarSources(instrument, table, table)];
      };
    },
  };
}

const TRADE_BARS = barRows(EQUITY_TRADES, EQUITY_TRADE_BAR, equityTradeBars);
const minuteBars = (layout: BarLayout<EquityBar>) =>
  barRows(EQUITY_EVENTS, layout, (day, logic, writer) => {
    return writeEquityMinuteBars(day, logic, [writer])[0] as BarTable;
  });

function dailyRows(
  compute: (day: EquityDay, logic: AggregationLogic) => NumberTable,
): EquityComputation {
  return {
    columns: EQUITY_EVENTS,
    rowsFor: (logic) => (instrument, day) => {
      const table = compute(day, logic);
      return [table.rowCount, equityDaySources(instrument, table)];
    },
  };
}

function computeRows(
  input: ComputationInput,
  { columns, rowsFor }: EquityComputation,
  averagePrices?: AveragePrices,
): AsyncIterable<ColumnBatch> {
  const rowsOf = rowsFor(input.output.variant.aggregationLogic ?? 'vendor_default');
  const days = equityDays(input, columns, averagePrices);
  return bufferRows(input.output, days, (buffer, { instrument, day }) =>
    buffer.append(...rowsOf(instrument, day)),
  );
}

/** Trading days whose closing prices quotes are held to. */
const AVERAGE_DAYS = 10;

interface Close {
  readonly date: string;
  readonly price: number;
}

/** A security by its permanent id, or by its ticker where it has none. */
function nameOf(asid: number | null, ticker: string): string {
  return asid === null ? ticker : `#${asid}`;
}

/** Closing prices of each security, oldest first. */
async function readCloses(input: ComputationInput): Promise<ReadonlyMap<string, readonly Close[]>> {
  const { inputs, dates } = input;
  const closes = new Map<string, Close[]>();
  const end = previousTradingDay(dates.end);
  const [start = end] = tradingDaysEndingAt(previousTradingDay(dates.start), AVERAGE_DAYS);
  for await (const rows of referenceRows(input, inputs[1], CLOSE_COLUMNS, { start, end })) {
    for (const { TradeDate, Ticker, ASID, ClosePrice: price } of rows) {
      if (price === null || TradeDate === null) continue;
      const name = nameOf(ASID, Ticker ?? '');
      const close = { date: dateOfDays(TradeDate), price };
      closes.getOrInsertComputed(name, () => []).push(close);
    }
  }
  return closes;
}

function averagesOf(closes: ReadonlyMap<string, readonly Close[]>): AveragePrices {
  return ({ date, asid, ticker }) => {
    const [first = date] = tradingDaysEndingAt(previousTradingDay(date), AVERAGE_DAYS);
    const recent = closes
      .get(nameOf(asid, ticker))
      ?.filter((close) => close.date >= first && close.date < date);
    if (!recent?.length) return null;
    return recent.reduce((sum, { price }) => sum + price, 0) / recent.length;
  };
}

/** Rows of trades alone. */
function fromTrades(ruleVersion: number, computation: EquityComputation): Computation {
  return plainComputation(ruleVersion, (input) => computeRows(input, computation));
}

/** Rows of trades and quotes, which are held to the average price of the days before. */
function fromQuotes(computation: EquityComputation): Computation {
  return referencedComputation({
    ruleVersion: QUOTE_BARS_RULE_VERSION,
    read: readCloses,
    digested: (closes) => [...closes],
    rows: (input, closes) => computeRows(input, computation, averagesOf(closes)),
  });
}

export const EQUITY_COMPUTATIONS = {
  equity_trade_bars: fromTrades(BARS_RULE_VERSION, TRADE_BARS),
  equity_daily_prices: fromTrades(PRICES_RULE_VERSION, dailyRows(equityDailyOhlc)),
  equity_quote_bars: fromQuotes(minuteBars(EQUITY_MINUTE_BAR)),
  equity_extended_bars: fromQuotes(minuteBars(EQUITY_EXTENDED_BAR)),
  equity_day_bars: fromQuotes(dailyRows(equityDailyBar)),
};
