/** The control store in PostgreSQL, as tests and the processes that they start open it. */
import { addressOf } from '../../../src/store/postgres/address.ts';
import { PostgresControlStore } from '../../../src/store/postgres/control-store.ts';

/** `location`: the URL of a database. */
export async function openStore(location: string): Promise<PostgresControlStore> {
  const address = addressOf(location);
  if (!address) throw new Error(`no address: ${location}`);
  return PostgresControlStore.open(address);
}
