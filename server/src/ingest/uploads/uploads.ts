/**
 * Files that administrators send over HTTP to be loaded. One may come in several requests, each of
 * which goes on where the last one ended, and across restarts of the server; then it is loaded.
 */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../../base/clock.ts';
import { freeBytes } from '../../base/disk-problem.ts';
import { ApiError } from '../../base/errors.ts';
import { failureText } from '../../base/failure-text.ts';
import { DUE_DERIVATIONS_FILE } from '../../base/home-layout.ts';
import { soon } from '../../base/last-known.ts';
import { type DeriveFrom, DueDerivations } from './due-derivations.ts';
import type { LoadUpload } from './load-in-process.ts';
import { LoadQueue } from './load-queue.ts';
import { hasEnded, type LoadEnd, type NewUpload, newUpload, type Upload } from './upload.ts';
import { UploadFolder } from './upload-folder.ts';

const UPLOADS_PER_ACTOR_MAX = 8;
const UPLOADS_MAX = 1000;
const LOADS_WAITING_MAX = 16;
const EXPIRY_CHECK_MS = 60_000;

export interface UploadsOptions {
  /** For files on their way, and the note of what is to be derived after loads. */
  readonly home: string;
  /** The address of a store that servers share; null: there is one server. */
  readonly store: object | null;
  readonly clock: Clock;
  readonly uploadBytesMax: number;
  readonly uploadExpiryMs: number;
  readonly load: LoadUpload;
  /** Null: nothing is derived after loads. */
  readonly derive: DeriveFrom | null;
}

function failedEnd(error: string): LoadEnd {
  return { state: 'failed', report: null, error, allowedBy: null };
}

/** The end of a load that threw, as its sender reads it. */
const LOAD_FAILED = failedEnd('the load failed; the log of the server says why');
const LOAD_LOST = failedEnd(
  'the server was killed during the load; check the publications of the dataset',
);

const REFUSALS = {
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

/** Less free space than this is left to everything else. */
const DISK_FREE_BYTES_MIN = 512 * 1024 * 1024;

/** The files that are sent. An `Upload` that is handed out changes with each step. */
export class Uploads {
  readonly #options: UploadsOptions;
  readonly #folder: UploadFolder;
  readonly #queue = new LoadQueue(LOADS_WAITING_MAX);
  readonly #due: DueDerivations;
  readonly #uploads = new Map<string, Upload>();
  readonly #ends = new Map<string, Promise<void>>();
  readonly #receiving = new Set<string>();
  readonly #expiryCheck: NodeJS.Timeout;
  readonly #stopping = Promise.withResolvers<void>();
  #hear: ((text: string) => void) | null = null;
  readonly #unheard: string[] = [];

  constructor(options: UploadsOptions) {
    const { home, derive } = options;
    this.#options = options;
    this.#folder = new UploadFolder(join(home, 'uploads'));
    this.#due = new DueDerivations({
      dueFile: join(home, DUE_DERIVATIONS_FILE),
      queue: this.#queue,
      derive,
      onFailure: (text) => this.#fail(text),
    });
    for (const upload of this.#folder.readAll()) {
      this.#uploads.set(upload.uploadId, upload);
      if (upload.state === 'waiting') this.#enqueue(upload);
      // Nobody saw its end.
      if (upload.state === 'loading') this.#end(upload, LOAD_LOST);
    }
    this.#expiryCheck = setInterval(() => this.#expire(), EXPIRY_CHECK_MS);
    this.#expiryCheck.unref();
  }

  /** Called with failures that are no fault of a file, those before it was set among them. */
  set onFailure(hear: (text: string) => void) {
    this.#hear = hear;
    for (const text of this.#unheard.splice(0)) hear(text);
  }

  expiresAtMs({ changedAtMs }: Upload): number {
    return changedAtMs + this.#options.uploadExpiryMs;
  }

  /** Rejects with an ApiError where there is no room for another one. */
  async create(given: NewUpload): Promise<Upload> {
    this.#expire();
    const open = [...this.#uploads.values()].filter((upload) => !hasEnded(upload));
    const ofActor = open.filter(({ actor }) => actor === given.actor);
    if (this.#options.uploadBytesMax === 0) throw REFUSALS.off();
    if (ofActor.length >= UPLOADS_PER_ACTOR_MAX) throw REFUSALS.ofActor();
    if (this.#uploads.size >= UPLOADS_MAX) throw REFUSALS.all();
    const upload = newUpload(given, this.#options.clock.now());
    this.#folder.write(upload);
    this.#uploads.set(upload.uploadId, upload);
    return upload;
  }

  /** Rejects with an ApiError 'not found'. */
  async find(uploadId: string): Promise<Upload> {
    this.#expire();
    const upload = this.#uploads.get(uploadId);
    if (upload) return upload;
    throw this.#options.store === null ? REFUSALS.unknown() : REFUSALS.elsewhere();
  }

  /** Appends what comes. Bytes that have come stay, even if the rest does not come. */
  async receive(upload: Upload, offset: number, chunks: AsyncIterable<Buffer>): Promise<void> {
    this.#requireReceiving(upload);
    if (offset !== upload.offset) throw REFUSALS.offset(upload.offset, offset);
    this.#receiving.add(upload.uploadId);
    const file = createWriteStream(this.#folder.fileOf(upload), { flags: 'a', mode: 0o600 });
    const closed = new Promise((resolve) => file.once('close', resolve));
    try {
      await pipeline(chunks, (source) => this.#withRoom(upload, source), file);
    } finally {
      await closed;
      this.#receiving.delete(upload.uploadId);
      upload.offset = this.#folder.sizeOf(upload) ?? 0;
      upload.changedAtMs = this.#options.clock.now();
      this.#folder.write(upload);
    }
  }

  /** Has an upload loaded when its turn comes. Rejects with an ApiError where too many wait. */
  async complete(upload: Upload): Promise<void> {
    this.#requireReceiving(upload);
    if (this.#queue.isFull) throw REFUSALS.waiting();
    try {
      this.#note(upload, 'waiting');
    } catch (error) {
      // Else it would wait for good: nobody would load it, and it could not be deleted.
      upload.state = 'receiving';
      throw error;
    }
    this.#enqueue(upload);
  }

  /** Resolves when the load of an upload has ended, or else after some time. */
  async waitForEnd(upload: Upload, waitMs: number): Promise<void> {
    await soon(
      Promise.race([this.#ends.get(upload.uploadId), this.#stopping.promise]),
      waitMs,
      null,
    );
  }

  /** Rejects with an ApiError while it is loaded. */
  async remove(upload: Upload): Promise<void> {
    const isBusy = upload.state === 'waiting' || upload.state === 'loading';
    if (isBusy || this.#receiving.has(upload.uploadId)) throw REFUSALS.inUse();
    this.#forget(upload);
  }

  #forget(upload: Upload): void {
    this.#uploads.delete(upload.uploadId);
    this.#folder.remove(upload);
  }

  /** Ends all waiting for loads: the server stops. */
  stopWaiting(): void {
    this.#stopping.resolve();
  }

  async close(): Promise<void> {
    clearInterval(this.#expiryCheck);
    await this.#queue.close();
  }

  #fail(text: string): void {
    if (this.#hear) this.#hear(text);
    else this.#unheard.push(text);
  }

  #enqueue(upload: Upload): void {
    const end = this.#queue.add((signal) => this.#load(upload, signal));
    this.#ends.set(upload.uploadId, end);
  }

  #requireReceiving({ uploadId, state }: Upload): void {
    if (state !== 'receiving') throw REFUSALS.complete(state);
    if (this.#receiving.has(uploadId)) throw REFUSALS.sending();
  }

  /** Passes bytes on as long as there is room for them, and counts them. */
  async *#withRoom(upload: Upload, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      const { uploadBytesMax } = this.#options;
      if (this.#storedBytes() + chunk.length > uploadBytesMax) {
        throw REFUSALS.bytes(uploadBytesMax);
      }
      if (freeBytes(this.#folder.folderOf(upload)) < DISK_FREE_BYTES_MIN) {
        throw new ApiError('unavailable', "The server's disk is full");
      }
      upload.offset += chunk.length;
      yield chunk;
    }
  }

  #storedBytes(): number {
    let sum = 0;
    for (const upload of this.#uploads.values()) if (!hasEnded(upload)) sum += upload.offset;
    return sum;
  }

  async #load(upload: Upload, signal: AbortSignal): Promise<void> {
    // The next server loads it.
    if (signal.aborted) return;
    try {
      this.#note(upload, 'loading');
      this.#due.begins(upload);
      const end = await this.#options.load(upload, this.#folder.folderOf(upload), signal);
      if (end === null) this.#note(upload, 'waiting');
      else {
        this.#end(upload, end);
        this.#due.loaded(upload, end);
      }
    } catch (error) {
      this.#fail(`upload ${upload.uploadId}: ${failureText(error)}`);
      this.#end(upload, LOAD_FAILED);
    }
  }

  #note(upload: Upload, state: 'waiting' | 'loading'): void {
    upload.state = state;
    this.#folder.write(upload);
  }

  /** Notes the end of a load. Its file is needed no more. */
  #end(upload: Upload, { state, report, error, allowedBy }: LoadEnd): void {
    upload.state = state;
    upload.report = report;
    upload.error = error;
    upload.allowedBy = allowedBy;
    upload.changedAtMs = this.#options.clock.now();
    this.#ends.delete(upload.uploadId);
    try {
      this.#folder.removeFile(upload);
      this.#folder.write(upload);
    } catch (failure) {
      this.#fail(`upload ${upload.uploadId}: ${failureText(failure)}`);
    }
  }

  #expire(): void {
    const nowMs = this.#options.clock.now();
    for (const upload of [...this.#uploads.values()]) {
      const isIdle = upload.state === 'receiving' || hasEnded(upload);
      if (!isIdle || this.#receiving.has(upload.uploadId)) continue;
      if (this.expiresAtMs(upload) <= nowMs) this.#forget(upload);
    }
  }
}
