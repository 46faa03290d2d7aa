/**
 * Keeps people from having the server write to anybody as often as they like. Each server counts by
 * itself, and anew after a restart.
 */
import type { Clock } from '../base/clock.ts';
import { ApiError } from '../base/errors.ts';
import { RateLimit } from '../base/rate-window.ts';

const HOUR_MS = 3_600_000;
const OF_ACCOUNT_MAX = 20;
const TO_ADDRESS_MAX = 3;
const ENQUIRIES_MAX = 5;
/** Far more than get or send an e-mail within an hour; the least recent makes room. */
const KEYS_MAX = 20_000;
/** E-mails about enquiries; each leads to the list of all that wait. */
const NOTICES_OF_NETWORK_MAX = 1;
const NOTICES_MAX = 20;
const FROM_ALL = 'all networks';

export class MailRate {
  readonly #ofAccounts: RateLimit<number>;
  readonly #toAddresses: RateLimit<string>;
  readonly #enquiries: RateLimit<string>;
  readonly #noticesOfNetworks: RateLimit<string>;
  readonly #notices: RateLimit<string>;

  constructor(clock: Clock) {
    const shared = { clock, windowMs: HOUR_MS, keysMax: KEYS_MAX };
    this.#ofAccounts = new RateLimit({ ...shared, timesMax: OF_ACCOUNT_MAX });
    this.#toAddresses = new RateLimit({ ...shared, timesMax: TO_ADDRESS_MAX });
    this.#enquiries = new RateLimit({ ...shared, timesMax: ENQUIRIES_MAX });
    this.#noticesOfNetworks = new RateLimit({ ...shared, timesMax: NOTICES_OF_NETWORK_MAX });
    this.#notices = new RateLimit({ ...shared, timesMax: NOTICES_MAX });
  }

  /**
   * Counts an e-mail that an account asks for; null: an owner or an administrator's key does, whom
   * only the limit of the address holds. Throws an ApiError 'too many requests', and counts
   * nothing, after too many in an hour.
   */
  count(accountId: number | null, address: string): void {
    const recipient = address.toLowerCase();
    if (this.#toAddresses.isReached(recipient)) {
      throw new ApiError(
        'too many requests',
        `${TO_ADDRESS_MAX} e-mails went to this address within an hour; try again later, or show the link instead`,
      );
    }
    if (accountId !== null && this.#ofAccounts.isReached(accountId)) {
      throw new ApiError(
        'too many requests',
        `The account has sent ${OF_ACCOUNT_MAX} e-mails within an hour; try again later, or show the link instead`,
      );
    }
    this.#toAddresses.count(recipient);
    if (accountId !== null) this.#ofAccounts.count(accountId);
  }

  /** Counts what somebody unknown asks of the owners; throws after too many from a network. */
  countEnquiry(network: string | null): void {
    const from = network ?? 'nowhere';
    if (this.#enquiries.isReached(from)) {
      throw new ApiError(
        'too many requests',
        `${ENQUIRIES_MAX} enquiries came from your network within an hour; try again later`,
      );
    }
    this.#enquiries.count(from);
  }

  /** Counts an e-mail about an enquiry; false where an hour has had as many as owners read. */
  countNotice(network: string | null): boolean {
    const from = network ?? 'nowhere';
    if (this.#noticesOfNetworks.isReached(from) || this.#notices.isReached(FROM_ALL)) return false;
    this.#noticesOfNetworks.count(from);
    this.#notices.count(FROM_ALL);
    return true;
  }
}
