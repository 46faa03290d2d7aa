/**
 * Files that administrators send over HTTP to be loaded. One may come in several requests, each of which
 * goes on where the last one ended, and across restarts of the server; then it is loaded.
 */
import type { Clock } from '../../base/clock.ts';
import { ApiError } from '../../base/errors.ts';
import type { DeriveFrom } from './derive-in-process.ts';
import type { LoadUpload } from './load-in-process.ts';
import type { LoadEnd, NewUpload, Upload } from './upload.ts';

export const UPLOADS_PER_ACTOR_MAX = 8;
export const UPLOADS_MAX = 1000;
export const LOADS_WAITING_MAX = 16;
export const EXPIRY_CHECK_MS = 60_000;

export interface UploadsOptions {
  /** For files on their way, and where they lie to be loaded. */
  readonly folder: string;
  /** Where it is noted what is to be derived after loads. */
  readonly dueFile: string;
  /** Whether other servers share the store: each has its own uploads. */
  readonly isOneOfSeveral: boolean;
  readonly clock: Clock;
  readonly uploadBytesMax: number;
  readonly uploadExpiryMs: number;
  readonly load: LoadUpload;
  /** Null: nothing is derived after loads. */
  readonly derive: DeriveFrom | null;
}

/** What is known of an upload changes with each step, also in the object that it is given. */
export interface Uploads {
  /** Told of loads that failed without a fault of the file. */
  onFailure: (text: string) => void;

  expiresAtMs(upload: Upload): number;

  /** Rejects with an ApiError where there is no room for another one. */
  create(given: NewUpload): Promise<Upload>;

  /** Rejects with an ApiError 'not found'. */
  find(uploadId: string): Promise<Upload>;

  /** Appends what comes. What has come stays, also where the rest does not. */
  receive(upload: Upload, offset: number, chunks: AsyncIterable<Buffer>): Promise<void>;

  /** Has an upload loaded when its turn comes. Rejects with an ApiError where too many wait. */
  complete(upload: Upload): Promise<void>;

  /** Resolves when the load of an upload has ended, or else after some time. */
  waitForEnd(upload: Upload, waitMs: number): Promise<void>;

  /** Rejects with an ApiError while it is loaded. */
  remove(upload: Upload): Promise<void>;

  /** Has nobody wait for the end of a load any more: the server stops. */
  stopWaiting(): void;

  close(): Promise<void>;
}

export function failedEnd(error: string): LoadEnd {
  return { state: 'failed', report: null, error, allowedBy: null };
}

/** The end of a load that threw, as its sender reads it. */
export const LOAD_FAILED = failedEnd('the load failed; the log of the server says why');
export const LOAD_LOST = failedEnd(
  'the server was killed during the load; check the publications of the dataset',
);

export const REFUSALS = {
  off: () =>
    new ApiError('forbidden', 'This server takes no files: TICKLAKE_UPLOAD_BYTES_MAX is 0'),
  ofActor: () =>
    new ApiError(
      'too many requests',
      `${UPLOADS_PER_ACTOR_MAX} uploads of yours are open; complete or delete one`,
    ),
  all: () => new ApiError('unavailable', 'Too many uploads are kept; delete some of them'),
  unknown: () => new ApiError('not found', 'There is no such upload, or it has expired'),
  elsewhere: () =>
    new ApiError(
      'not found',
      'This server has no such upload, or it has expired. Other servers may have it: have the load balancer ' +
        'send all requests of an upload to the server that began it',
    ),
  offset: (expected: number, given: number) =>
    new ApiError('conflict', `The next byte is ${expected}, not ${given} (in 'Upload-Offset')`),
  complete: (state: string) => new ApiError('conflict', `The upload is complete: ${state}`),
  sending: () => new ApiError('conflict', 'Another request is still sending to this upload'),
  waiting: () =>
    new ApiError('unavailable', 'Too many loads are waiting; complete the upload later'),
  inUse: () => new ApiError('conflict', 'The upload is in use; delete it later'),
  bytes: (bytesMax: number) =>
    new ApiError(
      'unavailable',
      `Uploads may take ${bytesMax} bytes together; complete or delete others`,
    ),
} as const;
