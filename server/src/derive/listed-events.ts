/** The rows about corporate events that count: each event once. */
import { KnownEvents, type ListedEvent } from '../adjustments/factor-events.ts';
import { UsageError } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { ComputationInput } from './computation.ts';

interface EventPlace {
  readonly EffectiveDate: string | null;
  readonly Ticker: string | null;
  readonly ASID: number | null;
  readonly SecId?: number | null;
}

/** Dataset, day and symbol, as warnings name them. */
export function placeOfEvent(
  { textId }: Dataset,
  { EffectiveDate, Ticker, ASID, SecId }: EventPlace,
): string {
  return `${textId} ${EffectiveDate} ${Ticker ?? ASID ?? SecId ?? 'without a ticker'}`;
}

const rowText = ({ factor, eventId }: ListedEvent) =>
  `${factor} (${eventId === null ? 'no EventId' : `EventId ${eventId}`})`;

/** Throws where two rows contradict each other: nobody could tell which prices are right. */
export function requireOneFactor(place: string, first: ListedEvent, other: ListedEvent): void {
  if (first.factor === other.factor) return;
  throw new UsageError(
    `${place}: two factors of one ${first.reason}, ${rowText(first)} and ${rowText(other)}; ` +
      'load the events again without the wrong one, or with the product of both as one',
  );
}

export class ListedEvents {
  readonly #known = new KnownEvents();
  readonly #warn: ComputationInput['warn'];

  constructor(warn: ComputationInput['warn']) {
    this.#warn = warn;
  }

  /**
   * True if a row is the first about its event. Others are named by `place`: equal ones are a
   * warning, unless they have one number.
   */
  counts(event: ListedEvent, place: () => string): boolean {
    const first = this.#known.firstOf(event);
    if (!first) return true;
    requireOneFactor(place(), first, event);
    if (first.eventId === null || first.eventId !== event.eventId) {
      const rows = `${rowText(first)} and ${rowText(event)}`;
      this.#warn(`${place()}: one ${event.reason} is there twice, as ${rows}; it counts once`);
    }
    return false;
  }
}
