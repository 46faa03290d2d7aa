/** The object storage of parts, and memory, threads and disk space that the engine may use. */
import { anyText, integer, optionalSetting, setting, textOf } from '../../schema/setting.ts';

const MINUTE_MS = 60_000;

function readOrigin(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, origin, href } = new URL(text);
  return /^https?:$/.test(protocol) && href === `${origin}/` ? origin : undefined;
}

export const DUCKDB_SETTINGS = {
  s3Endpoint: optionalSetting(
    'TICKLAKE_S3_ENDPOINT',
    textOf('an origin such as https://s3.example.com', readOrigin),
    'Address of the object storage; if unset, AWS.',
  ),
  s3Region: optionalSetting(
    'TICKLAKE_S3_REGION',
    textOf('the name of a region such as eu-central-1', (text) =>
      /^[a-z0-9-]{1,64}$/.test(text) ? text : undefined,
    ),
    'Region of the bucket; if unset, that of the AWS environment or profile.',
  ),
  s3PublicEndpoint: optionalSetting(
    'TICKLAKE_S3_PUBLIC_ENDPOINT',
    textOf('an origin such as https://s3.example.com', readOrigin),
    'Address at which clients reach the object storage for files that it sends; if unset, `TICKLAKE_S3_ENDPOINT`.',
  ),
  lakeCacheBytesMax: setting(
    'TICKLAKE_LAKE_CACHE_BYTES_MAX',
    integer(0, 1e15),
    8 * 1024 ** 3,
    'Disk space for parts in object storage that are also kept in the home; 0 keeps none.',
  ),
  extensions: optionalSetting(
    'TICKLAKE_EXTENSIONS',
    anyText,
    "Folder with DuckDB's extension for object storage; if unset, `extensions` in the home.",
  ),
  engineMemoryMegabytes: setting(
    'TICKLAKE_ENGINE_MEMORY_MB',
    integer(64, 1_000_000),
    512,
    'Memory that the engine may use for queries, in megabytes.',
  ),
  engineThreads: setting(
    'TICKLAKE_ENGINE_THREADS',
    integer(1, 256),
    2,
    'Threads that the engine may use for queries.',
  ),
  walkDiskBytesMax: setting(
    'TICKLAKE_WALK_DISK_BYTES_MAX',
    integer(0, 1e15),
    4 * 1024 ** 3,
    'Disk space for the sorted rows of paged queries, from which later pages are read; 0 keeps none.',
  ),
  walkDiskBytesPerIdentityMax: setting(
    'TICKLAKE_WALK_DISK_BYTES_PER_IDENTITY_MAX',
    integer(0, 1e15),
    1024 ** 3,
    'Disk space for the sorted rows of one account; a paged query that needs more is sorted again for each page.',
  ),
  walkRowsMax: setting(
    'TICKLAKE_WALK_ROWS_MAX',
    integer(0, 1e12),
    20_000_000,
    'Maximum number of sorted rows kept for one paged query; with more, each page is sorted again.',
  ),
  walkIdleMs: setting(
    'TICKLAKE_WALK_IDLE_MS',
    integer(10, 24 * 60 * MINUTE_MS),
    5 * MINUTE_MS,
    'Time after the last page was read at which the sorted rows of a paged query are removed.',
  ),
  stagingBytesMax: setting(
    'TICKLAKE_STAGING_BYTES_MAX',
    integer(64 * 1024 * 1024, 1e15),
    32 * 1024 ** 3,
    'Disk space for the rows of one load that do not fit into memory; a load that needs more is refused.',
  ),
};
