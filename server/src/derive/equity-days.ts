/** The days of equities as the market's computations take them. */
import { isHalfDay } from '@ticklake/market/calendar.ts';
import type { EquityDay } from '@ticklake/market/equity-day.ts';
import type { EquityEvent, EquityEventType } from '@ticklake/market/events.ts';
import type { ComputationInput } from './computation.ts';
import { type Doubles, orZero } from './gathered-columns.ts';
import { type InstrumentDay, instrumentDays, tickColumnsOf } from './instrument-days.ts';

const EVENT_COLUMNS = {
  texts: ['EventType', 'Exchange'],
  numbers: ['Price', 'Quantity', 'ConditionCode'],
};

/** Makes an event when it is asked for: a day may have millions. */
function* equityEvents({ events }: InstrumentDay): Iterable<EquityEvent> {
  const [types, exchanges] = events.texts as [(string | null)[], (string | null)[]];
  const [prices, quantities, conditions] = events.numbers as [Doubles, Doubles, Doubles];
  const { nanosOfDay, length } = events;
  for (let i = 0; i < length; i++) {
    yield {
      nanosOfDay: nanosOfDay.at(i),
      type: types[i] as EquityEventType,
      price: orZero(prices, i),
      quantity: orZero(quantities, i),
      exchange: exchanges[i] ?? 'UNKNOWN',
      conditions: orZero(conditions, i),
    };
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
  { inputs: [ticks], dates, read }: ComputationInput,
  averagePrices: AveragePrices = () => null,
): AsyncIterable<EquityInstrumentDay> {
  if (!ticks) return;
  const batches = read(ticks, tickColumnsOf(ticks, EVENT_COLUMNS), dates);
  for await (const instrument of instrumentDays(ticks, EVENT_COLUMNS, batches)) {
    const day = {
      events: { [Symbol.iterator]: () => equityEvents(instrument)[Symbol.iterator]() },
      isHalfDay: isHalfDay(instrument.date),
      averagePrice: averagePrices(instrument),
    };
    yield { instrument, day };
  }
}
