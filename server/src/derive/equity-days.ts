/** The days of equities as the market's computations take them. */
import { isHalfDay } from '@ticklake/market/calendar.ts';
import type { EquityDay } from '@ticklake/market/equity-day.ts';
import type { EquityEvent, EquityEventType } from '@ticklake/market/events.ts';
import { type Codes, type Doubles, orZero } from '../engine/gathered-columns.ts';
import type { ComputationInput } from './computation.ts';
import { warnOfDoubled } from './doubled-events.ts';
import { equityDoubts } from './equity-doubts.ts';
import {
  type InstrumentDay,
  instrumentDays,
  placeOfDay,
  tickColumnsOf,
} from './instrument-days.ts';

const EVENT_COLUMNS = {
  texts: ['EventType', 'Exchange'],
  numbers: ['Price', 'Quantity', 'ConditionCode'],
};

type Changing<T> = { -readonly [K in keyof T]: T[K] };

/** One object for all of a day's events, which may be millions: each counts until the next is asked for. */
function* equityEvents({ events }: InstrumentDay): Iterable<EquityEvent> {
  const [types, exchanges] = events.texts as [Codes, Codes];
  const [prices, quantities, conditions] = events.numbers as [Doubles, Doubles, Doubles];
  const { nanosOfDay, length } = events;
  // Fractions from the beginning: the engine of the language then keeps doubles in place.
  const event: Changing<EquityEvent> = {
    nanosOfDay: 0.5,
    type: 'TRADE',
    price: 0.5,
    quantity: 0.5,
    exchange: '',
    conditions: 0.5,
  };
  for (let i = 0; i < length; i++) {
    event.nanosOfDay = nanosOfDay.at(i);
    event.type = types.textAt(i) as EquityEventType;
    event.price = orZero(prices, i);
    event.quantity = orZero(quantities, i);
    event.exchange = exchanges.textAt(i) ?? 'UNKNOWN';
    event.conditions = orZero(conditions, i);
    yield event;
  }
}

export interface EquityInstrumentDay {
  readonly instrument: InstrumentDay;
  readonly day: EquityDay;
}

/** Average prices in dollars of instruments before a date, by permanent id or ticker; null: unknown. */
export type AveragePrices = (instrument: InstrumentDay) => number | null;

/** The equities of the first input, one day after the other, in the order of their tickers. */
export async function* equityDays(
  { inputs: [ticks], dates, read, warn }: ComputationInput,
  averagePrices: AveragePrices = () => null,
): AsyncIterable<EquityInstrumentDay> {
  if (!ticks) return;
  const batches = read(ticks, tickColumnsOf(ticks, EVENT_COLUMNS), dates);
  for await (const instrument of instrumentDays(ticks, EVENT_COLUMNS, batches)) {
    warnOfDoubled(ticks, instrument, warn);
    for (const doubt of equityDoubts(instrument)) {
      warn(`${placeOfDay(ticks, instrument)}: ${doubt}`);
    }
    const day = {
      events: { [Symbol.iterator]: () => equityEvents(instrument)[Symbol.iterator]() },
      isHalfDay: isHalfDay(instrument.date),
      averagePrice: averagePrices(instrument),
    };
    yield { instrument, day };
  }
}
