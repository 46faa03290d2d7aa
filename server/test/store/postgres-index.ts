/** The lake's index in PostgreSQL, as tests and the processes that they start open it. */
import type { LakeIndex } from '../../src/store/lake-index.ts';
import { addressOf } from '../../src/store/postgres/address.ts';
import { openLakeIndex } from '../../src/store/postgres/lake-index.ts';

/** `location`: the URL of a database. */
export async function openIndex(location: string): Promise<LakeIndex> {
  const address = addressOf(location);
  if (!address) throw new Error(`no address: ${location}`);
  return openLakeIndex(address);
}
