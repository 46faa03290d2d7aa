/** The lake's index in SQLite, as tests and the processes that they start open it. */
import { SqliteLakeIndex } from '../../src/store/sqlite/lake-index.ts';

/** `location`: path of the file. */
export async function openIndex(location: string): Promise<SqliteLakeIndex> {
  return new SqliteLakeIndex(location);
}
