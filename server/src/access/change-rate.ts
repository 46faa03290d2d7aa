/**
 * Keeps people from filling the audit log, of which nothing is ever removed: each of their changes
 * is a row. In memory: a start forgives.
 */
import type { Clock } from '../base/clock.ts';
import { ApiError } from '../base/errors.ts';
import type { Person } from '../store/people.ts';

/** Far more than anybody does by hand. */
const CHANGES_MAX = 120;
const WINDOW_MS = 60_000;

interface Minute {
  readonly startMs: number;
  count: number;
}

export class ChangeRate {
  readonly #clock: Clock;
  /** By the ids of people, of whom there are few. */
  readonly #minutes = new Map<number, Minute>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** An ApiError 'too many requests' for too many in a minute. Owners, who may do everything, are not held up. */
  count({ personId, role }: Pick<Person, 'personId' | 'role'>): void {
    if (role === 'owner') return;
    const nowMs = this.#clock.now();
    let minute = this.#minutes.get(personId);
    // Also where the clock was set back.
    if (!minute || Math.abs(nowMs - minute.startMs) >= WINDOW_MS) {
      minute = { startMs: nowMs, count: 0 };
      this.#minutes.set(personId, minute);
    }
    if (minute.count >= CHANGES_MAX) {
      throw new ApiError('too many requests', 'Too many changes; try again in a minute');
    }
    minute.count += 1;
  }
}
