/** Runs compiled queries on pooled connections, and really stops those whose signal is aborted. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  type DuckDBConnection,
  type DuckDBDataChunk,
  type DuckDBInstance,
  DuckDBMaterializedResult,
  type DuckDBResult,
} from '@duckdb/node-api';
import type { EngineAccess } from '../objects/engine-access.ts';
import type { CompiledQuery } from './compile-query.ts';

/**
 * Frees the memory of chunks that nobody reads any more. The engine's memory of a chunk is freed
 * when the runtime collects its young garbage, and the runtime does not know how large it is: left
 * to itself, it would let some hundred chunks wait.
 */

type Collect = (options: { readonly type: 'minor' }) => void;

// A context has the function if the flag is set while it is made. All threads share the flag, so
// that none may take it back: another one may be about to make its context.
setFlagsFromString('--expose-gc');
const collect: Collect = runInNewContext('gc');

/** Each is 16 to 32 KiB. A collection takes about a millisecond. */
const VECTORS_MAX = 512;

let vectorCount = 0;

/** Counts a chunk that has been read, and collects garbage once there are enough of them. */
function countReadChunk({ columnCount }: DuckDBDataChunk): void {
  vectorCount += columnCount;
  if (vectorCount < VECTORS_MAX) return;
  vectorCount = 0;
  collect({ type: 'minor' });
}

/** Message for a result whose last rows are missing. */
export const BROKEN_OFF = 'the rows of the result broke off';

/** An interrupt that comes before the execution has begun is lost, so it is said again. */
const INTERRUPT_EVERY_MS = 10;

/** Interrupts the connection once the signal is aborted, until the returned function is called. */
export function interruptOnAbort(connection: DuckDBConnection, signal: AbortSignal): () => void {
  let timer: NodeJS.Timeout | undefined;
  const begin = () => {
    connection.interrupt();
    timer = setInterval(() => connection.interrupt(), INTERRUPT_EVERY_MS);
  };
  signal.addEventListener('abort', begin, { once: true });
  return () => {
    signal.removeEventListener('abort', begin);
    clearInterval(timer);
  };
}

/** How the rows of a query are handed over. */
export interface ChunkOptions {
  /**
   * The query goes on as its chunks are taken, so that memory holds a few of them only. Without it
   * the whole result is computed first, which is faster where that is small.
   */
  readonly isStreamed?: boolean;
  /**
   * Says in its only row how many rows a streamed query has, so that these need no mark at their
   * end.
   */
  readonly count?: CompiledQuery;
  /**
   * A streamed query whose rows nothing says to be whole: who takes them finds out. No chunk of it
   * is fetched ahead: it may wait for a reader, and is not to take the engine's time meanwhile.
   */
  readonly isUnproven?: boolean;
  /** Called with that number before the first chunk is handed out. */
  readonly onCounted?: (rowCount: number) => void;
  /** Called with a complete result before its first chunk is handed out. */
  readonly onFound?: (result: DuckDBMaterializedResult) => void;
}

/**
 * A failure in the middle ends a stream like its last row, so one more row says that it is whole,
 * unless somebody counts its rows: with the mark, reading takes about a third more processor time.
 */
function withEndMark({ sql, ...bound }: CompiledQuery): CompiledQuery {
  return {
    ...bound,
    sql: `SELECT *, false AS is_end FROM (${sql}) UNION ALL BY NAME SELECT true AS is_end`,
  };
}

/** Takes the end mark off a chunk; true if it was there. */
function takeEndMark(chunk: DuckDBDataChunk): boolean {
  const isEnd = chunk.getColumnVector(chunk.columnCount - 1).getItem(chunk.rowCount - 1) === true;
  if (isEnd) chunk.rowCount -= 1;
  return isEnd;
}

type FetchedChunk = ReturnType<DuckDBResult['fetchChunk']>;

/** The next chunk comes while whoever takes the chunks is at the one before it. */
function fetchAhead(result: DuckDBResult): FetchedChunk {
  const fetched = result.fetchChunk();
  // A failure is met when the chunk is taken.
  fetched.catch(() => undefined);
  return fetched;
}

/** As few steps as the engine has: each one waits for whatever else the main thread is at. */
async function runQuery(
  connection: DuckDBConnection,
  { sql, values, types }: CompiledQuery,
  { isStreamed = false, onFound }: ChunkOptions,
): Promise<DuckDBResult> {
  const prepared = await connection.prepare(sql);
  try {
    prepared.bind([...values], [...types]);
    if (isStreamed) return await prepared.stream();
    const result = await prepared.run();
    onFound?.(result);
    return result;
  } finally {
    prepared.destroySync();
  }
}

export class QueryConnections {
  readonly #instance: DuckDBInstance;
  readonly #idleMax: number;
  readonly #idle: DuckDBConnection[] = [];
  readonly #access: EngineAccess | undefined;

  constructor(instance: DuckDBInstance, idleMax: number, access?: EngineAccess) {
    this.#access = access;
    this.#instance = instance;
    this.#idleMax = idleMax;
  }

  /**
   * Rejects with the signal's reason once it is aborted. Whoever takes no more chunks gives the
   * connection back by ending the iteration.
   */
  async *chunks(
    query: CompiledQuery,
    signal: AbortSignal,
    options: ChunkOptions = {},
  ): AsyncGenerator<DuckDBDataChunk> {
    signal.throwIfAborted();
    await this.#access?.renew(this.#instance);
    const connection = this.#idle.pop() ?? (await this.#instance.connect());
    const stopInterrupting = interruptOnAbort(connection, signal);
    const { isStreamed = false, isUnproven = false, count } = options;
    const isMarked = isStreamed && !isUnproven && !count;
    let isUnfinished = isStreamed;
    const counted = count && this.#countRows(count, signal);
    // A failure is met when the number is asked for.
    counted?.catch(() => undefined);
    let fetched: FetchedChunk | null = null;
    try {
      signal.throwIfAborted();
      const result = await runQuery(connection, isMarked ? withEndMark(query) : query, options);
      const countedRows = await counted;
      if (countedRows !== undefined) options.onCounted?.(countedRows);
      const isWhole = result instanceof DuckDBMaterializedResult;
      let leftCount = (isWhole ? result.rowCount : countedRows) ?? Number.POSITIVE_INFINITY;
      // Counted rows are read to the stream's own end, so that the two have to agree.
      while (leftCount > 0 || counted) {
        signal.throwIfAborted();
        const chunk = await (fetched ?? result.fetchChunk());
        fetched = null;
        if (chunk === null || chunk.rowCount === 0) break;
        leftCount = isMarked && takeEndMark(chunk) ? 0 : leftCount - chunk.rowCount;
        if ((leftCount > 0 || counted) && !isUnproven) fetched = fetchAhead(result);
        if (chunk.rowCount > 0) yield chunk;
        countReadChunk(chunk);
      }
      if (leftCount !== 0 && !isUnproven) throw new Error(BROKEN_OFF);
      isUnfinished = false;
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      stopInterrupting();
      await counted?.catch(() => undefined);
      if (isUnfinished) connection.interrupt();
      await fetched?.catch(() => undefined);
      this.#release(connection, isUnfinished || signal.aborted);
    }
  }

  async #countRows(query: CompiledQuery, signal: AbortSignal): Promise<number> {
    const [count] = (await this.firstRow(query, signal)) ?? [];
    return Number(count ?? Number.NaN);
  }

  /** Runs work on a connection, which is interrupted once the signal is aborted. */
  async run<T>(
    work: (connection: DuckDBConnection) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    signal.throwIfAborted();
    const connection = this.#idle.pop() ?? (await this.#instance.connect());
    const stopInterrupting = interruptOnAbort(connection, signal);
    try {
      return await work(connection);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      stopInterrupting();
      this.#release(connection, signal.aborted);
    }
  }

  /** The only row of a query's result, or null. */
  async firstRow(query: CompiledQuery, signal: AbortSignal): Promise<readonly unknown[] | null> {
    let row: readonly unknown[] | null = null;
    for await (const chunk of this.chunks(query, signal)) row ??= chunk.getRows()[0] ?? null;
    return row;
  }

  /** An interrupted connection is not used again: a late interrupt would hit the next query. */
  #release(connection: DuckDBConnection, isInterrupted: boolean): void {
    if (isInterrupted || this.#idle.length >= this.#idleMax) connection.closeSync();
    else this.#idle.push(connection);
  }

  close(): void {
    for (const connection of this.#idle.splice(0)) connection.closeSync();
    this.#instance.closeSync();
  }
}
