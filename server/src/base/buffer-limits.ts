/** The memory that a server's buffers may take up, in one place, so that its sum is known. */

const MEBIBYTE = 1024 * 1024;

/** Bytes of each kind that no setting limits. */
export const BUFFER_LIMITS = {
  /** Requests that wait on their connections. */
  waitingRequests: 32 * MEBIBYTE,
  /** Bodies that are made before they are sent; those that no longer fit go to files. */
  answers: 64 * MEBIBYTE,
  /** Columns of Arrow pages, kept for the next ones. */
  columns: 32 * MEBIBYTE,
  /** Where the bytes of files of whole results lie. */
  files: 64 * MEBIBYTE,
  /** Cut row groups of Parquet files, kept to be used again. */
  cutRowGroups: 32 * MEBIBYTE,
} as const;

interface LimitedBySettings {
  readonly unsentBytesMax: number;
  readonly pageCacheBytes: number;
}

/** Bytes by the name of what they are for. The engine's memory for queries comes on top. */
export function bufferLimits({ unsentBytesMax, pageCacheBytes }: LimitedBySettings) {
  const { waitingRequests, answers, columns, files, cutRowGroups } = BUFFER_LIMITS;
  return {
    ...{ unsent_answers: unsentBytesMax, page_cache: pageCacheBytes, answers, columns, files },
    ...{ waiting_requests: waitingRequests, cut_row_groups: cutRowGroups },
  };
}
