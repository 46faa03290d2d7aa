/** Tells rows of adjustment factors that are about one corporate event. */
import { changesShares } from '@ticklake/market/adjustment.ts';

export interface ListedEvent {
  /** Id of the security or, without one, its ticker. */
  readonly security: number | string | null;
  readonly effectiveDate: string;
  readonly reason: string;
  readonly eventId: number | null;
  readonly factor: number | null;
}

/**
 * Rows are about one event if they have its number. Vendors list events under several numbers, or none: of the rows
 * of a security and a day, those with one factor are one event, and so are all that change shares for one
 * reason. Two dividends of a day are two.
 */
function keysOf({ security, effectiveDate, reason, eventId, factor }: ListedEvent): string[] {
  const place = [security, effectiveDate, reason].join();
  if (changesShares(reason)) return [place];
  return [`${place} = ${factor}`, ...(eventId === null ? [] : [`${place} # ${eventId}`])];
}

export class KnownEvents<Event extends ListedEvent = ListedEvent> {
  readonly #events = new Map<string, Event>();

  /** The first row about the same event; null: this one is the first. */
  firstOf(event: Event): Event | null {
    const keys = keysOf(event);
    const first = keys.map((key) => this.#events.get(key)).find((known) => known !== undefined);
    for (const key of first ? [] : keys) this.#events.set(key, event);
    return first ?? null;
  }
}
