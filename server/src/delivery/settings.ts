/** Files of whole results, and the links to them. */
import { choice, integer, setting } from '../schema/setting.ts';

const FILE_SENDERS = ['server', 'x-accel-redirect', 'x-sendfile', 'object-storage'] as const;

const HOUR_MS = 3_600_000;

export const DELIVERY_SETTINGS = {
  linkLifetimeMs: setting(
    'TICKLAKE_LINK_LIFETIME_MS',
    integer(60_000, 7 * 24 * HOUR_MS),
    12 * HOUR_MS,
    'Time after which links to files expire.',
  ),
  fileSender: setting(
    'TICKLAKE_FILE_SENDER',
    choice(...FILE_SENDERS),
    'server',
    'Who sends files to clients: this `server`, the proxy in front of it, told by a header, or the `object-storage` of the lake where it has a whole file.',
  ),
};

export const DELIVERY_LIMITS = {
  /** In one manifest; a request that comes to more gets a 422. */
  bulkFilesMax: 10_000,
  /** Stored bytes that the files of one manifest may be made of; past it a 422. */
  bulkScannedBytesMax: 1e12,
};
