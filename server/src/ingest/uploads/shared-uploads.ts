/**
 * Uploads that any server of a store goes on with: their bytes lie in it, and the one that is sent the last
 * of them loads the file. Where that one dies, another one takes over.
 */
import { randomUUID } from 'node:crypto';
import { createWriteStream, rmSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { failureText } from '../../base/failure-text.ts';
import { makeFolder } from '../../base/make-folder.ts';
import { RepeatedWork } from '../../base/repeated-work.ts';
import type { Lake } from '../../lake/lake.ts';
import type { SharedUploads as SharedTable, UploadRow } from '../../store/shared-uploads.ts';
import { storageProblem } from '../../store/store-errors.ts';
import { earlierEnd, STILL_RUNS } from './interrupted-load.ts';
import { LoadQueue } from './load-queue.ts';
import { inPieces } from './pieces.ts';
import { hasEnded, type LoadEnd, type NewUpload, newUpload, type Upload } from './upload.ts';
import { UploadFolder } from './upload-folder.ts';
import {
  EXPIRY_CHECK_MS,
  LOAD_FAILED,
  LOADS_WAITING_MAX,
  REFUSALS,
  UPLOADS_MAX,
  UPLOADS_PER_ACTOR_MAX,
  type Uploads,
  type UploadsOptions,
} from './uploads.ts';

/** What a request holds in memory. */
const PIECE_BYTES = 4 * 1024 * 1024;
const RECEIVING_MAX = 16;
const HEAR_MS = 5000;

export interface SharedUploadsOptions extends UploadsOptions {
  readonly table: SharedTable;
  readonly lake: Lake;
}

function uploadOf({ uploadId, actor, given, end, ...row }: UploadRow): Upload {
  const { createdAtMs, changedAtMs, offset, state } = row;
  return {
    ...newUpload({ ...JSON.parse(given), actor }, createdAtMs),
    ...{ uploadId, changedAtMs, offset, state },
    ...(end === null ? {} : JSON.parse(end)),
  };
}

export class SharedUploads implements Uploads {
  readonly #options: SharedUploadsOptions;
  readonly #table: SharedTable;
  /** Files that are being loaded. */
  readonly #folder: UploadFolder;
  readonly #serverId = randomUUID();
  readonly #queue = new LoadQueue(Number.POSITIVE_INFINITY);
  /** What this server loads or will load, until its end. */
  readonly #ends = new Map<string, Promise<void>>();
  readonly #receiving = new Set<string>();
  readonly #stopping = Promise.withResolvers<void>();
  readonly #hearing: RepeatedWork;
  readonly #expiring: RepeatedWork;
  onFailure: (text: string) => void = () => {};

  constructor(options: SharedUploadsOptions) {
    this.#options = options;
    this.#table = options.table;
    rmSync(options.folder, { recursive: true, force: true });
    this.#folder = new UploadFolder(options.folder);
    this.#hearing = new RepeatedWork(() => this.#quietly(() => this.#hear()), HEAR_MS);
    this.#expiring = new RepeatedWork(() => this.#quietly(() => this.#expire()), EXPIRY_CHECK_MS);
  }

  expiresAtMs({ changedAtMs }: Upload): number {
    return changedAtMs + this.#options.uploadExpiryMs;
  }

  async create(given: NewUpload): Promise<Upload> {
    if (this.#options.uploadBytesMax === 0) throw REFUSALS.off();
    await this.#expire();
    const upload = newUpload(given, this.#options.clock.now());
    const { uploadId, createdAtMs } = upload;
    const { actor, ...others } = given;
    const row = { uploadId, actor, given: JSON.stringify(others), createdAtMs };
    const maxima = { ofActor: UPLOADS_PER_ACTOR_MAX, all: UPLOADS_MAX };
    const { ofActor, all } = await this.#table.create(row, maxima);
    if (ofActor >= maxima.ofActor) throw REFUSALS.ofActor();
    if (all >= maxima.all) throw REFUSALS.all();
    return upload;
  }

  async find(uploadId: string): Promise<Upload> {
    const row = await this.#table.find(uploadId);
    const upload = row && uploadOf(row);
    if (!upload) throw REFUSALS.unknown();
    const isIdle = upload.state === 'receiving' || hasEnded(upload);
    if (isIdle && this.expiresAtMs(upload) <= this.#options.clock.now()) throw REFUSALS.unknown();
    return upload;
  }

  async receive(upload: Upload, offset: number, chunks: AsyncIterable<Buffer>): Promise<void> {
    const { uploadId } = upload;
    this.#requireReceiving(upload);
    if (offset !== upload.offset) throw REFUSALS.offset(upload.offset, offset);
    if (this.#receiving.size >= RECEIVING_MAX) throw REFUSALS.receiving();
    this.#receiving.add(uploadId);
    try {
      for await (const piece of inPieces(chunks, PIECE_BYTES)) await this.#append(upload, piece);
    } finally {
      this.#receiving.delete(uploadId);
    }
  }

  async complete(upload: Upload): Promise<void> {
    this.#requireReceiving(upload);
    const { uploadId, offset } = upload;
    if (!(await this.#table.complete(uploadId, offset, this.#serverId, LOADS_WAITING_MAX))) {
      await this.#requireNext(upload, offset);
      throw REFUSALS.waiting();
    }
    upload.state = 'waiting';
    this.#enqueue(upload, null);
  }

  async waitForEnd(upload: Upload, waitMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, waitMs);
    await Promise.race([this.#ends.get(upload.uploadId), this.#stopping.promise, promise]);
    clearTimeout(timer);
    await this.#refresh(upload);
  }

  async remove({ uploadId }: Upload): Promise<void> {
    if (this.#receiving.has(uploadId)) throw REFUSALS.inUse();
    if (await this.#table.remove(uploadId)) return;
    await this.find(uploadId);
    throw REFUSALS.inUse();
  }

  stopWaiting(): void {
    this.#stopping.resolve();
  }

  async close(): Promise<void> {
    await Promise.all([this.#hearing.stop(), this.#expiring.stop()]);
    await this.#queue.close();
    await this.#quietly(() => this.#table.leave(this.#serverId));
  }

  #requireReceiving({ uploadId, state }: Upload): void {
    if (state !== 'receiving') throw REFUSALS.complete(state);
    if (this.#receiving.has(uploadId)) throw REFUSALS.sending();
  }

  /** Rejects where somebody else has gone on with it meanwhile. */
  async #requireNext(upload: Upload, offset: number): Promise<void> {
    await this.#refresh(upload);
    if (upload.state !== 'receiving') throw REFUSALS.complete(upload.state);
    if (upload.offset !== offset) throw REFUSALS.offset(upload.offset, offset);
  }

  async #refresh(upload: Upload): Promise<void> {
    Object.assign(upload, await this.find(upload.uploadId));
  }

  /** Servers that send at the same moment may pass the limit of all bytes by a piece each. */
  async #append(upload: Upload, piece: Buffer): Promise<void> {
    const { clock, uploadBytesMax } = this.#options;
    const { uploadId, offset } = upload;
    if ((await this.#table.openBytes()) + piece.length > uploadBytesMax) {
      throw REFUSALS.bytes(uploadBytesMax);
    }
    const nowMs = clock.now();
    if (!(await this.#table.append(uploadId, offset, piece, nowMs))) {
      await this.#requireNext(upload, offset);
      throw REFUSALS.sending();
    }
    upload.offset += piece.length;
    upload.changedAtMs = nowMs;
  }

  #enqueue(upload: Upload, publicationBefore: number | null): void {
    const { uploadId } = upload;
    const end = this.#queue
      .add((signal) => this.#load(upload, publicationBefore, signal))
      .finally(() => this.#ends.delete(uploadId));
    this.#ends.set(uploadId, end);
  }

  /** Must not reject. What has no end is tried again when this server, or another one, is heard next. */
  async #load(upload: Upload, before: number | null, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    await this.#quietly(async () => {
      try {
        const end = await this.#endOf(upload, before, signal);
        if (end === null) return;
        const { state, ...said } = end;
        const nowMs = this.#options.clock.now();
        const text = JSON.stringify(said);
        await this.#table.end(upload.uploadId, this.#serverId, { state, text, nowMs });
      } finally {
        this.#folder.remove(upload);
      }
    });
  }

  /** Null: there is none yet. */
  async #endOf(
    upload: Upload,
    before: number | null,
    signal: AbortSignal,
  ): Promise<LoadEnd | null> {
    const { lake, load } = this.#options;
    const newest = await this.#newestPublication();
    if (!(await this.#table.beginLoad(upload.uploadId, this.#serverId, newest))) return null;
    try {
      await this.#bring(upload, signal);
      const path = this.#folder.fileOf(upload);
      const earlier = before === null ? null : await earlierEnd(lake, upload, path, before, signal);
      if (earlier === STILL_RUNS) return null;
      return earlier ?? (await load(upload, this.#folder.folderOf(upload), signal));
    } catch (error) {
      if (signal.aborted) return null;
      if (storageProblem(error) !== null) throw error;
      this.onFailure(`upload ${upload.uploadId}: ${failureText(error)}`);
      return LOAD_FAILED;
    }
  }

  async #newestPublication(): Promise<number> {
    const [newest] = await this.#options.lake.ledger.publications({ limit: 1 });
    return newest?.publicationId ?? 0;
  }

  /** Makes a file of what has come. */
  async #bring(upload: Upload, signal: AbortSignal): Promise<void> {
    makeFolder(this.#folder.folderOf(upload), 0o700);
    const file = createWriteStream(this.#folder.fileOf(upload), { mode: 0o600 });
    await pipeline(this.#table.bytesOf(upload.uploadId), file, { signal });
  }

  async #hear(): Promise<void> {
    for (const row of await this.#table.hear(this.#serverId)) {
      if (!this.#ends.has(row.uploadId)) this.#enqueue(uploadOf(row), row.publicationBefore);
    }
  }

  async #expire(): Promise<void> {
    const { clock, uploadExpiryMs } = this.#options;
    await this.#table.expire(clock.now() - uploadExpiryMs);
  }

  async #quietly(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.onFailure(`uploads: ${failureText(error)}`);
    }
  }
}
