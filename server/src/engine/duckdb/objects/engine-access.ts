/**
 * Lets an engine read the objects of a lake: it loads the extension and has the credentials as a
 * secret for the prefix alone, whose values no query gets to see. Credentials that expire are
 * renewed.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance, version } from '@duckdb/node-api';
import { type Clock, systemClock } from '../../../base/clock.ts';
import { UsageError } from '../../../base/errors.ts';
import { makeFolder } from '../../../base/make-folder.ts';
import { quoteText } from '../sql-text.ts';
import { ATTEMPTS_MAX, type ObjectClient, type ObjectCredentials } from './object-client.ts';

const NAME = 'httpfs';
const FILE = `${NAME}.duckdb_extension`;
const OTHER_VERSION = /was built (specifically )?for/;

async function platformOf(connection: DuckDBConnection): Promise<string> {
  const [[platform] = []] = (await connection.runAndReadAll('PRAGMA platform')).getRows();
  return `${platform}`;
}

/** The folder itself, as packages have it, and as DuckDB installs it. */
async function findFile(connection: DuckDBConnection, folder: string): Promise<string | null> {
  const places = ['', version(), join(version(), await platformOf(connection))];
  return places.map((place) => join(folder, place, FILE)).find((file) => existsSync(file)) ?? null;
}

/** Loads it, before the engine is locked down. Rejects with a `UsageError` where it is not there */
export async function loadExtension(connection: DuckDBConnection, folder: string): Promise<void> {
  const file = await findFile(connection, folder);
  if (file === null) {
    throw new UsageError(
      `a lake in object storage needs DuckDB's extension ${NAME} ${version()}, ` +
        `and there is no ${FILE} in ${folder}; run ticklake init, or set TICKLAKE_EXTENSIONS`,
    );
  }
  try {
    await connection.run(`LOAD ${quoteText(file)}`);
  } catch (error) {
    const isOther = OTHER_VERSION.test((error as Error).message);
    const what = isOther ? `is not for DuckDB ${version()}` : 'is not an extension of DuckDB';
    throw new UsageError(`${file} ${what} on this platform; put the one for it in its place`);
  }
}

/**
 * Downloads it into the folder, unless it is there. Rejects with a `UsageError` where it cannot be
 * had.
 */
export async function installExtension(folder: string): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    if ((await findFile(connection, folder)) !== null) return;
    makeFolder(folder);
    await connection.run(`SET extension_directory = ${quoteText(folder)}`);
    await connection.run(`INSTALL ${NAME}`);
  } catch {
    throw new UsageError(
      `DuckDB's extension ${NAME} ${version()} cannot be downloaded; ` +
        `take ${FILE} from the package duckdb-extension-httpfs and put it into ${folder}`,
    );
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** As early as the client itself fetches new ones; it hands out the old ones until it has them. */
const RENEWED_BEFORE_MS = 5 * 60_000;
const RETRY_AFTER_MS = 10_000;
/** Limit for a whole request, which may bring many megabytes over a slow line. */
const REQUEST_MAX_S = 20;

const SETTINGS: Readonly<Record<string, string | number>> = {
  // The extension takes them from the environment, and shows them to every query.
  s3_access_key_id: "''",
  s3_secret_access_key: "''",
  s3_session_token: "''",
  // Files never change, so neither sizes nor bytes have to be asked for again.
  enable_http_metadata_cache: 'true',
  enable_external_file_cache: 'true',
  validate_external_file_cache: "'NO_VALIDATION'",
  http_timeout: REQUEST_MAX_S,
  http_retries: ATTEMPTS_MAX - 1,
};

interface EngineAccessOptions {
  readonly client: ObjectClient;
  /** URL of the lake. */
  readonly root: string;
  /** Folder of the extension's file. */
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
