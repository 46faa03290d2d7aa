/**
 * Keeps passwords from being guessed: few failed tries a minute from a network and for an e-mail
 * address, whether anybody has it or not. Tries from where a person has signed in before are counted
 * by themselves, so that failures elsewhere keep nobody out.
 */
import type { Clock } from '../base/clock.ts';
import { ApiError } from '../base/errors.ts';
import { RateLimit } from '../base/rate-limit.ts';

const FAILURES_MAX = 10;

/** Far more than the machine can try in a minute; the least recent makes room. */
const SUBJECTS_MAX = 20_000;

export interface SignInTry {
  readonly email: string;
  /** Null where nobody knows it. */
  readonly network: string | null;
  /** Whether the person has signed in from that network before. */
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
  readonly #failures: RateLimit<string>;

  constructor(clock: Clock) {
    this.#failures = new RateLimit({ clock, timesMax: FAILURES_MAX, keysMax: SUBJECTS_MAX });
  }

  /**
   * Begins a try, which counts as failed until the returned function is called, so that many at
   * the same time cannot slip through. Throws an ApiError 'too many requests' when there
   * were too many.
   */
  begin(attempt: SignInTry): () => void {
    const { judged, counted } = subjectsOf(attempt);
    if (judged.some((subject) => this.#failures.isReached(subject))) {
      throw new ApiError('too many requests', 'Too many failed attempts; try again in a minute');
    }
    const takeBacks = counted.map((subject) => this.#failures.count(subject));
    return () => {
      for (const takeBack of takeBacks) takeBack();
    };
  }
}
