/**
 * Keeps people from filling the audit log: each of their changes adds a row, and rows are never
 * removed.
 */
import type { Clock } from '../base/clock.ts';
import { ApiError } from '../base/errors.ts';
import { RateLimit } from '../base/rate-limit.ts';
import type { Person } from '../store/people.ts';

/** Far more than anybody does by hand. */
const CHANGES_MAX = 120;
/** Far more people than change something within a minute. */
const PEOPLE_MAX = 20_000;

export class ChangeRate {
  /** By the ids of people. */
  readonly #changes: RateLimit<number>;

  constructor(clock: Clock) {
    this.#changes = new RateLimit({ clock, timesMax: CHANGES_MAX, keysMax: PEOPLE_MAX });
  }

  /** Throws an ApiError 'too many requests' after too many changes in a minute. Owners have no such limit. */
  count({ personId, role }: Pick<Person, 'personId' | 'role'>): void {
    if (role === 'owner') return;
    if (this.#changes.isReached(personId)) {
      throw new ApiError('too many requests', 'Too many changes; try again in a minute');
    }
    this.#changes.count(personId);
  }
}
