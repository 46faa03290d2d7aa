/**
 * Reads Parquet answers with readers independent of the writer. Integers, times and decimals come
 * as bigint, dates as `YYYY-MM-DD`.
 */
import { type Field, MessageReader, type Schema, Timestamp } from 'apache-arrow';
import { parquetMetadata } from 'hyparquet';
import type { Column } from '../src/catalog/dataset.ts';
import { readParquet } from '../src/engine/conformance/read-parquet.ts';
import type { Cell } from './oracle/read-rows.ts';

export interface ParquetPage {
  readonly names: readonly string[];
  /** Time zone of the timestamps; '' if they have none. */
  readonly zone: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly rows: readonly (readonly Cell[])[];
}

const isZoned = ({ type }: Field) => type instanceof Timestamp;

function zoneOf({ fields }: Schema): string {
  return fields.find(isZoned)?.type.timezone ?? '';
}

export async function parquetPage(bytes: Buffer): Promise<ParquetPage> {
  const { key_value_metadata: pairs = [], schema } = parquetMetadata(new Uint8Array(bytes).buffer);
  const labels = Object.fromEntries(pairs.map(({ key, value }) => [key, value ?? '']));
  const message = new MessageReader(Buffer.from(labels['ARROW:schema'] ?? '', 'base64'));
  const arrow = message.readSchema();
  if (!arrow) throw new Error('the file has no Arrow schema');
  // Decimals are told by their own element; nothing else of a column is needed to read it.
  const columns = arrow.fields.map(({ name }): Column => {
    const element = schema.find((each) => each.name === name);
    const dataType = element?.converted_type === 'DECIMAL' ? 'decimal' : 'string';
    return { name, dataType, description: '', fractionDigits: 0 };
  });
  const { rows } = await readParquet(columns, bytes);
  return {
    names: arrow.fields.map(({ name }) => name),
    zone: zoneOf(arrow),
    labels,
    rows: rows as readonly (readonly Cell[])[],
  };
}
