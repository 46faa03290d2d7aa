/** Which row of adjustment factors counts where several are about one event: the first in natural order. */
import type { ComputationInput } from './computation.ts';

/** What tells events apart. */
export interface FactorOfEvent {
  readonly asid: number | null;
  readonly effectiveDate: string;
  readonly reason: string;
  /** Null: an event without a number, which no other row is known to be about. */
  readonly eventId: number | null;
  readonly factor: number | null;
}

export class FirstFactors {
  readonly #known = new Map<string, number | null>();
  readonly #warn: ComputationInput['warn'];

  constructor(warn: ComputationInput['warn']) {
    this.#warn = warn;
  }

  /** Whether a row is the first about its event. `place` names it where its factor is another than the first one's. */
  isFirst(
    { asid, effectiveDate, reason, eventId, factor }: FactorOfEvent,
    place: () => string,
  ): boolean {
    if (eventId === null) return true;
    const identity = [asid, effectiveDate, reason, eventId].join();
    const first = this.#known.get(identity);
    if (first === undefined) {
      this.#known.set(identity, factor);
      return true;
    }
    if (first !== factor) {
      this.#warn(
        `${place()}: two factors of event ${eventId}, ${first} and ${factor}; the first counts`,
      );
    }
    return false;
  }
}
