/** The order of rows that were read from several servers, as these have it: nulls last. Pure. */
import { compareBounds } from '../../plan/bound-order.ts';
import type { CellValue, ColumnVector } from '../columns.ts';
import type { BoundValue } from '../part.ts';

type Items = readonly BoundValue[];

function compareItems(a: Items, b: Items): number {
  const count = Math.min(a.length, b.length);
  for (let i = 0; i < count; i++) {
    const order = compareBounds(a[i] as BoundValue, b[i] as BoundValue);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** As it lies in the vector: a date as days. */
export function cellOf(vector: ColumnVector, row: number): CellValue {
  if ('nulls' in vector && vector.nulls?.[row] === 1) return null;
  return vector.values[row] as CellValue;
}

export function compareCells(a: CellValue, b: CellValue, isDescending: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const order = Array.isArray(a)
    ? compareItems(a as Items, b as Items)
    : compareBounds(a as BoundValue, b as BoundValue);
  return isDescending ? -order : order;
}
