import { expect, test } from 'vitest';
import type { Column } from '../catalog/dataset.ts';
import type { CellValue } from './columns.ts';
import { digestOfRows, EMPTY_DIGEST, sumOfDigests } from './content-digest.ts';

const columns = [
  { name: 'TradeDate', dataType: 'date' },
  { name: 'Ticker', dataType: 'string' },
  { name: 'Price', dataType: 'number' },
  { name: 'Quantity', dataType: 'integer' },
  { name: 'Fee', dataType: 'decimal', scale: 4 },
  { name: 'Codes', dataType: 'array of string' },
] as Column[];
const plain: CellValue[] = [null, 'A', 10, 5n, null, null];
const odd: CellValue[] = ['2026-11-18', 'B', 1e21, 9_007_199_254_740_993n, -500n, ['T', 'é']];

test('the digest of rows keeps its definition, as homes keep the digests', () => {
  // By `hashlib` of Python, from the text in docs/lake.md.
  expect(digestOfRows(columns, [plain, odd])).toBe('888977f0f75aa75c0ad962ced335ab94');
});

test('the digest of rows tells a value that moved to another row', () => {
  const [a, b] = [plain, odd].map((row, r, rows) => row.with(2, rows[1 - r]?.[2] ?? null));
  const moved = digestOfRows(columns, [a as CellValue[], b as CellValue[]]);
  expect(moved).not.toBe(digestOfRows(columns, [plain, odd]));
});

test('the digest of rows is that of their parts together, in any order', () => {
  const [one, two] = [plain, odd].map((row) => digestOfRows(columns, [row])) as [string, string];
  expect(sumOfDigests([one, two])).toBe(digestOfRows(columns, [odd, plain]));
  expect(digestOfRows(columns, [])).toBe(EMPTY_DIGEST);
});
