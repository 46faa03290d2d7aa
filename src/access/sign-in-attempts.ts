/**
 * Keeps passwords from being guessed: few failed tries a minute from an address and for an e-mail
 * address, whether anybody has it or not. In memory: a start forgives.
 */
import type { Clock } from '../clock.ts';
import { ApiError } from '../errors.ts';
import type { Address } from './subnet.ts';

const FAILURES_MAX = 10;
const WINDOW_MS = 60_000;

/** Far more than the machine can try in a minute; the least recent makes room. */
const SUBJECTS_MAX = 20_000;

/** Words of an IPv6 address that name a network: a single customer has all addresses in it. */
const NETWORK_WORDS = 2;

function addressSubject(address: Address | null): string {
  if (address === null) return 'from nowhere';
  return `from ${(address.length === 1 ? address : address.slice(0, NETWORK_WORDS)).join('.')}`;
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
   * many at the same time do not slip through. Throws an ApiError 429 when there were too many.
   */
  begin(address: Address | null, email: string): () => void {
    const nowMs = this.#clock.now();
    const subjects = [addressSubject(address), `for ${email}`];
    const recent = subjects.map((subject) => this.#recent(subject, nowMs));
    if (recent.some((times) => times.length >= FAILURES_MAX)) {
      throw new ApiError(429, 'Too many failed attempts; try again in a minute');
    }
    subjects.forEach((subject, at) => {
      this.#keep(subject, [...(recent[at] ?? []), nowMs]);
    });
    return () => {
      for (const subject of subjects) this.#forget(subject, nowMs);
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
