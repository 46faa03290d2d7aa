/** Row groups as the index stores them: one JSON text a part, column by column. */
import type { BoundValue, ColumnBounds, RowGroup } from '../../engine/part.ts';

/** 64-bit integers do not survive JSON numbers: they are written as text. */
type Encoding = 'integer' | 'number' | 'string';
type StoredValue = string | number | null;

interface StoredColumn {
  readonly name: string;
  readonly encoding: Encoding;
  readonly min: readonly StoredValue[];
  readonly max: readonly StoredValue[];
}

interface StoredRowGroups {
  readonly rows: readonly number[];
  readonly bytes: readonly number[];
  readonly columns: readonly StoredColumn[];
}

const ENCODINGS: Readonly<Record<string, Encoding>> = { bigint: 'integer', number: 'number' };

const DECODERS: Readonly<Record<Encoding, (value: string | number) => BoundValue>> = {
  integer: BigInt,
  number: Number,
  string: String,
};

function encode(value: BoundValue | null): StoredValue {
  // JSON knows no infinity and no exact integers beyond 2^53; their text reads back as the number.
  return value === null || Number.isFinite(value) ? (value as number | null) : `${value}`;
}

function encodeColumn(name: string, bounds: readonly (ColumnBounds | undefined)[]): StoredColumn {
  const sample = bounds.find((b) => b && b.min !== null)?.min;
  return {
    name,
    encoding: ENCODINGS[typeof sample] ?? 'string',
    min: bounds.map((b) => encode(b?.min ?? null)),
    max: bounds.map((b) => encode(b?.max ?? null)),
  };
}

export function encodeRowGroups(rowGroups: readonly RowGroup[]): string {
  const names = Object.keys(rowGroups[0]?.bounds ?? {});
  const stored: StoredRowGroups = {
    rows: rowGroups.map((group) => group.rowCount),
    bytes: rowGroups.map((group) => group.byteCount),
    columns: names.map((name) =>
      encodeColumn(
        name,
        rowGroups.map((group) => group.bounds[name]),
      ),
    ),
  };
  return JSON.stringify(stored);
}

export function decodeRowGroups(text: string): RowGroup[] {
  const stored = JSON.parse(text) as StoredRowGroups;
  return stored.rows.map((rowCount, g) => {
    const bounds: Record<string, ColumnBounds> = {};
    for (const { name, encoding, min, max } of stored.columns) {
      const decode = (value: StoredValue | undefined) =>
        value === null || value === undefined ? null : DECODERS[encoding](value);
      bounds[name] = { min: decode(min[g]), max: decode(max[g]) };
    }
    return { rowCount, byteCount: stored.bytes[g] as number, bounds };
  });
}
