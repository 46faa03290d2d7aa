/** Runs compiled queries on pooled connections, and really stops those whose signal is aborted. */
import type { DuckDBConnection, DuckDBDataChunk, DuckDBInstance } from '@duckdb/node-api';
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

export class QueryConnections {
  readonly #instance: DuckDBInstance;
  readonly #idleMax: number;
  readonly #idle: DuckDBConnection[] = [];

  constructor(instance: DuckDBInstance, idleMax: number) {
    this.#instance = instance;
    this.#idleMax = idleMax;
  }

  /** Rejects with the signal's reason once it is aborted. */
  async *chunks(query: CompiledQuery, signal: AbortSignal): AsyncGenerator<DuckDBDataChunk> {
    signal.throwIfAborted();
    const connection = this.#idle.pop() ?? (await this.#instance.connect());
    const stopInterrupting = interruptOnAbort(connection, signal);
    try {
      signal.throwIfAborted();
      const result = await connection.run(query.sql, [...query.values], [...query.types]);
      for (;;) {
        signal.throwIfAborted();
        const chunk = await result.fetchChunk();
        if (chunk === null || chunk.rowCount === 0) return;
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
