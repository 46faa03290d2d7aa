/** How much may be loaded over HTTP. */
import { integer, optionalSetting } from '../schema/setting.ts';

const DAY_MS = 86_400_000;

export const INGEST_SETTINGS = {
  uploadBytesMax: optionalSetting(
    'TICKLAKE_UPLOAD_BYTES_MAX',
    integer(0, 1e15),
    'Disk space for files that administrators send to be loaded, all together; if unset, a share of `TICKLAKE_DISK_BYTES_MAX`; 0 refuses every one.',
  ),
};

/** `uploadExpiryMs`: how long an unfinished upload, or the report of a finished one, is kept. */
export const INGEST_LIMITS = { uploadExpiryMs: DAY_MS };
