/** Runs compiled queries on pooled connections, and really stops those whose signal is aborted. */
import type {
  DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  DuckDBMaterializedResult,
} from '@duckdb/node-api';
import type { CompiledQuery } from './compile-query.ts';

/** An interrupt that comes before the execution has begun is lost, so it is said again. */
const INTERRUPT_EVERY_MS = 10;

/** Interrupts the connection once the signal is aborted, until the returned function is called. */
function interruptOnAbort(connection: DuckDBConnection, signal: AbortSignal): () => void {
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

/** As few steps as the engine has: each one waits for whatever else the main thread is at. */
async function runQuery(
  connection: DuckDBConnection,
  { sql, values, types }: CompiledQuery,
): Promise<DuckDBMaterializedResult> {
  const prepared = await connection.prepare(sql);
  try {
    prepared.bind([...values], [...types]);
    return await prepared.run();
  } finally {
    prepared.destroySync();
  }
}

export class QueryConnections {
  readonly #instance: DuckDBInstance;
  readonly #idleMax: number;
  readonly #idle: DuckDBConnection[] = [];

  constructor(instance: DuckDBInstance, idleMax: number) {
    this.#instance = instance;
    this.#idleMax = idleMax;
  }

  /**
   * Rejects with the signal's reason once it is aborted. `onFound` hears of the result as soon as it
   * is complete, before its first chunk is handed out.
   */
  async *chunks(
    query: CompiledQuery,
    signal: AbortSignal,
    onFound?: (result: DuckDBMaterializedResult) => void,
  ): AsyncGenerator<DuckDBDataChunk> {
    signal.throwIfAborted();
    const connection = this.#idle.pop() ?? (await this.#instance.connect());
    const stopInterrupting = interruptOnAbort(connection, signal);
    try {
      signal.throwIfAborted();
      const result = await runQuery(connection, query);
      onFound?.(result);
      for (let leftCount = result.rowCount; leftCount > 0; ) {
        signal.throwIfAborted();
        const chunk = await result.fetchChunk();
        if (chunk === null) throw new Error('the engine has fewer rows than it said');
        leftCount -= chunk.rowCount;
        yield chunk;
      }
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
