/** The lake's index in PostgreSQL, as tests and the processes that they start open it. */
import { addressOf } from '../../src/store/postgres/address.ts';
import { PostgresLakeIndex } from '../../src/store/postgres/lake-index.ts';

/** `location`: the URL of a database. */
export async function openIndex(location: string): Promise<PostgresLakeIndex> {
  const address = addressOf(location);
  if (!address) throw new Error(`no address: ${location}`);
  return PostgresLakeIndex.open(address);
}
