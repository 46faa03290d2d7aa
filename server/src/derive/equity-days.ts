/** The days of equities as the market's computations take them. */
import { isHalfDay } from '@ticklake/market/calendar.ts';
import type { EquityDay } from '@ticklake/market/equity-day.ts';
import type { EquityEvent, EquityEventType } from '@ticklake/market/events.ts';
import { type Codes, type Doubles, orZero } from '../engine/gathered-columns.ts';
import type { ComputationInput } from './computation.ts';
import { warnOfDoubled } from './doubled-events.ts';
import { equityDoubts } from './equity-doubts.ts';
import {
  type EventColumns,
  type GatheredEvents,
  type InstrumentDay,
  instrumentDays,
  placeOfDay,
  tickColumnsOf,
} from './instrument-days.ts';

const NUMBERS = ['Price', 'Quantity', 'ConditionCode'];
export const EQUITY_EVENTS = { texts: ['EventType', 'Exchange'], numbers: NUMBERS };
/** For what looks at trades alone, wherever they were made. */
export const EQUITY_TRADES = { texts: ['EventType'], numbers: NUMBERS };

type Changing<T> = { -readonly [K in keyof T]: T[K] };

/** One object for all of a day's events, which may be millions: each counts until the next is asked for. */
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
    event.quantity = orZero(numbers[1] as Doubles, i);
    event.exchange = texts[1]?.textAt(i) ?? 'UNKNOWN';
    event.conditions = orZero(numbers[2] as Doubles, i);
    return this.#next;
  }
}

const END: IteratorResult<EquityEvent> = { done: true, value: undefined };

export interface EquityInstrumentDay {
  readonly instrument: InstrumentDay;
  readonly day: EquityDay;
}

/** Average prices in dollars of instruments before a date, by permanent id or ticker; null: unknown. */
export type AveragePrices = (instrument: InstrumentDay) => number | null;

/**
 * The equities of the first input, one day after the other, in the order of their tickers. `columns`:
 * `EQUITY_EVENTS` or `EQUITY_TRADES`.
 */
export async function* equityDays(
  { inputs: [ticks], dates, read, warn }: ComputationInput,
  columns: EventColumns,
  averagePrices: AveragePrices = () => null,
): AsyncIterable<EquityInstrumentDay> {
  if (!ticks) return;
  const batches = read(ticks, tickColumnsOf(ticks, columns), dates);
  for await (const instrument of instrumentDays(ticks, columns, batches)) {
    warnOfDoubled(ticks, instrument, warn);
    for (const doubt of equityDoubts(instrument)) {
      warn(`${placeOfDay(ticks, instrument)}: ${doubt}`);
    }
    const day = {
      events: { [Symbol.iterator]: () => new EquityEvents(instrument) },
      isHalfDay: isHalfDay(instrument.date),
      averagePrice: averagePrices(instrument),
    };
    yield { instrument, day };
  }
}
