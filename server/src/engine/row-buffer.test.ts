import { expect, test } from 'vitest';
import { sampleDataset } from '../../test/lake/sample-dataset.ts';
import type { CellValue, ColumnBatch } from './columns.ts';
import { rowsOfBatch } from './conformance/select-rows.ts';
import { RowBuffer } from './row-buffer.ts';

const dataset = sampleDataset('day');

/** A batch of two rows with the same value in each column, or in none. */
function batchWith(buffer: RowBuffer, isFull: boolean): ColumnBatch {
  const values: Record<string, CellValue> = { date: '2026-11-18', string: 'A' };
  const cells = dataset.columns.map(({ name, dataType }): [string, CellValue] => [
    name,
    isFull ? (values[dataType] ?? 7) : null,
  ]);
  for (let row = 0; row < 2; row++) buffer.appendRow(Object.fromEntries(cells));
  return buffer.take(true)[0] as ColumnBatch;
}

const isEmpty = (batch: ColumnBatch) =>
  rowsOfBatch(batch)
    .flat()
    .every((cell) => cell === null);

test('rows in the memory of a released batch have nothing of its rows', () => {
  const buffer = new RowBuffer(dataset);
  const first = batchWith(buffer, false);
  first.release?.();
  const second = batchWith(buffer, true);
  expect(second).toEqual({ ...batchWith(new RowBuffer(dataset), true), release: second.release });
  second.release?.();
  const third = batchWith(buffer, false);
  expect(isEmpty(third)).toBe(true);
  const memory = ({ columns }: ColumnBatch) =>
    columns.map(({ values }) => ('buffer' in values ? values.buffer : values));
  expect(memory(third).every((each, c) => each === memory(first)[c])).toBe(true);
});

test('batches that nobody has released stay as they are', () => {
  const buffer = new RowBuffer(dataset);
  const kept = batchWith(buffer, false);
  batchWith(buffer, true);
  expect(isEmpty(kept)).toBe(true);
});
