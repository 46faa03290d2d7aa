/** Loads of uploads that a server of a store has taken on, one after the other. */
import { createWriteStream, rmSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { failureText } from '../../base/failure-text.ts';
import { makeFolder } from '../../base/make-folder.ts';
import type { Lake } from '../../lake/lake.ts';
import type { SharedUploads as SharedTable } from '../../store/shared-uploads.ts';
import { storageProblem } from '../../store/store-errors.ts';
import { DueDerivations } from './due-derivations.ts';
import { earlierEnd, STILL_RUNS } from './interrupted-load.ts';
import { LoadQueue } from './load-queue.ts';
import type { LoadEnd, Upload } from './upload.ts';
import { UploadFolder } from './upload-folder.ts';
import { LOAD_FAILED, type UploadsOptions } from './uploads.ts';

export interface SharedLoadsOptions extends UploadsOptions {
  readonly table: SharedTable;
  readonly lake: Lake;
}

type OnFailure = (text: string) => void;

/** Work whose failure is told, and met by nobody else. */
export async function quietly(work: () => Promise<void>, onFailure: OnFailure): Promise<void> {
  try {
    await work();
  } catch (error) {
    onFailure(`uploads: ${failureText(error)}`);
  }
}

export class SharedLoads {
  readonly #options: SharedLoadsOptions;
  readonly #serverId: string;
  readonly #onFailure: OnFailure;
  /** Files that are being loaded. */
  readonly #folder: UploadFolder;
  readonly #queue = new LoadQueue(Number.POSITIVE_INFINITY);
  readonly #due: DueDerivations;
  /** What this server loads or will load, until its end. */
  readonly #ends = new Map<string, Promise<void>>();

  /** What an earlier server left in the folder goes. */
  constructor(options: SharedLoadsOptions, serverId: string, onFailure: OnFailure) {
    this.#options = options;
    this.#serverId = serverId;
    this.#onFailure = onFailure;
    rmSync(options.folder, { recursive: true, force: true });
    this.#folder = new UploadFolder(options.folder);
    const { dueFile, derive } = options;
    this.#due = new DueDerivations({ dueFile, queue: this.#queue, derive, onFailure });
  }

  /** Undefined where this server has not taken it on, or its load has ended. */
  endOf(uploadId: string): Promise<void> | undefined {
    return this.#ends.get(uploadId);
  }

  close(): Promise<void> {
    return this.#queue.close();
  }

  /** `publicationBefore` was the newest one when a server that died began to load it; null: none did. */
  add(upload: Upload, publicationBefore: number | null): void {
    const { uploadId } = upload;
    const end = this.#queue
      .add((signal) => this.#run(upload, publicationBefore, signal))
      .finally(() => this.#ends.delete(uploadId));
    this.#ends.set(uploadId, end);
  }

  /** Must not reject. What has no end is tried again when this server, or another one, is heard next. */
  async #run(upload: Upload, before: number | null, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    await quietly(async () => {
      try {
        const end = await this.#load(upload, before, signal);
        if (end === null) return;
        const { state, ...said } = end;
        const nowMs = this.#options.clock.now();
        const text = JSON.stringify(said);
        await this.#options.table.end(upload.uploadId, this.#serverId, { state, text, nowMs });
        this.#due.loaded(upload, end);
      } finally {
        this.#folder.remove(upload);
      }
    }, this.#onFailure);
  }

  /** Null: there is none yet. */
  async #load(upload: Upload, before: number | null, signal: AbortSignal): Promise<LoadEnd | null> {
    const { lake, load, table } = this.#options;
    const newest = await this.#newestPublication();
    if (!(await table.beginLoad(upload.uploadId, this.#serverId, newest))) return null;
    try {
      await this.#bring(upload, signal);
      this.#due.begins(upload);
      const path = this.#folder.fileOf(upload);
      const earlier = before === null ? null : await earlierEnd(lake, upload, path, before, signal);
      if (earlier === STILL_RUNS) return null;
      return earlier ?? (await load(upload, this.#folder.folderOf(upload), signal));
    } catch (error) {
      if (signal.aborted) return null;
      if (storageProblem(error) !== null) throw error;
      this.#onFailure(`upload ${upload.uploadId}: ${failureText(error)}`);
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
    await pipeline(this.#options.table.bytesOf(upload.uploadId), file, { signal });
  }
}
