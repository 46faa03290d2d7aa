/**
 * Reads Arrow streams with a reader independent of the writer. Integers, times and decimals come as
 * bigint, dates as `YYYY-MM-DD`.
 */
import {
  type Data,
  DataType,
  type Field,
  type Table,
  tableFromIPC,
  type Vector,
} from 'apache-arrow';
import { dateOfDays } from '../src/engine/columns.ts';
import type { Cell } from './oracle/read-rows.ts';

const WORD = 32n;

/** Units of the last digit, of four words. */
function unitsAt(words: Uint32Array, row: number): bigint {
  const four = [...words.subarray(row * 4, row * 4 + 4)];
  const units = four.reduceRight((sum, word) => (sum << WORD) | BigInt(word), 0n);
  return BigInt.asIntN(128, units);
}

function itemsOf(value: Vector): Cell {
  return value.data.flatMap((data) => cellsOfData(value, data)) as Cell;
}

type CellReader = (data: Data, row: number) => unknown;

function readerOf({ type }: Vector, vector: Vector): CellReader {
  if (DataType.isDate(type)) return ({ values }, row) => dateOfDays(values[row] as number);
  if (DataType.isDecimal(type)) return ({ values }, row) => unitsAt(values as Uint32Array, row);
  if (DataType.isInt(type) || DataType.isTimestamp(type) || DataType.isFloat(type)) {
    return ({ values }, row) => values[row];
  }
  const first = new Map<Data, number>();
  let count = 0;
  for (const data of vector.data) {
    first.set(data, count);
    count += data.length;
  }
  return (data, row) => {
    const value = vector.get((first.get(data) as number) + row);
    return DataType.isList(type) ? itemsOf(value) : value;
  };
}

function cellsOfData(vector: Vector, data: Data): Cell[] {
  const read = readerOf(vector, vector);
  return Array.from({ length: data.length }, (_, row) =>
    data.getValid(row) ? (read(data, row) as Cell) : null,
  );
}

export interface ArrowPage {
  readonly names: readonly string[];
  /** As the reader says them, such as `Timestamp<NANOSECOND, America/New_York>`. */
  readonly types: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly rows: readonly (readonly Cell[])[];
}

const typeText = ({ type }: Field) =>
  DataType.isDecimal(type) ? `Decimal<${type.precision}, ${type.scale}>` : String(type);

export function arrowPage(bytes: Uint8Array): ArrowPage {
  const table: Table = tableFromIPC(bytes);
  const columns = table.schema.fields.map((_, c) => {
    const vector = table.getChildAt(c) as Vector;
    return vector.data.flatMap((data) => cellsOfData(vector, data));
  });
  return {
    names: table.schema.fields.map(({ name }) => name),
    types: table.schema.fields.map(typeText),
    labels: Object.fromEntries(table.schema.metadata),
    rows: Array.from({ length: table.numRows }, (_, row) =>
      columns.map((cells) => cells[row] as Cell),
    ),
  };
}
