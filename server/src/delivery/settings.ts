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
  bulkFilesMax: setting(
    'TICKLAKE_BULK_FILES_MAX',
    integer(1, 100_000),
    10_000,
    'Maximum number of files in one manifest; a request that comes to more gets a 422.',
  ),
  bulkScannedBytesMax: setting(
    'TICKLAKE_BULK_SCANNED_BYTES_MAX',
    integer(1, 1e15),
    1e12,
    'Most stored bytes that the files of one manifest may be made of; past it a 422.',
  ),
  bulkDiskBytesMax: setting(
    'TICKLAKE_BULK_DISK_BYTES_MAX',
    integer(64 * 1024 ** 2, 1e15),
    10 * 1024 ** 3,
    'Disk space for files that are made for bulk requests; those not read for the longest go first.',
  ),
  fileSender: setting(
    'TICKLAKE_FILE_SENDER',
    choice(...FILE_SENDERS),
    'server',
    'Who sends files to clients: this `server`, the proxy in front of it, told by a header, or the `object-storage` of the lake where it has a whole file.',
  ),
};
