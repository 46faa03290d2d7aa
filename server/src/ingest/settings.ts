/** What may be loaded over HTTP, from standard input and from addresses. */
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
  spoolBytesMax: setting(
    'TICKLAKE_SPOOL_BYTES_MAX',
    integer(0, 1e15),
    32 * 1024 ** 3,
    'Disk space for zip and Parquet files that one load reads from standard input and addresses; a load that needs more is refused.',
  ),
};
