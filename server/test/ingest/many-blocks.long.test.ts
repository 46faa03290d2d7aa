import { expect, test } from 'vitest';
import { sampleDataset } from '../lake/sample-dataset.ts';
import { loadSources } from './load-text.ts';

/** No column's values have to be identifiers, which hold no line ends. */
const whole = { ...sampleDataset('whole'), identifierColumns: [], universeColumns: [] };
const SIMPLE = 'TradeDate,Ticker,EventDateTime,Strike,ASID,Codes';

test('files of many blocks keep their order and name the right lines', async () => {
  const count = 120_000;
  const line = (i: number) =>
    i % 40_000 === 39_999
      ? `2024-01-01,"A\n${i}",,bad,${i},\n`
      : `2024-01-01,"A ${'x'.repeat(350)}",,1.5,${i},\n`;
  const source = {
    format: 'csv' as const,
    displayName: 'big.csv',
    async *open() {
      yield Buffer.from(`${SIMPLE}\n`);
      for (let i = 0; i < count; i += 10_000) {
        yield Buffer.from(Array.from({ length: 10_000 }, (_, k) => line(i + k)).join(''));
      }
    },
  };
  const { report, rows } = await loadSources(whole, [source]);
  expect([report.rowCount, report.badRowCount]).toEqual([count - 3, 3]);
  expect(report.badValues.map((bad) => bad.line)).toEqual([40_001, 80_002, 120_003]);
  expect(rows).toHaveLength(count - 3);
  let expected = -1;
  for (const row of rows) {
    expected += expected % 40_000 === 39_998 ? 2 : 1;
    if (row[4] !== BigInt(expected)) expect(row[4]).toBe(BigInt(expected));
  }
});
