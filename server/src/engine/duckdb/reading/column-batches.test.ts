import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planOfPath } from '../../../../test/plan-of-path.ts';
import type { Column, DataType } from '../../../catalog/dataset.ts';
import { batchOfRows, type CellValue, type ColumnBatch } from '../../columns.ts';
import { OnlyValues, sideBySide } from './column-batches.ts';

it('puts the values that conditions name where they belong, in batches of any length', () => {
  const path = 'us-equity/eq-taq/2026-11-18/AAPL?columns=Ticker,Price,TradeDate,Quantity';
  const only = new OnlyValues(planOfPath(`${path}&Quantity=100&Price.ge=0`));
  expect(only.stored.map(({ name }) => name)).toEqual(['Price']);
  for (const prices of [[1, 2], [3], [4, 5, 6]]) {
    const rows: CellValue[][] = prices.map((price) => [price]);
    const { rowCount, columns } = only.complete(batchOfRows(only.stored, rows));
    expect(rowCount).toBe(prices.length);
    const days = Date.parse('2026-11-18') / 86_400_000;
    for (const [i, price] of prices.entries()) {
      expect(columns.map(({ values }) => values[i])).toEqual(['AAPL', price, days, 100n]);
    }
  }
});

it('reads the numbers of a condition, because zero has two', () => {
  const only = new OnlyValues(planOfPath('us-equity/eq-taq/2026-11-18/AAPL?columns=Price&Price=0'));
  expect(only.stored.map(({ name }) => name)).toEqual(['Price']);
});

function column(name: string, dataType: DataType): Column {
  return { name, dataType, fractionDigits: 0, description: '' };
}

const LEFT = [column('Word', 'string'), column('Count', 'integer')];
const RIGHT = [column('Size', 'number')];

/** The rows in batches of the given sizes, the rest in one more. */
async function* batches(
  columns: readonly Column[],
  rows: readonly (readonly CellValue[])[],
  sizes: readonly number[],
): AsyncGenerator<ColumnBatch> {
  let at = 0;
  for (const size of [...sizes, rows.length]) {
    const some = rows.slice(at, at + size);
    if (some.length > 0) yield batchOfRows(columns, some);
    at += size;
  }
}

async function rowsOf(parts: AsyncIterable<ColumnBatch>): Promise<unknown[][]> {
  const rows: unknown[][] = [];
  for await (const { rowCount, columns } of parts) {
    for (let i = 0; i < rowCount; i++) {
      rows.push(
        columns.map((vector) =>
          'nulls' in vector && vector.nulls?.[i] === 1 ? null : vector.values[i],
        ),
      );
    }
  }
  return rows;
}

describe('sideBySide', () => {
  it('joins rows whose parts come in batches of any sizes', async () => {
    const word = fc.option(fc.string());
    const count = fc.option(fc.bigInt({ min: -5n, max: 5n }));
    const rows = fc.array(fc.tuple(word, count, fc.option(fc.integer())), { maxLength: 40 });
    const sizes = fc.array(fc.integer({ min: 1, max: 15 }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(rows, sizes, sizes, async (all, some, others) => {
        const left = batches(
          LEFT,
          all.map(([a, b]) => [a, b]),
          some,
        );
        const right = batches(
          RIGHT,
          all.map(([, , c]) => [c]),
          others,
        );
        expect(await rowsOf(sideBySide([left, right]))).toEqual(all);
      }),
    );
  });

  it('rejects when one part ends before another, or fails', async () => {
    const three = [[1], [2], [3]];
    const short = sideBySide([batches(RIGHT, three, []), batches(RIGHT, three.slice(1), [])]);
    await expect(rowsOf(short)).rejects.toThrow('differ');
    async function* failing(): AsyncGenerator<ColumnBatch> {
      yield batchOfRows(RIGHT, [[1]]);
      throw new Error('no such file');
    }
    const failed = sideBySide([batches(RIGHT, three, []), failing()]);
    await expect(rowsOf(failed)).rejects.toThrow('no such file');
  });

  it('ends every part when its reader goes away', async () => {
    let endedCount = 0;
    async function* endless(): AsyncGenerator<ColumnBatch> {
      try {
        for (;;) yield batchOfRows(RIGHT, [[1]]);
      } finally {
        endedCount++;
      }
    }
    for await (const { rowCount } of sideBySide([endless(), endless()])) {
      expect(rowCount).toBe(1);
      break;
    }
    expect(endedCount).toBe(2);
  });
});
