/** Uploads that servers have in common. */
import type {
  EndState,
  NewUploadRow,
  SharedUploads,
  UploadCounts,
  UploadRow,
} from '../shared-uploads.ts';
import type { PostgresDatabase } from './database.ts';
import { isThere, selected } from './queries.ts';
import { LOADER_SILENCE_SECONDS } from './shared-uploads-schema.ts';

const UPLOADS = `SELECT ${selected({
  uploadId: 'upload_id',
  actor: 'actor',
  given: 'given::text',
  createdAtMs: 'created_at',
  changedAtMs: 'changed_at',
  offset: 'byte_count',
  state: 'state',
  end: 'load_end::text',
  publicationBefore: 'publication_before',
})} FROM ticklake.upload`;
const IS_OPEN = "state IN ('receiving', 'waiting', 'loading')";
const IS_LOADED = "state IN ('waiting', 'loading')";

const SQL = {
  counts: `SELECT count(*) AS "all", count(*) FILTER (WHERE actor = $1 AND ${IS_OPEN}) AS "ofActor"
    FROM ticklake.upload`,
  create: `INSERT INTO ticklake.upload (upload_id, actor, given, created_at, changed_at)
    VALUES ($1, $2, $3::json, $4, $4)`,
  find: `${UPLOADS} WHERE upload_id = $1`,
  openBytes: `SELECT coalesce(sum(byte_count), 0)::bigint AS sum FROM ticklake.upload WHERE ${IS_OPEN}`,
  append: `WITH moved AS (
      UPDATE ticklake.upload SET byte_count = byte_count + octet_length($3::bytea), changed_at = $4
      WHERE upload_id = $1 AND byte_count = $2::bigint AND state = 'receiving' RETURNING upload_id
    ) INSERT INTO ticklake.upload_piece (upload_id, first_byte, bytes)
      SELECT upload_id, $2, $3 FROM moved`,
  piece: `SELECT first_byte AS "firstByte", bytes FROM ticklake.upload_piece
    WHERE upload_id = $1 AND first_byte >= $2 ORDER BY first_byte LIMIT 1`,
  loadedCount: `SELECT 1 FROM ticklake.upload WHERE ${IS_LOADED} OFFSET $1 LIMIT 1`,
  complete: `UPDATE ticklake.upload SET state = 'waiting', server_id = $3, heard_at = now()
    WHERE upload_id = $1 AND byte_count = $2 AND state = 'receiving'`,
  beginLoad: `UPDATE ticklake.upload SET state = 'loading',
      publication_before = coalesce(publication_before, $3)
    WHERE upload_id = $1 AND server_id = $2 AND ${IS_LOADED}`,
  end: `UPDATE ticklake.upload SET state = $3, load_end = $4::json, changed_at = $5, server_id = NULL
    WHERE upload_id = $1 AND server_id = $2 AND ${IS_LOADED}`,
  dropPieces: 'DELETE FROM ticklake.upload_piece WHERE upload_id = $1',
  leave: `UPDATE ticklake.upload SET heard_at = '-infinity' WHERE server_id = $1 AND ${IS_LOADED}`,
  hear: `UPDATE ticklake.upload SET heard_at = now(), server_id = $1
    WHERE ${IS_LOADED} AND (server_id = $1
      OR heard_at < now() - make_interval(secs => ${LOADER_SILENCE_SECONDS}))`,
  held: `${UPLOADS} WHERE ${IS_LOADED} AND server_id = $1 ORDER BY changed_at, upload_id`,
  isLoaded: `SELECT 1 FROM ticklake.upload WHERE ${IS_LOADED} LIMIT 1`,
  remove: `DELETE FROM ticklake.upload WHERE upload_id = $1 AND NOT ${IS_LOADED}`,
  expire: `DELETE FROM ticklake.upload WHERE changed_at <= $1 AND NOT ${IS_LOADED}`,
};

export class PostgresSharedUploads implements SharedUploads {
  readonly #database: PostgresDatabase;

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  create({ uploadId, actor, given, createdAtMs }: NewUploadRow, maxima: UploadCounts) {
    return this.#database.transaction('control', async (queries) => {
      const counts = (await queries.get<UploadCounts>(SQL.counts, actor)) as UploadCounts;
      if (counts.ofActor < maxima.ofActor && counts.all < maxima.all) {
        await queries.run(SQL.create, uploadId, actor, given, createdAtMs);
      }
      return counts;
    });
  }

  async find(uploadId: string): Promise<UploadRow | null> {
    return (await this.#database.get<UploadRow>(SQL.find, uploadId)) ?? null;
  }

  async openBytes(): Promise<number> {
    return (await this.#database.get<{ sum: number }>(SQL.openBytes))?.sum ?? 0;
  }

  async append(uploadId: string, offset: number, bytes: Buffer, nowMs: number): Promise<boolean> {
    return (await this.#database.run(SQL.append, uploadId, offset, bytes, nowMs)) === 1;
  }

  async *bytesOf(uploadId: string): AsyncGenerator<Buffer> {
    let next = 0;
    for (;;) {
      const piece = await this.#database.get<{
        readonly firstByte: number;
        readonly bytes: Buffer;
      }>(SQL.piece, uploadId, next);
      if (!piece) return;
      if (piece.firstByte !== next) throw new Error(`upload ${uploadId} lacks bytes from ${next}`);
      yield piece.bytes;
      next += piece.bytes.length;
    }
  }

  complete(uploadId: string, offset: number, serverId: string, waitingMax: number) {
    return this.#database.transaction('control', async (queries) => {
      if (await isThere(queries, SQL.loadedCount, waitingMax - 1)) return false;
      return (await queries.run(SQL.complete, uploadId, offset, serverId)) === 1;
    });
  }

  async beginLoad(uploadId: string, serverId: string, publicationBefore: number): Promise<boolean> {
    const { run } = this.#database;
    return (await run(SQL.beginLoad, uploadId, serverId, publicationBefore)) === 1;
  }

  end(
    uploadId: string,
    serverId: string,
    {
      state,
      text,
      nowMs,
    }: { readonly state: EndState; readonly text: string; readonly nowMs: number },
  ): Promise<boolean> {
    return this.#database.transaction('control', async (queries) => {
      if ((await queries.run(SQL.end, uploadId, serverId, state, text, nowMs)) !== 1) return false;
      await queries.run(SQL.dropPieces, uploadId);
      return true;
    });
  }

  async leave(serverId: string): Promise<void> {
    await this.#database.run(SQL.leave, serverId);
  }

  async hear(serverId: string): Promise<UploadRow[]> {
    if (!(await isThere(this.#database, SQL.isLoaded))) return [];
    await this.#database.run(SQL.hear, serverId);
    return await this.#database.all<UploadRow>(SQL.held, serverId);
  }

  async remove(uploadId: string): Promise<boolean> {
    return (await this.#database.run(SQL.remove, uploadId)) === 1;
  }

  async expire(changedMsMax: number): Promise<void> {
    await this.#database.run(SQL.expire, changedMsMax);
  }
}
