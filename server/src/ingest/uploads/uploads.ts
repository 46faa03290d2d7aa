/**
 * Files that administrators send over HTTP to be loaded. One may come in several requests, each of which
 * goes on where the last one ended, and across restarts of the server; then it is loaded.
 */
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../../base/clock.ts';
import { freeBytes } from '../../base/disk-problem.ts';
import { ApiError } from '../../base/errors.ts';
import { failureText } from '../../base/failure-text.ts';
import type { LoadUpload } from './load-in-process.ts';
import { LoadQueue } from './load-queue.ts';
import { hasEnded, type LoadEnd, type NewUpload, type Upload } from './upload.ts';
import { UploadFolder } from './upload-folder.ts';

const UPLOADS_PER_ACTOR_MAX = 8;
const UPLOADS_MAX = 1000;
const LOADS_WAITING_MAX = 16;
/** Less free space than this is left to everything else. */
const DISK_FREE_BYTES_MIN = 512 * 1024 * 1024;
const EXPIRY_CHECK_MS = 60_000;
const FAILED = { state: 'failed', report: null, allowedBy: null } as const;
const KILLED = 'the server was killed while it was loaded; look at the publications of the dataset';

export interface UploadsOptions {
  readonly folder: string;
  readonly clock: Clock;
  readonly uploadBytesMax: number;
  readonly uploadExpiryMs: number;
  readonly load: LoadUpload;
}

export class Uploads {
  readonly #options: UploadsOptions;
  readonly #folder: UploadFolder;
  readonly #queue = new LoadQueue(LOADS_WAITING_MAX);
  readonly #uploads = new Map<string, Upload>();
  readonly #ends = new Map<string, Promise<void>>();
  readonly #receiving = new Set<string>();
  readonly #expiryCheck: NodeJS.Timeout;
  readonly #stopping = Promise.withResolvers<void>();
  /** Told of loads that failed without a fault of the file. */
  onFailure: (text: string) => void = () => {};

  constructor(options: UploadsOptions) {
    this.#options = options;
    this.#folder = new UploadFolder(options.folder);
    for (const upload of this.#folder.readAll()) {
      this.#uploads.set(upload.uploadId, upload);
      if (upload.state === 'waiting') this.#enqueue(upload);
      // Nobody saw its end.
      if (upload.state === 'loading') this.#end(upload, { ...FAILED, error: KILLED });
    }
    this.#expiryCheck = setInterval(() => this.#expire(), EXPIRY_CHECK_MS);
    this.#expiryCheck.unref();
  }

  expiresAtMs({ changedAtMs }: Upload): number {
    return changedAtMs + this.#options.uploadExpiryMs;
  }

  /** Throws an ApiError where there is no room for another one. */
  create(given: NewUpload): Upload {
    this.#expire();
    const open = [...this.#uploads.values()].filter((upload) => !hasEnded(upload));
    const ofActor = open.filter(({ actor }) => actor === given.actor);
    if (this.#options.uploadBytesMax === 0) {
      throw new ApiError('forbidden', 'This server takes no files: TICKLAKE_UPLOAD_BYTES_MAX is 0');
    }
    if (ofActor.length >= UPLOADS_PER_ACTOR_MAX) {
      const text = `${UPLOADS_PER_ACTOR_MAX} uploads of yours are open; complete or delete one`;
      throw new ApiError('too many requests', text);
    }
    if (this.#uploads.size >= UPLOADS_MAX) {
      throw new ApiError('unavailable', 'Too many uploads are kept; delete some of them');
    }
    const nowMs = this.#options.clock.now();
    const upload: Upload = {
      ...given,
      uploadId: randomBytes(16).toString('hex'),
      createdAtMs: nowMs,
      changedAtMs: nowMs,
      offset: 0,
      state: 'receiving',
      report: null,
      error: null,
      allowedBy: null,
    };
    this.#folder.write(upload);
    this.#uploads.set(upload.uploadId, upload);
    return upload;
  }

  /** Throws an ApiError 'not found'. */
  find(uploadId: string): Upload {
    this.#expire();
    const upload = this.#uploads.get(uploadId);
    if (upload) return upload;
    throw new ApiError('not found', 'There is no such upload, or it has expired');
  }

  /** Appends what comes. What has come stays, also where the rest does not. */
  async receive(upload: Upload, offset: number, chunks: AsyncIterable<Buffer>): Promise<void> {
    this.#requireReceiving(upload);
    if (offset !== upload.offset) {
      const text = `The next byte is ${upload.offset}, not ${offset} (in 'Upload-Offset')`;
      throw new ApiError('conflict', text);
    }
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

  /** Has an upload loaded when its turn comes. Throws an ApiError where too many wait. */
  complete(upload: Upload): void {
    this.#requireReceiving(upload);
    if (this.#queue.isFull) {
      throw new ApiError('unavailable', 'Too many loads are waiting; complete the upload later');
    }
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
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, waitMs);
    await Promise.race([this.#ends.get(upload.uploadId), this.#stopping.promise, promise]);
    clearTimeout(timer);
  }

  /** Throws an ApiError while it is loaded. */
  remove(upload: Upload): void {
    const isBusy = upload.state === 'waiting' || upload.state === 'loading';
    if (isBusy || this.#receiving.has(upload.uploadId)) {
      throw new ApiError('conflict', 'The upload is in use; delete it later');
    }
    this.#uploads.delete(upload.uploadId);
    this.#folder.remove(upload);
  }

  /** Has nobody wait for the end of a load any more: the server stops. */
  stopWaiting(): void {
    this.#stopping.resolve();
  }

  async close(): Promise<void> {
    clearInterval(this.#expiryCheck);
    await this.#queue.close();
  }

  #enqueue(upload: Upload): void {
    const end = this.#queue.add((signal) => this.#load(upload, signal));
    this.#ends.set(upload.uploadId, end);
  }

  #requireReceiving({ uploadId, state }: Upload): void {
    if (state !== 'receiving') throw new ApiError('conflict', `The upload is complete: ${state}`);
    if (!this.#receiving.has(uploadId)) return;
    throw new ApiError('conflict', 'Another request is still sending to this upload');
  }

  /** Passes bytes on as long as there is room for them, and counts them. */
  async *#withRoom(upload: Upload, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      const { uploadBytesMax } = this.#options;
      if (this.#storedBytes() + chunk.length > uploadBytesMax) {
        const text = `Uploads may take ${uploadBytesMax} bytes together; complete or delete others`;
        throw new ApiError('unavailable', text);
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
      const end = await this.#options.load(upload, this.#folder.folderOf(upload), signal);
      if (end === null) this.#note(upload, 'waiting');
      else this.#end(upload, end);
    } catch (error) {
      this.onFailure(`upload ${upload.uploadId}: ${failureText(error)}`);
      this.#end(upload, { ...FAILED, error: 'the load failed; the log of the server says why' });
    }
  }

  #note(upload: Upload, state: 'waiting' | 'loading'): void {
    upload.state = state;
    this.#folder.write(upload);
  }

  /** What was loaded is needed no more. */
  #end(upload: Upload, end: LoadEnd): void {
    Object.assign(upload, end, { changedAtMs: this.#options.clock.now() });
    this.#ends.delete(upload.uploadId);
    try {
      this.#folder.removeFile(upload);
      this.#folder.write(upload);
    } catch (error) {
      this.onFailure(`upload ${upload.uploadId}: ${failureText(error)}`);
    }
  }

  #expire(): void {
    const nowMs = this.#options.clock.now();
    for (const upload of [...this.#uploads.values()]) {
      const isIdle = upload.state === 'receiving' || hasEnded(upload);
      if (!isIdle || this.#receiving.has(upload.uploadId)) continue;
      if (this.expiresAtMs(upload) <= nowMs) this.remove(upload);
    }
  }
}
