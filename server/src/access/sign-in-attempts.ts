/**
 * Keeps passwords from being guessed: few failed tries a minute from a network and for an e-mail
 * address, whether anybody has it or not. Tries from where a person has signed in before are counted
 * by themselves, so that failures elsewhere keep nobody out. In memory: a start forgives.
 */
import type { Clock } from '../base/clock.ts';
import { ApiError } from '../base/errors.ts';

const FAILURES_MAX = 10;
const WINDOW_MS = 60_000;

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
  readonly #clock: Clock;
  /** Times of failures, and of tries that are not decided yet, by whom they are about. */
  readonly #timesOf = new Map<string, number[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Begins a try, which counts as failed until the function that is returned is called: so that
   * many at the same time do not slip through. Throws an ApiError 'too many requests' when there were too many.
   */
  begin(attempt: SignInTry): () => void {
    const nowMs = this.#clock.now();
    const { judged, counted } = subjectsOf(attempt);
    if (judged.some((subject) => this.#recent(subject, nowMs).length >= FAILURES_MAX)) {
      throw new ApiError('too many requests', 'Too many failed attempts; try again in a minute');
    }
    for (const subject of counted) this.#keep(subject, [...this.#recent(subject, nowMs), nowMs]);
    return () => {
      for (const subject of counted) this.#forget(subject, nowMs);
    };
  }

  #recent(subject: string, nowMs: number): number[] {
    const times = this.#timesOf.get(subject) ?? [];
    // Also where the clock was set back.
    return times.filter((timeMs) => Math.abs(nowMs - timeMs) < WINDOW_MS);
  }

  #keep(subject: string, times: number[]): void {
    this.#timesOf.delete(subject);
    this.#timesOf.set(subject, times);
    if (this.#timesOf.size <= SUBJECTS_MAX) return;
    for (const oldest of this.#timesOf.keys()) {
      this.#timesOf.delete(oldest);
      return;
    }
  }

  #forget(subject: string, timeMs: number): void {
    const times = this.#timesOf.get(subject) ?? [];
    const at = times.indexOf(timeMs);
    if (at !== -1) times.splice(at, 1);
    if (times.length === 0) this.#timesOf.delete(subject);
  }
}
