/** Parts as they lie in the tables of a lake: made, held against each other, digested and dropped. */
import { createHash } from 'node:crypto';
import type { Dataset } from '../../catalog/dataset.ts';
import type { ColumnBatch } from '../columns.ts';
import { createTableSql, EMPTY_PART_ORDINAL, type Place } from './places.ts';
import { encodeRows, withPart } from './row-binary.ts';
import type { Server } from './server.ts';
import type { Shard } from './shards.ts';
import { integerSql, nameSql, textSql } from './sql-values.ts';

/** Rows that are read at once, so that a server need not sort them all. */
const READ_ROWS = 1_048_576;

export interface InsertedRows {
  readonly rowCount: number;
  readonly byteCount: number;
  /** SHA-256 of the rows, in hexadecimal. */
  readonly digest: string;
}

/** Inserts rows, in their order, into a part that does not exist yet. */
export async function insertRows(
  server: Server,
  shard: Shard,
  { table, number }: Place,
  dataset: Dataset,
  batches: AsyncIterable<ColumnBatch>,
  signal: AbortSignal,
): Promise<InsertedRows> {
  const name = shard.tableSql(table);
  await server.run(createTableSql(name, dataset), signal);
  const hash = createHash('sha256');
  let [rowCount, byteCount] = [0, 0];
  async function* chunks() {
    for await (const batch of batches) {
      const encoded = encodeRows(dataset.columns, batch, rowCount);
      hash.update(encoded.bytes);
      byteCount += encoded.bytes.length;
      rowCount += batch.rowCount;
      yield withPart(encoded, number);
    }
  }
  const columns = ['part', 'ord', ...dataset.columns.map((column) => column.name)].map(nameSql);
  const insert = `INSERT INTO ${name} (${columns.join(', ')}) FORMAT RowBinary`;
  await server.insert(insert, chunks(), signal);
  if (rowCount === 0) {
    const values = `(${integerSql(number)}, ${integerSql(EMPTY_PART_ORDINAL)})`;
    await server.run(`INSERT INTO ${name} (part, ord) VALUES ${values}`, signal);
  }
  return { rowCount, byteCount, digest: hash.digest('hex') };
}

/** Whether the only row of a part says that it has none. */
export async function isEmptyPart(
  server: Server,
  shard: Shard,
  { table, number }: Place,
  signal: AbortSignal,
): Promise<boolean> {
  const rows = await server.rows(
    [
      `SELECT count() AS found FROM ${shard.tableSql(table)}`,
      `WHERE part = ${integerSql(number)} AND ord = ${integerSql(EMPTY_PART_ORDINAL)}`,
    ].join(' '),
    ['count'],
    signal,
  );
  return rows[0]?.[0] !== 0;
}

/** The columns of a table, but for those that place its rows. */
async function columnNames(server: Server, shard: Shard, table: string, signal: AbortSignal) {
  const rows = await server.rows(
    [
      'SELECT toNullable(name) AS name FROM system.columns WHERE database = currentDatabase()',
      `AND table = ${textSql(shard.tableName(table))}`,
    ].join(' '),
    ['text'],
    signal,
  );
  return rows.map(([name]) => String(name)).filter((name) => name !== 'part' && name !== 'ord');
}

/** SHA-256 of a part's rows on a server, as they were inserted. */
export async function digestOfPart(
  server: Server,
  shard: Shard,
  { table, number }: Place,
  rowCount: number,
  signal: AbortSignal,
): Promise<string> {
  const names = ['ord', ...(await columnNames(server, shard, table, signal))].map(nameSql);
  const hash = createHash('sha256');
  for (let start = 0; start < rowCount; start += READ_ROWS) {
    const query = [
      `SELECT ${names.join(', ')} FROM ${shard.tableSql(table)} WHERE part = ${integerSql(number)}`,
      `AND ord >= ${start} AND ord < ${start + READ_ROWS} ORDER BY ord FORMAT RowBinary`,
    ].join(' ');
    for await (const chunk of server.bytes(query, signal)) hash.update(chunk);
  }
  return hash.digest('hex');
}

/** A number by which copies of a part on several servers are told apart. */
export async function checksumOfPart(
  server: Server,
  shard: Shard,
  { table, number }: Place,
  signal: AbortSignal,
): Promise<unknown> {
  const names = await columnNames(server, shard, table, signal);
  const parts = names.map(nameSql).flatMap((name) => [`isNull(${name})`, `assumeNotNull(${name})`]);
  const [row] = await server.rows(
    [
      `SELECT toNullable(reinterpretAsInt64(reinterpretAsString(groupBitXor(cityHash64(ord, ${parts.join(', ')}))))) AS sum`,
      `FROM ${shard.tableSql(table)} WHERE part = ${integerSql(number)}`,
    ].join(' '),
    ['integer'],
    signal,
  );
  return row?.[0];
}

const NO_TABLE_CODE = '60';

/** Drops a part from all replicas of its shard, where it is; rejects once all were told, if one failed. */
export async function dropPart(shard: Shard, { table, number }: Place): Promise<void> {
  const query = `ALTER TABLE ${shard.tableSql(table)} DROP PARTITION ${integerSql(number)}`;
  const drops = await Promise.allSettled(shard.replicas.map((server) => server.run(query)));
  for (const [r, drop] of drops.entries()) {
    if (drop.status === 'fulfilled') continue;
    if (shard.replicas[r]?.codeOf(drop.reason) !== NO_TABLE_CODE) throw drop.reason;
  }
}
