/**
 * Keeps people from filling the audit log: each of their changes adds a row, and rows are never
 * removed.
 */
import type { Clock } from '../base/clock.ts';
import { ApiError } from '../base/errors.ts';
import type { Person } from '../store/people.ts';
import type { SharedRates } from '../store/shared.ts';
import { openRate, type Rate } from './rate.ts';

/** Far more than anybody does by hand. */
const CHANGES_MAX = 120;
/** Far more people than change something within a minute. */
const PEOPLE_MAX = 20_000;

export class ChangeRate {
  readonly #rate: Rate;

  /** `shared`: of the store, where servers count together. */
  constructor(clock: Clock, shared: SharedRates | null = null) {
    this.#rate = openRate(shared, { clock, timesMax: CHANGES_MAX, keysMax: PEOPLE_MAX });
  }

  /**
   * Rejects with an ApiError 'too many requests' after too many changes in a minute. Owners have no
   * such limit.
   */
  async count({ personId, role }: Pick<Person, 'personId' | 'role'>): Promise<void> {
    if (role === 'owner') return;
    const subject = [`changes by person ${personId}`];
    if (await this.#rate(subject, subject)) return;
    throw new ApiError('too many requests', 'Too many changes; try again in a minute');
  }
}
