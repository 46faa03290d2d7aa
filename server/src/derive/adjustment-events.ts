/** The adjustment factors that a computation needs. */
import type { AdjustmentEvent } from '@ticklake/market/adjustment.ts';
import { type ColumnVector, dateOfDays } from '../engine/columns.ts';
import { doubleReader, textReader } from '../engine/gathered-columns.ts';
import type { ComputationInput } from './computation.ts';
import { ListedEvents } from './listed-events.ts';

const COLUMNS = [
  'ASID',
  'Ticker',
  'EffectiveDate',
  'AdjustmentFactor',
  'AdjustmentReason',
  'EventId',
];

export interface FactorEvents {
  /** Those of securities with an id. */
  readonly events: readonly AdjustmentEvent[];
  /** Tickers of all events, with an id or without. */
  readonly tickers: ReadonlySet<string>;
}

function numberOrNull(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}

/** The events that restate rows of the first date or later. */
export async function readFactorEvents({
  inputs: [, factors],
  dates,
  read,
  warn,
}: ComputationInput): Promise<FactorEvents> {
  const events: AdjustmentEvent[] = [];
  const tickers = new Set<string>();
  const listed = new ListedEvents(warn);
  if (!factors) return { events, tickers };
  for await (const { columns, rowCount } of read(factors, COLUMNS, null)) {
    const vectors = columns as [
      ColumnVector,
      ColumnVector,
      ColumnVector,
      ColumnVector,
      ColumnVector,
      ColumnVector,
    ];
    const [asid, ticker, day, factor, reason, event] = vectors;
    const numbers = [asid, day, factor, event].map(doubleReader);
    const [tickerOf, reasonOf] = [textReader(ticker), textReader(reason)];
    for (let row = 0; row < rowCount; row++) {
      const [id, days, value, eventId] = numbers.map((doubleAt) => doubleAt(row)) as [
        number,
        number,
        number,
        number,
      ];
      if (Number.isNaN(days) || Number.isNaN(value)) continue;
      const effectiveDate = dateOfDays(days);
      if (effectiveDate <= dates.start) continue;
      if (value <= 0) {
        warn(
          `${factors.textId} ${effectiveDate} ${tickerOf(row)}: the factor ${value} is left out`,
        );
        continue;
      }
      const event = { effectiveDate, factor: value, reason: reasonOf(row) ?? '' };
      const security = numberOrNull(id) ?? tickerOf(row);
      const known = { ...event, security, eventId: numberOrNull(eventId) };
      const place = () => `${factors.textId} ${effectiveDate} ${tickerOf(row)}`;
      if (!listed.counts(known, place)) continue;
      tickers.add(tickerOf(row) ?? '');
      if (!Number.isNaN(id)) events.push({ asid: id, ...event });
    }
  }
  return { events, tickers };
}
