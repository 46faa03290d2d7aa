/** The query engine over local Parquet files. */
import { mkdirSync } from 'node:fs';
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { QueryPlan } from '../../plan/query-plan.ts';
import type { ColumnBatch } from '../columns.ts';
import type { QueryEngine } from '../engine.ts';
import { compileQuery } from './compile-query.ts';
import { type LockedInstanceOptions, openLockedInstance } from './locked-instance.ts';
import { readBatch } from './read-batch.ts';

export interface DuckDBQueryEngineOptions extends LockedInstanceOptions {
  /** Connections that are kept for the next query. */
  readonly idleConnectionsMax: number;
}

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

class DuckDBQueryEngine implements QueryEngine {
  readonly #instance: DuckDBInstance;
  readonly #idleConnectionsMax: number;
  readonly #idle: DuckDBConnection[] = [];

  constructor(instance: DuckDBInstance, idleConnectionsMax: number) {
    this.#instance = instance;
    this.#idleConnectionsMax = idleConnectionsMax;
  }

  async *run(plan: QueryPlan, signal: AbortSignal): AsyncIterable<ColumnBatch> {
    signal.throwIfAborted();
    if (plan.partitions.length === 0) return;
    const connection = this.#idle.pop() ?? (await this.#instance.connect());
    const stopInterrupting = interruptOnAbort(connection, signal);
    try {
      signal.throwIfAborted();
      const { sql, values, types } = compileQuery(plan);
      const result = await connection.run(sql, [...values], [...types]);
      for (;;) {
        signal.throwIfAborted();
        const chunk = await result.fetchChunk();
        if (chunk === null || chunk.rowCount === 0) return;
        yield readBatch(plan.columns, chunk);
      }
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      stopInterrupting();
      this.#release(connection, signal.aborted);
    }
  }

  async check(): Promise<void> {
    const connection = await this.#instance.connect();
    try {
      await connection.run('SELECT 1');
    } finally {
      connection.closeSync();
    }
  }

  /** An interrupted connection is not used again: a late interrupt would hit the next query. */
  #release(connection: DuckDBConnection, isInterrupted: boolean): void {
    if (isInterrupted || this.#idle.length >= this.#idleConnectionsMax) connection.closeSync();
    else this.#idle.push(connection);
  }

  async close(): Promise<void> {
    for (const connection of this.#idle.splice(0)) connection.closeSync();
    this.#instance.closeSync();
  }
}

export async function openDuckDBQueryEngine(
  options: DuckDBQueryEngineOptions,
): Promise<QueryEngine> {
  mkdirSync(options.spillDirectory, { recursive: true });
  const instance = await openLockedInstance(options);
  return new DuckDBQueryEngine(instance, options.idleConnectionsMax);
}
