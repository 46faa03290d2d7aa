import { expect, it } from 'vitest';
import { sampleDataset } from '../../test/lake/sample-dataset.ts';
import { FactorTables } from '../adjustments/factor-tables.ts';
import { ApiError } from '../base/errors.ts';
import { type BarRules, barRulesOf } from '../catalog/bar-rules.ts';
import { batchOfRows, type ColumnBatch } from '../engine/columns.ts';
import { planOver } from '../engine/conformance/tested-engine.ts';
import { planSource, type RowTools } from './plan-source.ts';

const never = new AbortController().signal;

/** Stored bars without end, each of a minute more than an hour after the one before. */
async function* endless(columns: Parameters<typeof batchOfRows>[0], onBatch: () => void) {
  for (let at = 0n; ; ) {
    const rows = Array.from({ length: 10_000 }, () => {
      const time = 1_700_000_000_000_000_000n + at++ * 3_700_000_000_000n;
      return columns.map(({ name }) => ({ TradeDate: 20_000, EventDateTime: time })[name] ?? null);
    });
    onBatch();
    yield batchOfRows(columns, rows);
  }
}

it('a sort of more rows than can be is refused as soon as there are so many, naming sort', async () => {
  const rules = barRulesOf({ time: 'EventDateTime', by: ['Ticker'] }) as BarRules;
  const dataset = { ...sampleDataset(), intervals: rules };
  const column = dataset.columnByName.get('Ticker')!;
  const plan = planOver(dataset, [], {
    bars: { interval: '1h', firstDate: null },
    columns: [column],
    sort: [{ column, descending: true }],
  });
  let batchCount = 0;
  const engine: RowTools['engine'] = {
    scan: ({ columns }) => endless(columns, () => batchCount++),
    parquet: () => Promise.reject(new Error('nothing is stored')),
    writeParquet: () => Promise.reject(new Error('nothing is written')),
    sortRows: async function* (_, rows, signal): AsyncIterable<ColumnBatch> {
      yield* rows(signal);
    },
  };
  const source = planSource({ engine, factorTables: new FactorTables() }, plan, never, 30_000);
  const refusal = await Array.fromAsync(source.rows()).catch((error) => error);
  expect(refusal).toBeInstanceOf(ApiError);
  expect(refusal).toMatchObject({
    kind: 'invalid',
    detail: [{ loc: ['query', 'sort'], type: 'too_many_rows', input: '-Ticker' }],
  });
  expect(refusal.detail[0].msg).toContain('At most 30,000 bars');
  expect(batchCount).toBeLessThan(8);
});
