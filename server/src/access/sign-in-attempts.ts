/**
 * Keeps passwords from being guessed: few failed tries a minute from a network and for an e-mail
 * address, whether anybody has it or not. Tries from where a person has signed in before are
 * counted by themselves, so that failures elsewhere keep nobody out.
 */
import type { Clock } from '../base/clock.ts';
import { ApiError } from '../base/errors.ts';
import type { SharedRates } from '../store/shared.ts';
import { openRate, type Rate } from './rate.ts';

const FAILURES_MAX = 10;

export interface SignInTry {
  readonly email: string;
  /** Null where nobody knows it. */
  readonly network: string | null;
  /** True if the person has signed in from that network before. */
  readonly isFamiliar: boolean;
}

/** The counters that an attempt adds to; those that can refuse it come first. */
function subjectsOf({ email, network, isFamiliar }: SignInTry): {
  readonly judged: readonly string[];
  readonly counted: readonly string[];
} {
  const source = `from ${network ?? 'nowhere'}`;
  if (!isFamiliar) {
    const judged = [source, `for ${email}`];
    return { judged, counted: judged };
  }
  // Somebody else behind the same address cannot keep this person out either, unless by guessing
  // this person's password.
  const own = `at ${network} for ${email}`;
  return { judged: [own], counted: [own, source] };
}

export class SignInAttempts {
  /** Failed and undecided tries, by the network or person that they count for. */
  readonly #failures: Rate;

  constructor(clock: Clock, shared: SharedRates | null = null) {
    this.#failures = openRate(clock, shared, FAILURES_MAX);
  }

  /**
   * Begins a try, which counts as failed until the returned function is called, so that many at
   * the same time cannot slip through. Rejects with an ApiError 'too many requests' when there
   * were too many.
   */
  async begin(attempt: SignInTry): Promise<() => Promise<void>> {
    const { judged, counted } = subjectsOf(attempt);
    const forgive = await this.#failures(judged, counted);
    if (forgive) return forgive;
    throw new ApiError('too many requests', 'Too many failed attempts; try again in a minute');
  }
}
