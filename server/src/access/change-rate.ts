/**
 * Keeps people from filling the audit log, of which nothing is ever removed: each of their changes
 * is a row.
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

  /** An ApiError 'too many requests' for too many in a minute. Owners, who may do everything, are not held up. */
  count({ personId, role }: Pick<Person, 'personId' | 'role'>): void {
    if (role === 'owner') return;
    if (this.#changes.isReached(personId)) {
      throw new ApiError('too many requests', 'Too many changes; try again in a minute');
    }
    this.#changes.count(personId);
  }
}
