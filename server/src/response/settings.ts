/** Pages that are kept or read ahead. */
import { integer, setting } from '../schema/setting.ts';

export const PAGE_SETTINGS = {
  pageCacheBytes: setting(
    'TICKLAKE_PAGE_CACHE_BYTES',
    integer(0, 1e12),
    64 * 1024 * 1024,
    'Bytes of recent pages that are kept in memory to be sent again; 0 keeps none.',
  ),
};
