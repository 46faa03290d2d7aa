/** The mark that says whose the parts in a cluster are: the last row of a table that each server has. */
import type { PlaceMark } from '../engine.ts';
import type { Shard } from './shards.ts';
import { integerSql, textSql } from './sql-values.ts';

const TABLE = 'ticklake_owner';
const NO_TABLE_CODE = '60';

const never = new AbortController().signal;

/** What a server that is away has missed, the others know. */
export function clusterMark(shards: readonly Shard[]): PlaceMark {
  const marksOf = (shard: Shard) =>
    shard.ofEach(async (server) => {
      const sql = `SELECT toUInt64(number) AS number, toNullable(mark) AS mark FROM ${TABLE} ORDER BY number DESC LIMIT 1`;
      try {
        const [row] = await server.rows(sql, ['count', 'text'], never);
        return row ? { number: Number(row[0]), text: `${row[1]}` } : null;
      } catch (error) {
        if (server.codeOf(error) === NO_TABLE_CODE) return null;
        throw error;
      }
    });
  const last = async () => {
    const found = (await Promise.all(shards.map(marksOf))).flat().filter((each) => each !== null);
    return found.sort((a, b) => b.number - a.number)[0] ?? null;
  };
  return {
    // A copy of a cluster cannot be told from it: the copy's store has to claim it.
    place: async () => TABLE,
    read: async () => (await last())?.text ?? null,
    write: async (text) => {
      const values = `(${integerSql(((await last())?.number ?? 0) + 1)}, ${textSql(text)})`;
      const columns = '(number UInt64, mark String) ENGINE = MergeTree ORDER BY number';
      for (const shard of shards) {
        await shard.ofEach(async (server) => {
          await server.run(`CREATE TABLE IF NOT EXISTS ${TABLE} ${columns}`, never);
          await server.run(`INSERT INTO ${TABLE} (number, mark) VALUES ${values}`, never);
        });
      }
    },
  };
}
