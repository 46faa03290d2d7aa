/** One ClickHouse server: what is asked of it, and how its failures are told apart. */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { type ClickHouseClient, ClickHouseError, createClient } from '@clickhouse/client';
import {
  type BlockColumn,
  BrokenStreamError,
  type NativeBlock,
  nativeBlocks,
} from './native-blocks.ts';
import { knowsParameters, type ParameterizedQuery, parameterized } from './parameters.ts';
import { textSql } from './sql-values.ts';
import { type Wall, wallSql } from './wall.ts';

export interface Login {
  readonly username: string;
  readonly password: string;
}

export interface ServerOptions extends Login {
  /** `http://host:port` or `https://…`. */
  readonly url: string;
  readonly database: string;
  /** PEM of whom to trust beside those that Node.js trusts. */
  readonly connectionsMax: number;
  readonly timeoutMs: number;
}

/** A server that does not answer, or has ceased to: another one may. */
export class ServerDownError extends Error {
  readonly url: string;

  constructor(url: string, cause: unknown) {
    super(
      `${url} does not answer: ${(cause as Error).message || (cause as { code?: string }).code}`,
      {
        cause,
      },
    );
    this.name = 'ServerDownError';
    this.url = url;
  }
}

/** What a server refuses whoever asks, and another one would, too. */
export class ServerRefusal extends Error {
  readonly url: string;

  constructor(url: string, cause: unknown) {
    super(`${url} refuses: ${(cause as Error).message}`, { cause });
    this.name = 'ServerRefusal';
    this.url = url;
  }
}

const CODE = /^Code: (\d+)/;

/** The number of a server's own error; null: the server itself did not get as far. */
export function codeOf(error: unknown): string | null {
  if (error instanceof ClickHouseError) return error.code;
  if (error instanceof ServerRefusal) return codeOf(error.cause);
  return CODE.exec((error as Error).message)?.[1] ?? null;
}

/** Numbers of errors that say nothing of the query, but that the server cannot run it now. */
const BUSY_CODES = new Set(['202', '210', '236', '279', '394']);

/** Numbers of errors that say nothing of the query, but who may ask for what. */
const REFUSAL_CODES = new Set(['81', '164', '192', '193', '194', '195', '291', '497', '516']);

const VERSION_QUERY = 'SELECT toNullable(version()) AS version FORMAT Native';

export class Server {
  readonly url: string;
  readonly #client: ClickHouseClient;
  readonly #database: string;
  /** Its release; null until it was asked. */
  #version: string | null = null;

  constructor(options: ServerOptions) {
    const { url, username, password, database, connectionsMax, timeoutMs } = options;
    this.url = url;
    this.#database = database;
    this.#client = createClient({
      ...{ url, username, password, database },
      max_open_connections: connectionsMax,
      request_timeout: timeoutMs,
      // Bodies are numbers, mostly: on a network of a data center they are sooner there as they are.
      compression: { response: false, request: false },
      log: { level: 127 },
    });
  }

  #told(error: unknown): unknown {
    const code = codeOf(error);
    if (code === null || BUSY_CODES.has(code)) return new ServerDownError(this.url, error);
    return REFUSAL_CODES.has(code) ? new ServerRefusal(this.url, error) : error;
  }

  /** Runs a statement that answers nothing. */
  async run(query: string, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    try {
      await this.#client.command({ query, ...(signal && { abort_signal: signal }) });
    } catch (error) {
      signal?.throwIfAborted();
      throw this.#told(error);
    }
  }

  /** Inserts what the chunks hold, rows in the format that the statement names. */
  async insert(query: string, chunks: AsyncIterable<Buffer>, signal: AbortSignal): Promise<void> {
    const values = Readable.from(chunks, { objectMode: false });
    try {
      const { stream } = await this.#client.exec({ query, values, abort_signal: signal });
      for await (const _ of stream);
    } catch (error) {
      signal.throwIfAborted();
      throw this.#told(error);
    } finally {
      values.destroy();
    }
  }

  /**
   * The blocks of an answer. Where nobody wants more of them, the query is ended on the server, too.
   * Rejects with a `ServerDownError` where the server dies meanwhile.
   */
  async *blocks(
    query: string,
    columns: readonly BlockColumn[],
    signal: AbortSignal,
    wall: Wall | null = null,
  ): AsyncGenerator<NativeBlock> {
    signal.throwIfAborted();
    const queryId = randomUUID();
    const end = new AbortController();
    let isOver = false;
    try {
      const { stream } = await this.#client.exec({
        ...(await this.#bound(query, ' FORMAT Native', signal, wall)),
        query_id: queryId,
        abort_signal: AbortSignal.any([signal, end.signal]),
      });
      yield* nativeBlocks(stream, columns);
      isOver = true;
    } catch (error) {
      signal.throwIfAborted();
      isOver = codeOf(error) !== null;
      throw error instanceof BrokenStreamError ? error : this.#told(error);
    } finally {
      if (!isOver) this.#kill(queryId, end);
    }
  }

  /** The bytes of an answer, in the format that the query names. */
  async *bytes(query: string, signal: AbortSignal): AsyncGenerator<Buffer> {
    signal.throwIfAborted();
    try {
      const bound = await this.#bound(query, '', signal);
      const { stream } = await this.#client.exec({ ...bound, abort_signal: signal });
      yield* stream as AsyncIterable<Buffer>;
    } catch (error) {
      signal.throwIfAborted();
      throw this.#told(error);
    }
  }

  /** Its release, such as `18.16.1`. */
  async version(signal: AbortSignal): Promise<string> {
    try {
      return await this.#askVersion(signal);
    } catch (error) {
      signal.throwIfAborted();
      throw this.#told(error);
    }
  }

  /** The number of an error of the server itself, or null. */
  codeOf(error: unknown): string | null {
    return codeOf(error);
  }

  /** All rows of a small answer, as values in the order of the columns. */
  async rows(
    query: string,
    columns: readonly BlockColumn[],
    signal: AbortSignal,
    wall: Wall | null = null,
  ): Promise<unknown[][]> {
    const rows: unknown[][] = [];
    for await (const block of this.blocks(query, columns, signal, wall)) {
      for (let row = 0; row < block.rowCount; row++) {
        rows.push(
          block.columns.map(({ values, nulls }) => (nulls?.[row] === 1 ? null : values[row])),
        );
      }
    }
    return rows;
  }

  /** Asks the least of questions. */
  async check(signal: AbortSignal): Promise<void> {
    await this.rows('SELECT toNullable(1) AS one', ['flag'], signal);
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  /** The statement as this server takes it: with its texts beside it and behind a wall, if it knows such. */
  async #bound(
    query: string,
    end: string,
    signal: AbortSignal,
    wall: Wall | null = null,
  ): Promise<ParameterizedQuery> {
    this.#version ??= await this.#askVersion(signal);
    const bound = knowsParameters(this.#version)
      ? parameterized(query)
      : { query, query_params: {} };
    return {
      ...bound,
      query: `${bound.query}${wallSql(this.#version, this.#database, wall)}${end}`,
    };
  }

  async #askVersion(signal: AbortSignal): Promise<string> {
    let version = '';
    const { stream } = await this.#client.exec({ query: VERSION_QUERY, abort_signal: signal });
    for await (const { columns } of nativeBlocks(stream, ['text'])) {
      version = String(columns[0]?.values[0]);
    }
    return version;
  }

  #kill(queryId: string, end: AbortController): void {
    end.abort();
    const query = `KILL QUERY WHERE query_id = ${textSql(queryId)} ASYNC`;
    this.#client.command({ query }).catch(() => undefined);
  }
}
