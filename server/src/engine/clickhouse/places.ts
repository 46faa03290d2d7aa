/** Places of parts: shard, table and number. Pure, but for random numbers. */
import { createHash, randomBytes } from 'node:crypto';
import type { Dataset } from '../../catalog/dataset.ts';
import type { StoredColumn } from '../part.ts';
import { WHOLE_KEY } from '../partition-key.ts';
import { storedColumnsOf } from '../stored-columns.ts';
import { nameSql, typeSql } from './conditions.ts';

export interface Place {
  /** From 0, in the order of the configuration. */
  readonly shard: number;
  /** Without what a lake puts before it. */
  readonly table: string;
  readonly number: bigint;
}

const PLACE = /^(\d{1,4})\/([a-z0-9_]{1,150})\/(\d{1,20})$/;

/** Throws where the text is no location of this engine. */
export function placeOf(location: string): Place {
  const [, shard, table, number] = PLACE.exec(location) ?? [];
  if (table === undefined) throw new Error(`${location} is no place in ClickHouse`);
  return { shard: Number(shard), table, number: BigInt(number as string) };
}

export function locationOf({ shard, table, number }: Place): string {
  return `${shard}/${table}/${number}`;
}

const NAME_LENGTH_MAX = 80;
const FORM_DIGITS = 10;
const YEAR = /^\d{4}/;

/** Rows that are stored alike are in tables of the same form. */
function formOf(columns: readonly StoredColumn[]): string {
  const form = columns.map((column) => `${column.name} ${typeSql(column)}`).join('\n');
  return createHash('sha256').update(form).digest('hex').slice(0, FORM_DIGITS);
}

/**
 * A place that no part has had. A dataset has a table for each year, so that none has too many
 * partitions, and others for rows of a later definition. The number is drawn at random, of 63 bits.
 */
export function newPlace(dataset: Dataset, key: string, shardCount: number): Place {
  const name = dataset.textId
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .slice(0, NAME_LENGTH_MAX);
  const year = YEAR.exec(key)?.[0] ?? WHOLE_KEY;
  const number = randomBytes(8).readBigUInt64LE() >> 1n;
  const table = `${name}_${year}_${formOf(storedColumnsOf(dataset))}`;
  return { shard: Number(number % BigInt(shardCount)), table, number };
}

/**
 * A part without rows still is one: its partition has a row at this ordinal, which no row has and
 * no range of rows reaches.
 */
export const EMPTY_PART_ORDINAL = 2n ** 64n - 1n;

/** The statement that makes a table for the dataset; `name` is its name as SQL. */
export function createTableSql(name: string, { columns }: Dataset): string {
  const types = columns.map((column) => `${nameSql(column.name)} ${typeSql(column)}`);
  return [
    `CREATE TABLE IF NOT EXISTS ${name} (part UInt64, ord UInt64, ${types.join(', ')})`,
    'ENGINE = MergeTree PARTITION BY part ORDER BY (part, ord) SETTINGS index_granularity = 8192',
  ].join(' ');
}
