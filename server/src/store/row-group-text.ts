/**
 * Row groups as the index stores them: one JSON text a part, column by column, with those of its
 * identifier order if it has one.
 */
import type { BoundValue, ColumnBounds, RowGroup } from '../engine/part.ts';

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

interface StoredPartGroups extends StoredRowGroups {
  readonly identifierOrder?: StoredRowGroups;
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

function storedOf(rowGroups: readonly RowGroup[]): StoredRowGroups {
  const names = Object.keys(rowGroups[0]?.bounds ?? {});
  return {
    rows: rowGroups.map((group) => group.rowCount),
    bytes: rowGroups.map((group) => group.byteCount),
    columns: names.map((name) =>
      encodeColumn(
        name,
        rowGroups.map((group) => group.bounds[name]),
      ),
    ),
  };
}

export function encodeRowGroups(
  rowGroups: readonly RowGroup[],
  identifierOrder?: readonly RowGroup[],
): string {
  const stored: StoredPartGroups = {
    ...storedOf(rowGroups),
    ...(identifierOrder && { identifierOrder: storedOf(identifierOrder) }),
  };
  return JSON.stringify(stored);
}

export function decodeRowGroups(text: string): RowGroup[] {
  return rowGroupsOf(JSON.parse(text) as StoredPartGroups);
}

/** Null where the part has no identifier order. */
export function decodeIdentifierOrder(text: string): RowGroup[] | null {
  const { identifierOrder } = JSON.parse(text) as StoredPartGroups;
  return identifierOrder ? rowGroupsOf(identifierOrder) : null;
}

function rowGroupsOf(stored: StoredRowGroups): RowGroup[] {
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
