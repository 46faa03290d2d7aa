/** The budgets of disk and memory, and the fixed share that each use has of them. */

const GIBIBYTE = 1024 ** 3;
const MEBIBYTE = 1024 ** 2;

export const DISK_BYTES_DEFAULT = 64 * GIBIBYTE;
export const MEMORY_BYTES_DEFAULT = 96 * MEBIBYTE;

/** The shares add up to 100. */
export const DISK_SHARES = {
  retention: {
    percent: 22,
    use: 'what only earlier versions hold; past that, the oldest ones go before their time',
  },
  openPublications: {
    percent: 20,
    use: 'what open publications hold before they are committed; a load that needs more is refused',
  },
  staging: {
    percent: 16,
    use: 'rows of one load that do not fit into memory; a load that needs more is refused',
  },
  bulk: {
    percent: 12,
    use: 'files that are made for bulk requests; those not read for the longest go first',
  },
  spool: {
    percent: 10,
    use: 'zip and Parquet files that one load reads from standard input and addresses; a load that needs more is refused',
  },
  uploads: {
    percent: 8,
    use: 'files that administrators send to be loaded, unless `TICKLAKE_UPLOAD_BYTES_MAX` says another number',
  },
  walks: {
    percent: 4,
    use: 'sorted rows of paged queries, from which later pages are read, a quarter of it for one account; past that, each page is sorted again',
  },
  answers: {
    percent: 4,
    use: 'pages that are too large for memory, until they have been sent; past that, a 503',
  },
  lakeCache: { percent: 4, use: 'parts in object storage that are also kept in the home' },
} as const satisfies Readonly<Record<string, { readonly percent: number; readonly use: string }>>;

/** In bytes, of a budget of `bytesMax`. */
export function diskLimits(bytesMax: number) {
  const of = (name: keyof typeof DISK_SHARES, part = 1) =>
    Math.floor((bytesMax * part * DISK_SHARES[name].percent) / 100);
  return {
    retentionBytesMax: of('retention'),
    openPublicationBytesMax: of('openPublications'),
    stagingBytesMax: of('staging'),
    // As much again for what is being made, or about to go.
    bulkDiskBytesMax: of('bulk', 1 / 2),
    spoolBytesMax: of('spool'),
    uploadBytesMax: of('uploads'),
    walkDiskBytesMax: of('walks'),
    walkDiskBytesPerAccountMax: of('walks', 1 / 4),
    answerDiskBytesMax: of('answers'),
    lakeCacheBytesMax: of('lakeCache'),
  };
}

export type DiskLimits = ReturnType<typeof diskLimits>;

export const DEFAULT_DISK_LIMITS: DiskLimits = diskLimits(DISK_BYTES_DEFAULT);

/** A third keeps pages, two thirds hold waiting answers, half of them of one account. */
export function memoryLimits(bytesMax: number) {
  const third = Math.floor(bytesMax / 3);
  return {
    pageCacheBytes: third,
    unsentBytesMax: 2 * third,
    unsentBytesPerAccountMax: third,
  };
}

/** For messages about a share that is used up. */
export const RAISE_DISK_BUDGET = 'raise TICKLAKE_DISK_BYTES_MAX';

/** Bytes of each kind that no setting limits. */
export const BUFFER_LIMITS = {
  /** Requests that wait on their connections. */
  waitingRequests: 32 * MEBIBYTE,
  /** Bodies that are made before they are sent; those that no longer fit go to files. */
  answers: 64 * MEBIBYTE,
  /** Blocks of text that wait for the next pages of the main thread. */
  textBlocks: 16 * MEBIBYTE,
  /** All blocks of text of a worker. */
  sharedBlocks: 48 * MEBIBYTE,
  /** Columns of Arrow pages, kept for the next ones. */
  columns: 32 * MEBIBYTE,
  /** Lists of the parts of files of whole results. */
  files: 64 * MEBIBYTE,
  /** Cut row groups of Parquet files, kept to be used again. */
  cutRowGroups: 32 * MEBIBYTE,
} as const;

/** Each has an engine and blocks of its own, whose memory the engine's setting does not bound. */
export const PAGE_WORKERS_MAX = 4;

interface LimitedBySettings {
  readonly unsentBytesMax: number;
  readonly pageCacheBytes: number;
  /** Workers that write pages. */
  readonly engineThreads: number;
}

/** Bytes by the name of what they are for. The engine's memory for queries comes on top. */
export function bufferLimits(config: LimitedBySettings) {
  const { unsentBytesMax, pageCacheBytes, engineThreads } = config;
  const { waitingRequests, answers, textBlocks, columns, files, cutRowGroups } = BUFFER_LIMITS;
  const workerCount = Math.min(engineThreads, PAGE_WORKERS_MAX);
  return {
    ...{ unsent_answers: unsentBytesMax, page_cache: pageCacheBytes, answers, columns, files },
    ...{ waiting_requests: waitingRequests, cut_row_groups: cutRowGroups },
    text_blocks: textBlocks + BUFFER_LIMITS.sharedBlocks * workerCount,
  };
}
