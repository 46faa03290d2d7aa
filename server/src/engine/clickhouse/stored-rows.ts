/** Parts in tables: inserted, compared, digested and dropped. */
import { createHash, type Hash } from 'node:crypto';
import type { Column, Dataset } from '../../catalog/dataset.ts';
import { arrowColumn } from '../../formats/arrow/columns.ts';
import { fieldsOf } from '../../formats/arrow/fields.ts';
import {
  type ArrowField,
  END_OF_STREAM,
  intType,
  recordBatch,
  schemaMessage,
} from '../../formats/arrow/messages.ts';
import type { ColumnBatch, ColumnVector } from '../columns.ts';
import { nameSql } from './conditions.ts';
import { createTableSql, EMPTY_PART_ORDINAL, type Place } from './places.ts';
import { ifNoTable, type Server } from './server.ts';
import type { Shard } from './shards.ts';
import { numberColumn } from './sources.ts';

/** Rows of a record batch, always: so the same rows are the same bytes. */
const BATCH_ROWS = 65_536;

const NO_NULLS = Buffer.alloc(0);

function storedField(field: ArrowField, { dataType }: Column): ArrowField {
  if (dataType === 'date') return { ...field, type: intType(32) };
  return dataType === 'date-time' ? { ...field, type: intType(64) } : field;
}

/** No array of a table is null: one whose only item is null stands for none. */
function storedVector(vector: ColumnVector): ColumnVector {
  if (!vector.type.startsWith('array')) return vector;
  const values = (vector as { values: readonly unknown[] }).values.map((value) => value ?? [null]);
  return { type: vector.type, values } as unknown as ColumnVector;
}

export interface StoredRows {
  readonly rowCount: number;
  readonly byteCount: number;
  /** SHA-256 of their columns, in hexadecimal. */
  readonly sha256: string;
}

/** Writes record batches and digests their columns, without the part's number. */
export class RowEncoder {
  readonly #columns;
  readonly #fields: readonly ArrowField[];
  readonly #hash: Hash = createHash('sha256');
  #rowCount = 0;
  #byteCount = 0;
  /** Rows that are in no record batch yet. */
  #pending = 0;

  constructor(columns: readonly Column[]) {
    this.#columns = columns.map((column) => arrowColumn(column, null));
    this.#fields = fieldsOf(columns, 'UTC', false).map((field, c) =>
      storedField(field, columns[c] as Column),
    );
  }

  schema(): Buffer {
    const keys = ['part', 'ord'].map((name) => ({ name, type: intType(64), dictionaryId: null }));
    return schemaMessage([...keys, ...this.#fields], {});
  }

  /** The record batches that are full. */
  *append({ rowCount, columns }: ColumnBatch, part: bigint): Generator<Uint8Array[]> {
    const vectors = columns.map(storedVector);
    for (let first = 0; first < rowCount; ) {
      const end = Math.min(rowCount, first + BATCH_ROWS - this.#pending);
      this.#columns.forEach((column, c) => {
        column.append(vectors[c] as ColumnVector, first, end);
      });
      this.#pending += end - first;
      first = end;
      if (this.#pending === BATCH_ROWS) yield* this.rest(part);
    }
  }

  /** The rows that are left. */
  *rest(part: bigint): Generator<Uint8Array[]> {
    const length = this.#pending;
    if (length === 0) return;
    const taken = this.#columns.map((column) => column.take());
    const nodes = taken.flatMap((rows) => rows.nodes);
    const buffers = taken.flatMap((rows) => rows.buffers);
    this.#hash.update(JSON.stringify([length, nodes, buffers.map((each) => each.length)]));
    for (const buffer of buffers) {
      this.#hash.update(buffer);
      this.#byteCount += buffer.length;
    }
    const ordinals = BigInt64Array.from({ length }, (_, row) => BigInt(this.#rowCount + row));
    const keys = [new BigInt64Array(length).fill(part), ordinals];
    const keyBuffers = keys.flatMap(({ buffer }) => [NO_NULLS, new Uint8Array(buffer)]);
    const keyNodes = keys.map(() => ({ length, nullCount: 0 }));
    yield recordBatch({
      length,
      nodes: [...keyNodes, ...nodes],
      buffers: [...keyBuffers, ...buffers],
    });
    this.#rowCount += length;
    this.#pending = 0;
  }

  told(): StoredRows {
    const [rowCount, byteCount] = [this.#rowCount, this.#byteCount];
    return { rowCount, byteCount, sha256: this.#hash.digest('hex') };
  }
}

/** A part of a table on one of the servers that have it. */
export interface PlaceOnServer {
  readonly server: Server;
  readonly shard: Shard;
  readonly place: Place;
}

/** Inserts rows, in their order, into a part that does not exist yet. */
export async function insertRows(
  { server, shard, place: { table, number } }: PlaceOnServer,
  dataset: Dataset,
  batches: AsyncIterable<ColumnBatch>,
  signal: AbortSignal,
): Promise<StoredRows> {
  const name = shard.tableSql(table);
  await server.run(createTableSql(name, dataset), signal);
  const encoder = new RowEncoder(dataset.columns);
  async function* chunks() {
    yield encoder.schema();
    for await (const batch of batches) {
      for (const pieces of encoder.append(batch, number)) yield Buffer.concat(pieces);
    }
    for (const pieces of encoder.rest(number)) yield Buffer.concat(pieces);
    yield END_OF_STREAM;
  }
  const columns = ['part', 'ord', ...dataset.columns.map((column) => column.name)].map(nameSql);
  const insert = `INSERT INTO ${name} (${columns.join(', ')}) FORMAT ArrowStream`;
  await server.insert(insert, chunks(), signal);
  const stored = encoder.told();
  if (stored.rowCount === 0) {
    const values = `(${number}, ${EMPTY_PART_ORDINAL})`;
    await server.run(`INSERT INTO ${name} (part, ord) VALUES ${values}`, signal);
  }
  return stored;
}

/** True if the part's only row marks it as empty. */
export async function isEmptyPart(
  { server, shard, place: { table, number } }: PlaceOnServer,
  signal: AbortSignal,
): Promise<boolean> {
  const from = `FROM ${shard.tableSql(table)} WHERE part = ${number} AND ord = ${EMPTY_PART_ORDINAL}`;
  const sql = `SELECT toFloat64(count()) AS found ${from}`;
  const rows = await server.rows({ sql, columns: [numberColumn('found')] }, signal);
  return rows[0]?.[0] !== 0;
}

/** The digest of rows, as `insertRows` tells it of those that it sends. */
export async function sha256OfRows(
  columns: readonly Column[],
  batches: AsyncIterable<ColumnBatch>,
): Promise<string> {
  const encoder = new RowEncoder(columns);
  for await (const batch of batches) for (const _ of encoder.append(batch, 0n));
  for (const _ of encoder.rest(0n));
  return encoder.told().sha256;
}

/** A checksum of a part's rows and their order, 64 digits in hexadecimal, by the server. */
export async function checksumOfPart(
  { server, shard, place: { table, number } }: PlaceOnServer,
  signal: AbortSignal,
): Promise<string> {
  const hash = 'reinterpretAsUInt256(SHA256(toString(tuple(* EXCEPT part))))';
  const checksum = `leftPad(lower(hex(sum(${hash}))), 64, '0') AS checksum`;
  const sql = `SELECT ${checksum} FROM ${shard.tableSql(table)} WHERE part = ${number}`;
  const columns = [{ name: 'checksum', dataType: 'string' as const }];
  const [row] = await server.rows({ sql, columns }, signal);
  return `${row?.[0]}`;
}

/** Drops a part from all replicas; rejects at the end if one failed. */
export async function dropPart(shard: Shard, { table, number }: Place): Promise<void> {
  const query = `ALTER TABLE ${shard.tableSql(table)} DROP PARTITION ${number}`;
  const drops = await Promise.allSettled(
    shard.replicas.map((server) => server.run(query).catch(ifNoTable(undefined))),
  );
  const failed = drops.find((drop) => drop.status === 'rejected');
  if (failed) throw failed.reason;
}
