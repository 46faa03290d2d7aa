/** The mark that says whose the parts in a cluster are: the last row of a table that the first shard has. */
import type { PlaceMark } from '../engine.ts';
import type { Shard } from './shards.ts';
import { integerSql, textSql } from './sql-values.ts';

const TABLE = 'ticklake_owner';
const NO_TABLE_CODE = '60';
const CREATE = `CREATE TABLE IF NOT EXISTS ${TABLE} (number UInt64, mark String) ENGINE = MergeTree ORDER BY number`;
const LAST = `SELECT toUInt64(number) AS number, toNullable(mark) AS mark FROM ${TABLE} ORDER BY number DESC LIMIT 1`;

const never = new AbortController().signal;

/** What a replica that is away has missed, the others know. */
export function clusterMark(shard: Shard): PlaceMark {
  const last = async () => {
    const found = await shard.ofEach((server) =>
      server.rows(LAST, ['count', 'text'], never).catch((error: unknown) => {
        if (server.codeOf(error) === NO_TABLE_CODE) return [];
        throw error;
      }),
    );
    return found.flat().sort((a, b) => Number(b[0]) - Number(a[0]))[0] ?? [0, null];
  };
  return {
    // A copy of a cluster cannot be told from it: the copy's store has to claim it.
    place: async () => TABLE,
    read: async () => (await last())[1] as string | null,
    write: async (text) => {
      const row = `(${integerSql(Number((await last())[0]) + 1)}, ${textSql(text)})`;
      await shard.ofEach(async (server) => {
        await server.run(CREATE, never);
        await server.run(`INSERT INTO ${TABLE} (number, mark) VALUES ${row}`, never);
      });
    },
  };
}
