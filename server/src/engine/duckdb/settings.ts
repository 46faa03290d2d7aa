/** The object storage of parts, and memory, threads and disk space that the engine may use. */
import { anyText, integer, optionalSetting, setting, textOf } from '../../schema/setting.ts';

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
    'Threads that the engine may use for queries, and as many, up to 4, that make large JSON, CSV and gzip pages.',
  ),
};

export const READING_LIMITS = {
  /** Sorted rows kept for one paged query; with more, each page is sorted again. */
  walkRowsMax: 20_000_000,
  /** After the last page was read; then its sorted rows are removed. */
  walkIdleMs: 300_000,
  /** Cells of a page for a worker: fewer are written sooner than they are handed over. */
  workerCellsMin: 16_384,
};
