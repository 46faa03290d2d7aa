/**
 * Lets an engine read the objects of a lake: it loads the extension and has the credentials as a secret
 * for the prefix alone, whose values no query gets to see. Credentials that expire are renewed.
 */
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { type Clock, systemClock } from '../../../base/clock.ts';
import { quoteText } from '../sql-text.ts';
import { loadExtension } from './extension.ts';
import { ATTEMPTS_MAX, type ObjectClient, type ObjectCredentials } from './object-client.ts';

/** As early as the client itself fetches new ones; it hands out the old ones until it has them. */
const RENEWED_BEFORE_MS = 5 * 60_000;
const RETRY_AFTER_MS = 10_000;
/** Of a whole request, which may bring many megabytes over a slow line. */
const REQUEST_MAX_S = 20;

const SETTINGS: Readonly<Record<string, string | number>> = {
  // The extension takes them from the environment, and shows them to every query.
  s3_access_key_id: "''",
  s3_secret_access_key: "''",
  s3_session_token: "''",
  // What is in a file never changes, so that neither its size nor its bytes have to be asked for again.
  enable_http_metadata_cache: 'true',
  enable_external_file_cache: 'true',
  validate_external_file_cache: "'NO_VALIDATION'",
  http_timeout: REQUEST_MAX_S,
  http_retries: ATTEMPTS_MAX - 1,
};

export interface EngineAccessOptions {
  readonly client: ObjectClient;
  /** URL of the lake. */
  readonly root: string;
  /** Of the extension's file. */
  readonly extensions: string;
  readonly clock?: Clock;
}

export class EngineAccess {
  readonly #options: EngineAccessOptions;
  readonly #clock: Clock;
  /** Null: the credentials stay. */
  #renewAtMs: number | null = null;
  #renewal: Promise<void> | null = null;

  constructor(options: EngineAccessOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Before the engine is locked down. */
  async open(connection: DuckDBConnection): Promise<void> {
    await loadExtension(connection, this.#options.extensions);
    for (const [name, value] of Object.entries(SETTINGS)) {
      await connection.run(`SET GLOBAL ${name} = ${value}`);
    }
    await this.#putSecret(connection);
  }

  /** Before a query: resolves at once unless the credentials are about to expire. */
  async renew(instance: DuckDBInstance): Promise<void> {
    if (this.#renewAtMs === null || this.#clock.now() < this.#renewAtMs) return;
    this.#renewal ??= this.#renew(instance).finally(() => {
      this.#renewal = null;
    });
    await this.#renewal;
  }

  async #renew(instance: DuckDBInstance): Promise<void> {
    const connection = await instance.connect();
    try {
      await this.#putSecret(connection);
    } catch {
      // Queries go on with those there are, and say so themselves once these count no more.
      this.#renewAtMs = this.#clock.now() + RETRY_AFTER_MS;
    } finally {
      connection.closeSync();
    }
  }

  async #putSecret(connection: DuckDBConnection): Promise<void> {
    const credentials = await this.#options.client.credentials();
    const sql = secretSql(credentials, await this.#options.client.region(), this.#options);
    try {
      await connection.run(sql);
    } catch {
      // DuckDB's own message would show the statement.
      throw new Error('the engine does not take the credentials of the object storage');
    }
    const { expiresAtMs } = credentials;
    const soonestMs = this.#clock.now() + RETRY_AFTER_MS;
    this.#renewAtMs =
      expiresAtMs === null ? null : Math.max(soonestMs, expiresAtMs - RENEWED_BEFORE_MS);
  }
}

function secretSql(
  { keyId, secret, sessionToken }: ObjectCredentials,
  region: string,
  { client: { endpoint }, root }: EngineAccessOptions,
): string {
  const { protocol, host } = new URL(endpoint ?? 'https://s3.amazonaws.com');
  const values = {
    KEY_ID: quoteText(keyId),
    SECRET: quoteText(secret),
    ...(sessionToken !== null && { SESSION_TOKEN: quoteText(sessionToken) }),
    REGION: quoteText(region),
    ...(endpoint !== null && { ENDPOINT: quoteText(host), URL_STYLE: quoteText('path') }),
    USE_SSL: `${protocol === 'https:'}`,
    SCOPE: quoteText(`${root}/`),
  };
  const list = Object.entries(values).map(([name, value]) => `${name} ${value}`);
  return `CREATE OR REPLACE SECRET lake (TYPE s3, PROVIDER config, ${list.join(', ')})`;
}
