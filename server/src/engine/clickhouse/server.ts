/** One ClickHouse server: what is asked of it, and how its failures are told apart. */
import { Readable } from 'node:stream';
import { type ClickHouseClient, ClickHouseError, createClient } from '@clickhouse/client';
import { type CellValue, type ColumnBatch, cellAt } from '../columns.ts';
import { BUSY, failuresByCode, StoreError, type StoreFailure } from '../store-failures.ts';
import { type AnsweredColumn, arrowBatches, BrokenStreamError } from './arrow-rows.ts';
import { type BoundValues, textSql } from './conditions.ts';

export interface Login {
  readonly username: string;
  readonly password: string;
}

export interface ServerOptions extends Login {
  /** `http://host:port` or `https://…`. */
  readonly url: string;
  readonly database: string;
  readonly connectionsMax: number;
  readonly timeoutMs: number;
}

const UNREACHABLE: StoreFailure = {
  reason: 'it cannot be reached',
  remedy: 'start the server, or correct TICKLAKE_LAKE',
};
const NO_DATABASE: StoreFailure = {
  reason: 'there is no such database',
  remedy: 'create it on every server, or correct TICKLAKE_LAKE',
};
const NOT_ITS_DATABASE: StoreFailure = {
  reason: 'its user may not use the database, or there is none',
  remedy: 'create it, and give the user the rights that docs/clickhouse.md names',
};
const FORBIDDEN: StoreFailure = {
  reason: 'its user may not do that',
  remedy: 'give the user the rights that docs/clickhouse.md names',
};
const REFUSED: StoreFailure = {
  reason: 'it does not accept the user or the password',
  remedy: 'check TICKLAKE_CLICKHOUSE_WRITER_PASSWORD and TICKLAKE_CLICKHOUSE_READER_PASSWORD',
};
const UNTRUSTED: StoreFailure = {
  reason: 'its certificate is not trusted',
  remedy: 'name the authority in NODE_EXTRA_CA_CERTS',
};
const EXPIRED: StoreFailure = {
  reason: 'its certificate has expired',
  remedy: 'have it renewed',
};
const OTHER_NAME: StoreFailure = {
  reason: 'its certificate is for another name',
  remedy: 'name the server in TICKLAKE_LAKE as its certificate does',
};
const PLAIN: StoreFailure = {
  reason: 'it does not speak TLS on that port',
  remedy: 'name its port for HTTPS in TICKLAKE_LAKE, or add ?tls=off',
};

/** By the number of a server's error, which any other server would repeat. */
const REFUSALS = failuresByCode([
  [NO_DATABASE, '81'],
  [NOT_ITS_DATABASE, '291'],
  [FORBIDDEN, '164', '497'],
  [REFUSED, '192', '193', '194', '195', '516'],
]);

/** By the code of the connection. */
const BROKEN_CONNECTIONS = failuresByCode([
  [UNTRUSTED, 'DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN'],
  [UNTRUSTED, 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  [EXPIRED, 'CERT_HAS_EXPIRED'],
  [OTHER_NAME, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  [PLAIN, 'ERR_SSL_WRONG_VERSION_NUMBER', 'EPROTO'],
]);

/** A server that does not answer, or has ceased to: another one may. */
export class ServerDownError extends StoreError {
  override readonly name = 'ServerDownError';

  constructor(url: string, cause: unknown) {
    const { message, code } = cause as NodeJS.ErrnoException;
    const ofConnection = BROKEN_CONNECTIONS.get(`${code}`) ?? UNREACHABLE;
    const failure = codeOf(cause) === null ? ofConnection : BUSY;
    super(url, `does not answer: ${message || code}`, failure, cause);
  }
}

/** A refusal that any other server would repeat. */
export class ServerRefusal extends StoreError {
  override readonly name = 'ServerRefusal';

  constructor(url: string, failure: StoreFailure, cause: unknown) {
    super(url, `refuses: ${(cause as Error).message}`, failure, cause);
  }
}

const CODE = /^Code: (\d+)/;

/** The number of a server's own error; null: the server itself did not get as far. */
export function codeOf(error: unknown): string | null {
  if (error instanceof ClickHouseError) return error.code;
  if (error instanceof ServerRefusal) return codeOf(error.cause);
  return CODE.exec((error as Error).message)?.[1] ?? null;
}

const NO_TABLE_CODE = '60';

/** For `catch`: what is to be had of a table that is not there. */
export function ifNoTable<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (codeOf(error) === NO_TABLE_CODE) return instead;
    throw error;
  };
}

/** Numbers of errors that say nothing of the query, but that the server cannot run it now. */
const BUSY_CODES = new Set(['202', '210', '236', '279', '394']);

/** A filter that the server applies to the table, whatever the statement says. */
export interface Wall {
  readonly table: string;
  readonly condition: string;
}

export interface Question {
  readonly sql: string;
  /** Columns of the answer. */
  readonly columns: readonly AnsweredColumn[];
  /** Values that the statement names in braces. */
  readonly values?: BoundValues;
  readonly wall?: Wall | null;
}

export class Server {
  readonly url: string;
  readonly #client: ClickHouseClient;
  readonly #database: string;

  constructor(options: ServerOptions) {
    const { url, username, password, database, connectionsMax, timeoutMs } = options;
    this.url = url;
    this.#database = database;
    this.#client = createClient({
      ...{ url, username, password, database },
      max_open_connections: connectionsMax,
      request_timeout: timeoutMs,
      // Bodies are numbers, mostly: on a network of a data center they are sooner there as they
      // are.
      compression: { response: false, request: false },
      log: { level: 127 },
    });
  }

  #told(error: unknown): unknown {
    if (error instanceof BrokenStreamError) return error;
    const code = codeOf(error);
    if (code === null || BUSY_CODES.has(code)) return new ServerDownError(this.url, error);
    const refusal = REFUSALS.get(code);
    return refusal ? new ServerRefusal(this.url, refusal, error) : error;
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
   * The rows of an answer. Where nobody wants more of them, the connection is cut, at which the
   * server ends the query. Rejects with a `ServerDownError` where the server dies meanwhile.
   */
  async *batches(question: Question, signal: AbortSignal): AsyncGenerator<ColumnBatch> {
    signal.throwIfAborted();
    try {
      const { stream } = await this.#client.exec({
        query: `${question.sql} ${this.#ending(question)}`,
        query_params: { ...question.values?.params },
        abort_signal: signal,
      });
      yield* arrowBatches(stream, question.columns);
    } catch (error) {
      signal.throwIfAborted();
      throw this.#told(error);
    }
  }

  /** All rows of a small answer, as values in the order of the columns. */
  async rows(question: Question, signal: AbortSignal): Promise<CellValue[][]> {
    const rows: CellValue[][] = [];
    for await (const { rowCount, columns } of this.batches(question, signal)) {
      for (let row = 0; row < rowCount; row++) {
        rows.push(columns.map((vector) => cellAt(vector, row)));
      }
    }
    return rows;
  }

  /** The server's release, such as `26.8.1.1`. */
  async version(signal: AbortSignal): Promise<string> {
    const columns = [{ name: 'version', dataType: 'string' as const }];
    const [row] = await this.rows({ sql: 'SELECT version() AS version', columns }, signal);
    return String(row?.[0]);
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  #ending({ wall }: Question): string {
    const settings = ["output_format_arrow_compression_method = 'none'"];
    if (wall) {
      const table = textSql(`${this.#database}.${wall.table}`);
      settings.push(`additional_table_filters = {${table}: ${textSql(wall.condition)}}`);
    }
    return `SETTINGS ${settings.join(', ')} FORMAT ArrowStream`;
  }
}
