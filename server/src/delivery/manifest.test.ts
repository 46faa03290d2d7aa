import { describe, expect, it } from 'vitest';
import type { QueryPlan } from '../engine/query-plan.ts';
import { UNLIMITED } from '../store/accounts.ts';
import { noUsage } from '../store/quantities.ts';
import type { FileFormat } from './file-formats.ts';
import { allowanceFor, fileName } from './manifest.ts';

const FORMAT = { suffix: '.parquet' } as FileFormat;

function planOf(...keys: string[]): QueryPlan {
  const parts = keys.map((key) => ({ key }));
  return { dataset: { textId: 'eq_taq' }, version: 3, parts } as unknown as QueryPlan;
}

describe('the name of a file', () => {
  it('says dataset, version and partitions in characters that no system minds', () => {
    expect(fileName(planOf('2026-11-18'), FORMAT)).toBe('eq_taq_v3_2026-11-18.parquet');
    expect(fileName(planOf('2026-11', '2026-12', '2027-01'), FORMAT)).toBe(
      'eq_taq_v3_2026-11_2027-01.parquet',
    );
    expect(fileName(planOf('a/b c'), FORMAT)).toBe('eq_taq_v3_a_b_c.parquet');
  });
});

describe('the allowance for a claim', () => {
  const claim = { requestCount: 2, returnedBytes: 300, scannedBytes: 4000 };
  const used = {
    month: { requests: 8, returnedBytes: 700, scannedBytes: 6000 },
    minute: noUsage(),
  };
  const allowance = (requests: number | null, returnedBytes: number, scannedBytes: number) =>
    allowanceFor(claim, { ...UNLIMITED, month: { requests, returnedBytes, scannedBytes } }, used);

  it('fits where each of the limits leaves as much', () => {
    expect(allowance(10, 1000, 10_000)).toEqual({
      fits: true,
      requests_left: 2,
      data_returned_left: 300,
      data_scanned_left: 4000,
    });
    expect(allowance(null, 1000, 10_000)).toMatchObject({ fits: true, requests_left: null });
  });

  it('does not fit where any of them leaves less, and none leaves less than nothing', () => {
    expect(allowance(9, 1000, 10_000).fits).toBe(false);
    expect(allowance(10, 999, 10_000).fits).toBe(false);
    expect(allowance(10, 1000, 9999).fits).toBe(false);
    expect(allowance(7, 600, 5000)).toEqual({
      fits: false,
      requests_left: 0,
      data_returned_left: 0,
      data_scanned_left: 0,
    });
  });
});
