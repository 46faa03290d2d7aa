import { describe, expect, it } from 'vitest';
import type { Column, DataType } from '../catalog/dataset.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import { bytesAbout, rowsAtMost } from './manifest.ts';

const columnOf = (dataType: DataType, name = 'Name') => ({ name, dataType }) as Column;

function planOf(columns: readonly Column[], others: Partial<QueryPlan> = {}): QueryPlan {
  const dataset = { columns };
  return { dataset, columns, offset: 0, scannedRows: 0, scannedBytes: 0, ...others } as QueryPlan;
}

describe('bytesAbout', () => {
  it.each<[DataType, number, number, number]>([
    ['integer', 17, 8, 8],
    ['number', 16, 7, 8],
    ['decimal', 18, 9, 16],
    ['boolean', 15, 6, 1],
    ['date', 20, 11, 4],
    ['date-time', 45, 36, 8],
    ['string', 16, 7, 4],
    ['array of string', 22, 13, 32],
    ['array of integer', 22, 13, 32],
    ['array of number', 22, 13, 32],
  ])('takes a value of type %s for so many bytes', (dataType, json, csv, arrow) => {
    const plan = planOf([columnOf(dataType)]);
    expect(['json', 'csv', 'arrow'].map((format) => bytesAbout(plan, format, 1))).toEqual([
      ...[json, csv, arrow],
    ]);
  });

  it('adds up the columns, of which JSON repeats the names, for all rows', () => {
    const plan = planOf([columnOf('integer', 'A'), columnOf('date', 'LongName')]);
    expect(bytesAbout(plan, 'json', 100)).toBe(100 * (14 + 24));
    expect(bytesAbout(plan, 'csv', 100)).toBe(100 * (8 + 11));
    expect(bytesAbout(plan, 'arrow', 100)).toBe(100 * (8 + 4));
  });

  it('takes CSV in gzip for a fifth of the text', () => {
    expect(bytesAbout(planOf([columnOf('date')]), 'csv_gzip', 1000)).toBe(2200);
  });

  it('takes Parquet for the stored bytes of the rows, in the share of the columns', () => {
    const stored = [columnOf('integer'), columnOf('date'), columnOf('string')];
    const scan = { scannedRows: 200, scannedBytes: 3200 };
    expect(bytesAbout(planOf(stored, scan), 'parquet', 50)).toBe(800);
    const dataset = { columns: stored } as unknown as QueryPlan['dataset'];
    const some = planOf(stored.slice(0, 1), { ...scan, dataset });
    expect(bytesAbout(some, 'parquet', 50)).toBe(400);
  });

  it('takes Parquet for nothing where nothing is read', () => {
    const plan = planOf([columnOf('date')], { scannedRows: 0, scannedBytes: 12 });
    expect(bytesAbout(plan, 'parquet', 5)).toBe(0);
    expect(
      bytesAbout(planOf([columnOf('date')], { scannedRows: 1, scannedBytes: 12 }), 'parquet', 1),
    ).toBe(12);
  });

  it('knows nothing of other formats', () => {
    expect(bytesAbout(planOf([columnOf('date')]), 'xml', 5)).toBe(0);
  });
});

describe('rowsAtMost', () => {
  it('is what is read after the offset, and never less than none', () => {
    const rowsOf = (offset: number) => rowsAtMost(planOf([], { scannedRows: 10, offset }));
    expect([0, 4, 10, 11].map(rowsOf)).toEqual([10, 6, 0, 0]);
  });
});
