/** Pages that are kept, in memory or on disk. */
import { integer, setting } from '../schema/setting.ts';

export const PAGE_SETTINGS = {
  pageCacheBytes: setting(
    'TICKLAKE_PAGE_CACHE_BYTES',
    integer(0, 1e12),
    64 * 1024 * 1024,
    'Bytes of recent pages that are kept in memory to be sent again; 0 keeps none.',
  ),
  answerDiskBytesMax: setting(
    'TICKLAKE_ANSWER_DISK_BYTES_MAX',
    integer(0, 1e15),
    8 * 1024 ** 3,
    'Disk space for pages that are too large for memory, until they have been sent; past that, a 503.',
  ),
};
