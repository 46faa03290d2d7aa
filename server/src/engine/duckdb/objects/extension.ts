/** DuckDB's extension for object storage: a file that DuckDB itself has signed, for one release of it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance, version } from '@duckdb/node-api';
import { UsageError } from '../../../base/errors.ts';
import { makeFolder } from '../../../base/make-folder.ts';
import { quoteText } from '../sql-text.ts';

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

/** Loads it, before the engine is locked down. Rejects with a `UsageError` where it is not there. */
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

/** Downloads it into the folder, unless it is there. Rejects with a `UsageError` where it cannot be had. */
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
