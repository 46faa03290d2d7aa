/** What may be loaded over HTTP. */
import { integer, setting } from '../schema/setting.ts';

const HOUR_MS = 3_600_000;

export const INGEST_SETTINGS = {
  uploadBytesMax: setting(
    'TICKLAKE_UPLOAD_BYTES_MAX',
    integer(0, 1e15),
    16 * 1024 ** 3,
    'Disk space for files that administrators send to be loaded, all together; 0 refuses every one.',
  ),
  uploadExpiryMs: setting(
    'TICKLAKE_UPLOAD_EXPIRY_MS',
    integer(1000, 8760 * HOUR_MS),
    24 * HOUR_MS,
    'Time without a byte after which an upload that was not completed is removed, and after which the report of one that was.',
  ),
};
