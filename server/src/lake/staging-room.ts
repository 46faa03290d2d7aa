/** What open publications may hold that nobody has committed yet. */
import { UsageError } from '../base/errors.ts';
import type { KeptTotals } from '../store/kept-parts.ts';
import { OPEN_PUBLICATION_SETTINGS, type OpenPublicationLimits } from './settings.ts';

type StagingLimits = Pick<
  OpenPublicationLimits,
  'openPublicationPartitionsMax' | 'openPublicationBytesMax'
>;

/** `what` as in: more than 100,000 partitions. */
function tooMuch(name: keyof StagingLimits, limit: number, what: string): UsageError {
  return new UsageError(
    `open publications would hold more than ${limit.toLocaleString('en-US')} ${what} that are not ` +
      `committed; commit or abandon one, or raise ${OPEN_PUBLICATION_SETTINGS[name].environment}`,
  );
}

/** Counts what is added to it. The publishing lock is held, so that nobody else adds anything. */
export class StagingRoom {
  readonly #limits: StagingLimits;
  #partCount: number;
  #byteCount: number;

  /** `held`: what open publications hold already. */
  constructor(limits: StagingLimits, held: KeptTotals) {
    this.#limits = limits;
    this.#partCount = held.partCount;
    this.#byteCount = held.storedByteCount;
  }

  /** Less than nothing gives some back. Throws a `UsageError` where open publications would hold too much. */
  add({ partCount, storedByteCount }: KeptTotals): void {
    const { openPublicationPartitionsMax, openPublicationBytesMax } = this.#limits;
    this.#partCount += partCount;
    this.#byteCount += storedByteCount;
    if (this.#partCount > openPublicationPartitionsMax) {
      const limit = openPublicationPartitionsMax;
      throw tooMuch('openPublicationPartitionsMax', limit, 'partitions');
    }
    if (this.#byteCount > openPublicationBytesMax) {
      throw tooMuch('openPublicationBytesMax', openPublicationBytesMax, 'bytes');
    }
  }
}
