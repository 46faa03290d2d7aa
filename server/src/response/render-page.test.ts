import { setImmediate as nextTurn } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { planOfPath, TICKS } from '../../test/plan-of-path.ts';
import { sourceOfRows } from '../../test/source-of-rows.ts';
import { testSpool } from '../../test/test-spool.ts';
import { batchOfRows, type CellValue, type ColumnBatch } from '../engine/columns.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import type { RowSource } from '../engine/row-source.ts';
import { CSV_FORMAT, CSV_GZIP_FORMAT } from '../formats/csv.ts';
import type { Format } from '../formats/format.ts';
import { FORMATS } from '../formats/formats.ts';
import { bodyBytes, renderPage, wholeBody } from './page.ts';

const SPOOL = testSpool();
/** The engine makes the others by itself. */
const WRITTEN_FORMATS = FORMATS.filter(({ name }) => name !== 'parquet');

const PLAN: QueryPlan = { ...planOfPath(`${TICKS}/AAA`), limit: 100_000 };
const VALUES: Record<string, CellValue> = {
  string: 'AAPL',
  integer: 7n,
  number: 1.25,
  date: '2025-06-18',
  'date-time': 1_750_253_400_123_456_789n,
};

function batch(rowCount: number): ColumnBatch {
  const row = PLAN.columns.map(({ dataType }) => VALUES[dataType] ?? null);
  return batchOfRows(
    PLAN.columns,
    Array.from({ length: rowCount }, () => row),
  );
}

const pageOf = (format: Format, source: RowSource, plan = PLAN, pathParameters: string[] = []) =>
  renderPage({ plan, source, format, pathParameters, spool: SPOOL });

describe('renderPage', () => {
  it.each(FORMATS)(
    'fails with what its rows failed with, and ends them ($name)',
    async (format) => {
      let isEnded = false;
      async function* rows() {
        try {
          yield batch(2048);
          yield batch(2048);
          throw new Error('the file is gone');
        } finally {
          isEnded = true;
        }
      }
      await expect(pageOf(format, sourceOfRows(rows()))).rejects.toThrow('the file is gone');
      expect(isEnded).toBe(true);
    },
  );

  it.each(WRITTEN_FORMATS)(
    'lets other work have its turn within a batch ($name)',
    async (format) => {
      async function* rows() {
        yield batch(20_000);
      }
      let isWriting = true;
      let turns = 0;
      const page = pageOf(format, sourceOfRows(rows())).finally(() => {
        isWriting = false;
      });
      for (; isWriting; turns++) await nextTurn();
      expect((await page).rowCount).toBe(20_000);
      expect(turns).toBeGreaterThan(10);
    },
  );

  it('writes the same text whether it is compressed or not', async () => {
    async function* rows() {
      yield batch(5000);
      yield batch(3);
      yield batch(20_000);
    }
    const csv = await pageOf(CSV_FORMAT, sourceOfRows(rows()));
    const gzip = await pageOf(CSV_GZIP_FORMAT, sourceOfRows(rows()));
    expect(bodyBytes(csv.body)).toBeGreaterThan(4 * 256 * 1024);
    expect(gunzipSync(gzip.body as Buffer).equals(await wholeBody(csv.body))).toBe(true);
  });

  it.each([
    [['2026-11-18', 'AAA'], 0, 'eq_taq_2026-11-18_AAA.csv.gz'],
    [['2026-11-18', 'AAA'], 2000, 'eq_taq_2026-11-18_AAA_2000.csv.gz'],
    [['BRK/B "\u00e4'], 0, 'eq_taq_BRK_B___.csv.gz'],
    [['A'.repeat(200)], 0, `eq_taq_${'A'.repeat(113)}.csv.gz`],
  ])('suggests a name for the file of %j from row %d on', async (path, offset, name) => {
    async function* rows() {
      yield batch(1);
    }
    const { headers } = await pageOf(
      CSV_GZIP_FORMAT,
      sourceOfRows(rows()),
      { ...PLAN, offset },
      path,
    );
    expect(headers['Content-Disposition']).toBe(`attachment; filename="${name}"`);
  });
});
