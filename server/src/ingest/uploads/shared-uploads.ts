/**
 * Uploads that any server of a store goes on with: their bytes lie in it, and the one that is sent the last
 * of them loads the file. Where that one dies, another one takes over.
 */
import { randomUUID } from 'node:crypto';
import { RepeatedWork } from '../../base/repeated-work.ts';
import { soon } from '../../base/soon.ts';
import type { SharedUploads as SharedTable, UploadRow } from '../../store/shared-uploads.ts';
import { inPieces } from './pieces.ts';
import { quietly, SharedLoads, type SharedLoadsOptions } from './shared-loads.ts';
import { hasEnded, type NewUpload, newUpload, type Upload } from './upload.ts';
import {
  EXPIRY_CHECK_MS,
  LOADS_WAITING_MAX,
  REFUSALS,
  UPLOADS_MAX,
  UPLOADS_PER_ACTOR_MAX,
  type Uploads,
} from './uploads.ts';

/** What a request holds in memory. */
const PIECE_BYTES = 4 * 1024 * 1024;
const RECEIVING_MAX = 16;
const HEAR_MS = 5000;

function uploadOf({ uploadId, actor, given, end, ...row }: UploadRow): Upload {
  const { createdAtMs, changedAtMs, offset, state } = row;
  return {
    ...newUpload({ ...JSON.parse(given), actor }, createdAtMs),
    ...{ uploadId, changedAtMs, offset, state },
    ...(end === null ? {} : JSON.parse(end)),
  };
}

export class SharedUploads implements Uploads {
  readonly #options: SharedLoadsOptions;
  readonly #table: SharedTable;
  readonly #serverId = randomUUID();
  readonly #loads: SharedLoads;
  readonly #receiving = new Set<string>();
  readonly #stopping = Promise.withResolvers<void>();
  readonly #hearing: RepeatedWork;
  readonly #expiring: RepeatedWork;
  onFailure: (text: string) => void = () => {};

  constructor(options: SharedLoadsOptions) {
    this.#options = options;
    this.#table = options.table;
    this.#loads = new SharedLoads(options, this.#serverId, (text) => this.onFailure(text));
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
    this.#loads.add(upload, null);
  }

  async waitForEnd(upload: Upload, waitMs: number): Promise<void> {
    await soon(
      Promise.race([this.#loads.endOf(upload.uploadId), this.#stopping.promise]),
      waitMs,
      null,
    );
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
    await this.#loads.close();
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

  async #hear(): Promise<void> {
    for (const row of await this.#table.hear(this.#serverId)) {
      if (!this.#loads.endOf(row.uploadId)) this.#loads.add(uploadOf(row), row.publicationBefore);
    }
  }

  async #expire(): Promise<void> {
    const { clock, uploadExpiryMs } = this.#options;
    await this.#table.expire(clock.now() - uploadExpiryMs);
  }

  #quietly(work: () => Promise<void>): Promise<void> {
    return quietly(work, (text) => this.onFailure(text));
  }
}
