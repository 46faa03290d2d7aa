/**
 * The servers of a cluster: shards, which hold different parts, of replicas, which hold the
 * same. What one replica cannot answer, another one does, from the row on at which the first broke
 * off.
 */
import { LRUCache } from 'lru-cache';
import type { ColumnBatch } from '../columns.ts';
import { UnreadablePartError } from '../engine.ts';
import { BrokenStreamError } from './arrow-rows.ts';
import { BoundValues, nameSql } from './conditions.ts';
import type { Place } from './places.ts';
import { type Question, type Server, ServerDownError } from './server.ts';

/** Rows that a shard holds of a part. */
export interface ExpectedPart {
  readonly place: Place;
  readonly rowCount: number;
}

export interface ShardQuery extends Omit<Question, 'sql'> {
  /** The parts that are read: a replica that does not have them whole is not asked. */
  readonly parts: readonly ExpectedPart[];
  /** How many rows have to come; null or absent: it is not known. */
  readonly rowCount?: number | null;
  /** The statement without its first rows, ordered equally on every server. */
  readonly sqlFrom: (skippedRows: number) => string;
}

/** A replica lacks rows of a part. */
class MissingRowsError extends Error {
  constructor(url: string, parts: readonly ExpectedPart[]) {
    const places = parts.map(({ place }) => `${place.table}/${place.number}`);
    super(`${url} lacks rows of ${places.join(', ')}`);
    this.name = 'MissingRowsError';
  }
}

function mayBeAnsweredElsewhere(error: unknown): boolean {
  return (
    error instanceof ServerDownError ||
    error instanceof MissingRowsError ||
    error instanceof BrokenStreamError
  );
}

/** Parts that servers were found to have, at most. */
const SEEN_MAX = 100_000;
/** How long a replica may take to say that it is there. */
const ANSWER_MS = 1000;

const TABLE_AND_PARTITION = [
  { name: 'table', dataType: 'string' },
  { name: 'partition', dataType: 'string' },
] as const;
const COUNT = { name: 'count', dataType: 'number' } as const;

/** SQL for the partitions in this database that meet `condition`. */
const partitionsSql = (columns: string, condition: string) =>
  `SELECT ${columns} FROM system.parts WHERE active AND database = currentDatabase() AND ${condition} ` +
  'GROUP BY table, partition';

export class Shard {
  readonly replicas: readonly Server[];
  /** Before the names of all tables. */
  readonly #prefix: string;
  /** Parts that were found whole: they stay so until they are dropped. */
  readonly #seen = new LRUCache<string, true>({ max: SEEN_MAX });
  #first = 0;

  constructor(replicas: readonly Server[], prefix: string) {
    this.replicas = replicas;
    this.#prefix = prefix;
  }

  tableName(table: string): string {
    return `${this.#prefix}${table}`;
  }

  tableSql(table: string): string {
    return nameSql(this.tableName(table));
  }

  /** The answer of the first replica that has one. */
  async byAny<T>(ask: (server: Server) => Promise<T>): Promise<T> {
    let failure: unknown;
    for (const server of this.#inTurn()) {
      try {
        return await ask(server);
      } catch (error) {
        if (!mayBeAnsweredElsewhere(error)) throw error;
        failure = error;
      }
    }
    throw new UnreadablePartError((failure as Error).message, failure);
  }

  /** The answers of all replicas that have one; rejects if none has. */
  async ofEach<T>(ask: (server: Server) => Promise<T>): Promise<readonly T[]> {
    const answers = await Promise.allSettled(this.replicas.map(ask));
    const told = answers.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    if (told.length > 0) return told;
    throw (answers[0] as PromiseRejectedResult).reason;
  }

  /** The addresses of the replicas, and of those that answer within a second. */
  async state(): Promise<ShardState> {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const answers = await Promise.allSettled(this.replicas.map((server) => server.version(signal)));
    const urls = this.replicas.map(({ url }) => url);
    return { urls, answeringUrls: urls.filter((_, at) => answers[at]?.status === 'fulfilled') };
  }

  /** The answer of any replica. Rejects with an `UnreadablePartError` if none has it. */
  async *batches(query: ShardQuery, signal: AbortSignal): AsyncGenerator<ColumnBatch> {
    let skippedRows = 0;
    let failure: unknown;
    for (const server of this.#inTurn()) {
      const begunAt = skippedRows;
      try {
        await this.#requireSeen(server, query.parts, signal);
        const question = { ...query, sql: query.sqlFrom(skippedRows) };
        for await (const batch of server.batches(question, signal)) {
          skippedRows += batch.rowCount;
          yield batch;
        }
        if (skippedRows === query.rowCount) return;
        await this.requireParts(server, query.parts, signal);
        if (query.rowCount == null) return;
        throw new MissingRowsError(server.url, query.parts);
      } catch (error) {
        if (!mayBeAnsweredElsewhere(error)) throw error;
        this.#first += 1;
        failure = error;
        // Rows that were passed on are not the ones that another server would skip.
        if (error instanceof MissingRowsError && skippedRows > begunAt) break;
      }
    }
    throw new UnreadablePartError((failure as Error).message, failure);
  }

  /** Rejects where the server does not have all rows of the parts. */
  async requireParts(
    server: Server,
    parts: readonly ExpectedPart[],
    signal: AbortSignal,
  ): Promise<void> {
    const counts = await this.rowCounts(server, parts, signal);
    const missing = parts.filter(({ place, rowCount }) => {
      const count = counts.get(`${place.table} ${place.number}`);
      // A part without rows has one in the tables.
      const isWhole = count === Math.max(1, rowCount);
      const key = `${server.url} ${place.table} ${place.number}`;
      if (isWhole) this.#seen.set(key, true);
      else this.#seen.delete(key);
      return !isWhole;
    });
    if (missing.length > 0) throw new MissingRowsError(server.url, missing);
  }

  /** Rows of each part that the server has, by its table and number. */
  async rowCounts(
    server: Server,
    parts: readonly Pick<ExpectedPart, 'place'>[],
    signal: AbortSignal,
  ): Promise<Map<string, number>> {
    if (parts.length === 0) return new Map();
    const values = new BoundValues();
    const tables = new Set(parts.map(({ place }) => this.tableName(place.table)));
    const numbers = parts.map(({ place }) => `${place.number}`);
    const isOne = `table IN ${values.list('String', [...tables])} AND partition IN ${values.list('String', numbers)}`;
    const sql = partitionsSql('table, partition, toFloat64(sum(rows)) AS count', isOne);
    const rows = await server.rows(
      { sql, columns: [...TABLE_AND_PARTITION, COUNT], values },
      signal,
    );
    return new Map(
      rows.map(([table, number, count]) => [
        `${String(table).slice(this.#prefix.length)} ${number}`,
        count as number,
      ]),
    );
  }

  /** Every part of this lake on a server: its table and number. */
  async allParts(server: Server, signal: AbortSignal): Promise<(readonly [string, string])[]> {
    const values = new BoundValues();
    const isOurs = `startsWith(table, ${values.one('String', this.#prefix)})`;
    const sql = partitionsSql('table, partition', isOurs);
    const rows = await server.rows({ sql, columns: TABLE_AND_PARTITION, values }, signal);
    return rows.map(([table, number]) => [
      String(table).slice(this.#prefix.length),
      String(number),
    ]);
  }

  async #requireSeen(server: Server, parts: readonly ExpectedPart[], signal: AbortSignal) {
    const unseen = parts.filter(
      ({ place }) => !this.#seen.has(`${server.url} ${place.table} ${place.number}`),
    );
    if (unseen.length > 0) await this.requireParts(server, unseen, signal);
  }

  /** All replicas, first the one that answered last. */
  #inTurn(): Server[] {
    const first = this.#first % this.replicas.length;
    return [...this.replicas.slice(first), ...this.replicas.slice(0, first)];
  }
}

export function shardAt(shards: readonly Shard[], number: number): Shard {
  const shard = shards[number];
  if (!shard) throw new UnreadablePartError(`there is no shard ${number}`, null);
  return shard;
}

export interface ShardState {
  /** Addresses of all replicas. */
  readonly urls: readonly string[];
  readonly answeringUrls: readonly string[];
}

/** No warning for a shard of one replica, nor where none is left: that is an error. */
function warningOf({ urls, answeringUrls }: ShardState, at: number): string | null {
  const [left] = answeringUrls;
  if (urls.length === 1 || answeringUrls.length !== 1) return null;
  const away = urls.filter((url) => url !== left);
  const verb = away.length === 1 ? 'does' : 'do';
  return `shard ${at + 1} has one replica left, ${left}; ${away.join(' and ')} ${verb} not answer`;
}

/** Names the shards that have one replica left, numbered from 1 on; null: each has another one. */
export function lastReplicasWarning(shards: readonly ShardState[]): string | null {
  return shards.map(warningOf).filter(Boolean).join('; ') || null;
}
