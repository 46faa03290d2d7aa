/** Limits how often links can be guessed and e-mail requested. */
import type { Clock } from '../base/clock.ts';
import { ApiError } from '../base/errors.ts';
import type { SharedRates } from '../store/shared.ts';
import { openRate, type Rate } from './rate.ts';

const TIMES_MAX = 20;
/** Far more networks than ask within a minute; the least recent makes room. */
const NETWORKS_MAX = 20_000;

export class LinkRate {
  readonly #rate: Rate;

  /** `shared`: of the store, where servers count together. */
  constructor(clock: Clock, shared: SharedRates | null = null) {
    this.#rate = openRate(shared, { clock, timesMax: TIMES_MAX, keysMax: NETWORKS_MAX });
  }

  /**
   * Rejects with an ApiError 'too many requests' after too many tries from a network in a minute.
   */
  async count(network: string | null): Promise<void> {
    const subject = [`links from ${network ?? 'nowhere'}`];
    if (await this.#rate(subject, subject)) return;
    throw new ApiError('too many requests', 'Too many attempts; try again in a minute');
  }
}
