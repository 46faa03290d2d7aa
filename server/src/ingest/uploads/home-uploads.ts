/** Uploads, in the home of the server that takes them. */
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { freeBytes } from '../../base/disk-problem.ts';
import { ApiError } from '../../base/errors.ts';
import { failureText } from '../../base/failure-text.ts';
import { soon } from '../../base/soon.ts';
import { DueDerivations } from './due-derivations.ts';
import { LoadQueue } from './load-queue.ts';
import { hasEnded, type LoadEnd, type NewUpload, newUpload, type Upload } from './upload.ts';
import { UploadFolder } from './upload-folder.ts';
import {
  EXPIRY_CHECK_MS,
  LOAD_FAILED,
  LOAD_LOST,
  LOADS_WAITING_MAX,
  REFUSALS,
  UPLOADS_MAX,
  UPLOADS_PER_ACTOR_MAX,
  type Uploads,
  type UploadsOptions,
} from './uploads.ts';

/** Less free space than this is left to everything else. */
const DISK_FREE_BYTES_MIN = 512 * 1024 * 1024;

export class HomeUploads implements Uploads {
  readonly #options: UploadsOptions;
  readonly #folder: UploadFolder;
  readonly #queue = new LoadQueue(LOADS_WAITING_MAX);
  readonly #due: DueDerivations;
  readonly #uploads = new Map<string, Upload>();
  readonly #ends = new Map<string, Promise<void>>();
  readonly #receiving = new Set<string>();
  readonly #expiryCheck: NodeJS.Timeout;
  readonly #stopping = Promise.withResolvers<void>();
  onFailure: (text: string) => void = () => {};

  constructor(options: UploadsOptions) {
    this.#options = options;
    this.#folder = new UploadFolder(options.folder);
    const onFailure = (text: string) => this.onFailure(text);
    const { dueFile, derive } = options;
    this.#due = new DueDerivations({ dueFile, queue: this.#queue, derive, onFailure });
    for (const upload of this.#folder.readAll()) {
      this.#uploads.set(upload.uploadId, upload);
      if (upload.state === 'waiting') this.#enqueue(upload);
      // Nobody saw its end.
      if (upload.state === 'loading') this.#end(upload, LOAD_LOST);
    }
    this.#expiryCheck = setInterval(() => this.#expire(), EXPIRY_CHECK_MS);
    this.#expiryCheck.unref();
  }

  expiresAtMs({ changedAtMs }: Upload): number {
    return changedAtMs + this.#options.uploadExpiryMs;
  }

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

  async find(uploadId: string): Promise<Upload> {
    this.#expire();
    const upload = this.#uploads.get(uploadId);
    if (upload) return upload;
    throw this.#options.isOneOfSeveral ? REFUSALS.elsewhere() : REFUSALS.unknown();
  }

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

  async waitForEnd(upload: Upload, waitMs: number): Promise<void> {
    await soon(
      Promise.race([this.#ends.get(upload.uploadId), this.#stopping.promise]),
      waitMs,
      null,
    );
  }

  async remove(upload: Upload): Promise<void> {
    const isBusy = upload.state === 'waiting' || upload.state === 'loading';
    if (isBusy || this.#receiving.has(upload.uploadId)) throw REFUSALS.inUse();
    this.#forget(upload);
  }

  #forget(upload: Upload): void {
    this.#uploads.delete(upload.uploadId);
    this.#folder.remove(upload);
  }

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
      this.onFailure(`upload ${upload.uploadId}: ${failureText(error)}`);
      this.#end(upload, LOAD_FAILED);
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
      if (this.expiresAtMs(upload) <= nowMs) this.#forget(upload);
    }
  }
}
