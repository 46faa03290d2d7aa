/**
 * The servers of a cluster: shards, which hold different parts, of replicas, which hold the same. What one
 * replica cannot answer, another one does, from the row on at which the first broke off.
 */
import { LRUCache } from 'lru-cache';
import { UnreadablePartError } from '../engine.ts';
import type { BlockColumn, NativeBlock } from './native-blocks.ts';
import { BrokenStreamError } from './native-blocks.ts';
import { type Place, storedRowCount } from './places.ts';
import { type Server, ServerDownError } from './server.ts';
import { integerSql, nameSql, textSql } from './sql-values.ts';
import type { Wall } from './wall.ts';

/** Rows that a shard holds of a part. */
export interface ExpectedPart {
  readonly place: Place;
  readonly rowCount: number;
}

export interface ShardQuery {
  /** The parts that are read: a replica that does not have them whole is not asked. */
  readonly parts: readonly ExpectedPart[];
  readonly columns: readonly BlockColumn[];
  /** What the server holds every row against; null: nothing. */
  readonly wall: Wall | null;
  /** How many rows have to come; null or absent: it is not known. */
  readonly rowCount?: number | null;
  /** The statement without its first rows. The order of its rows has to be the same on every server. */
  readonly sqlFrom: (skippedRows: number) => string;
}

/** A replica lacks rows of a part. */
class MissingRowsError extends Error {
  constructor(url: string, parts: readonly ExpectedPart[]) {
    super(
      `${url} lacks rows of ${parts.map(({ place }) => `${place.table}/${place.number}`).join(', ')}`,
    );
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

export class Shard {
  readonly #replicas: readonly Server[];
  /** Before the names of all tables. */
  readonly #prefix: string;
  /** What was once whole on a server stays so until it is gone for good. */
  readonly #seen = new LRUCache<string, true>({ max: SEEN_MAX });
  #first = 0;

  constructor(replicas: readonly Server[], prefix: string) {
    this.#replicas = replicas;
    this.#prefix = prefix;
  }

  get replicas(): readonly Server[] {
    return this.#replicas;
  }

  tableName(table: string): string {
    return `${this.#prefix}${table}`;
  }

  wallOf({ table, granted }: { readonly table: string; readonly granted: string | null }) {
    return granted === null ? null : { table: this.tableName(table), condition: granted };
  }

  tableSql(table: string): string {
    return nameSql(this.tableName(table));
  }

  /** What the first replica says that can. */
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

  /** What all replicas say that answer; rejects where none does. */
  async ofEach<T>(ask: (server: Server) => Promise<T>): Promise<readonly T[]> {
    const answers = await Promise.allSettled(this.#replicas.map(ask));
    const told = answers.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    if (told.length > 0) return told;
    throw (answers[0] as PromiseRejectedResult).reason;
  }

  /** The replicas that answer within a time. */
  async answering(timeoutMs: number): Promise<readonly Server[]> {
    const signal = AbortSignal.timeout(timeoutMs);
    const answers = await Promise.allSettled(this.#replicas.map((server) => server.check(signal)));
    return this.#replicas.filter((_, at) => answers[at]?.status === 'fulfilled');
  }

  /** The blocks of the answer, by whichever replica. Rejects with an `UnreadablePartError` if none can. */
  async *blocks(query: ShardQuery, signal: AbortSignal): AsyncGenerator<NativeBlock> {
    let skippedRows = 0;
    let failure: unknown;
    for (const server of this.#inTurn()) {
      try {
        await this.#requireSeen(server, query.parts, signal);
        for await (const block of server.blocks(
          query.sqlFrom(skippedRows),
          query.columns,
          signal,
          query.wall,
        )) {
          skippedRows += block.rowCount;
          yield block;
        }
        if (skippedRows === query.rowCount) return;
        await this.requireParts(server, query.parts, signal);
        if (query.rowCount == null) return;
        throw new MissingRowsError(server.url, query.parts);
      } catch (error) {
        if (!mayBeAnsweredElsewhere(error)) throw error;
        this.#first += 1;
        failure = error;
      }
    }
    const { message } = failure as Error;
    throw new UnreadablePartError(message, failure);
  }

  /** Rejects where the server does not have all rows of the parts. */
  async requireParts(
    server: Server,
    parts: readonly ExpectedPart[],
    signal: AbortSignal,
  ): Promise<void> {
    const counts = await this.rowCounts(server, parts, signal);
    const missing = parts.filter(({ place, rowCount }) => {
      const isWhole = counts.get(`${place.table} ${place.number}`) === storedRowCount(rowCount);
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
    const places = parts.map(
      ({ place }) =>
        `(${textSql(this.#prefix + place.table)}, ${textSql(integerSql(place.number))})`,
    );
    const rows = await server.rows(
      [
        'SELECT toNullable(table) AS name, toNullable(partition) AS number, sum(rows) AS count',
        'FROM system.parts WHERE active AND database = currentDatabase()',
        `AND (table, partition) IN (${places.join(', ')}) GROUP BY table, partition`,
      ].join(' '),
      ['text', 'text', 'count'],
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
  async allParts(
    server: Server,
    signal: AbortSignal,
  ): Promise<readonly (readonly [string, string])[]> {
    const rows = await server.rows(
      [
        'SELECT toNullable(table) AS name, toNullable(partition) AS number FROM system.parts',
        `WHERE active AND database = currentDatabase() AND startsWith(table, ${textSql(this.#prefix)})`,
        'GROUP BY table, partition',
      ].join(' '),
      ['text', 'text'],
      signal,
    );
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
    const first = this.#first % this.#replicas.length;
    return [...this.#replicas.slice(first), ...this.#replicas.slice(0, first)];
  }
}

export function shardAt(shards: readonly Shard[], number: number): Shard {
  const shard = shards[number];
  if (!shard) throw new UnreadablePartError(`there is no shard ${number}`, null);
  return shard;
}
