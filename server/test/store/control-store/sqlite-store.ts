/** The control store in SQLite, as tests and the processes that they start open it. */
import { SqliteControlStore } from '../../../src/store/sqlite/control-store.ts';

/** `location`: path of the file. */
export async function openStore(location: string): Promise<SqliteControlStore> {
  return new SqliteControlStore(location);
}
