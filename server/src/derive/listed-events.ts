/** The rows about corporate events that count: each event once. */
import { decides, KnownEvents, type ListedEvent } from '../adjustments/factor-events.ts';
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

/**
 * Throws where two rows contradict each other: nobody could tell which prices are right. `mark` is
 * by which the right one can be told.
 */
export function requireOneFactor(
  place: string,
  first: ListedEvent,
  other: ListedEvent,
  mark = 'an EventId below 0',
): void {
  if (first.factor === other.factor) return;
  throw new UsageError(
    `${place}: two factors of one ${first.reason}, ${rowText(first)} and ${rowText(other)}; ` +
      `append the right one, or the product of both, with ${mark}, which decides`,
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
    if (decides(first) && !decides(event)) return false;
    if (decides(event) && !decides(first)) {
      const text = `${rowText(event)} cannot decide about ${rowText(first)}`;
      throw new UsageError(`${place()}: ${text}: their SecIds differ`);
    }
    requireOneFactor(place(), first, event);
    if (first.eventId === null || first.eventId !== event.eventId) {
      const rows = `${rowText(first)} and ${rowText(event)}`;
      this.#warn(`${place()}: one ${event.reason} is there twice, as ${rows}; it counts once`);
    }
    return false;
  }
}
