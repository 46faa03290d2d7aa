import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { fixedClock } from '../../src/clock.ts';
import { generateDemoMarket } from '../../src/demo/demo-market.ts';
import { duckDBStagingEngine } from '../../src/engine/duckdb/stage.ts';
import { Lake } from '../../src/lake/lake.ts';
import { AS_OF, catalog, generateTables } from './generated-market.ts';

const SIZE = { dailyDays: 160, minuteDays: 3, tickDays: 1, quoteBarDays: 1, activity: 0.02 };

const home = mkdtempSync(join(tmpdir(), 'ticklake-demo-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

function openLake(): Lake {
  const clock = fixedClock('2026-10-20T12:00:00Z');
  return Lake.open({ home, stagingEngine: duckDBStagingEngine(), clock });
}

test('every generated row is published, under the vendor Synthetic', async () => {
  const lake = openLake();
  const lines: string[] = [];
  const report = (line: string) => lines.push(line);
  await generateDemoMarket({ lake, catalog, seed: 5, asOf: AS_OF, report, size: SIZE });
  const tables = generateTables(5, AS_OF, SIZE);
  for (const { datasetId, textId } of catalog.datasets) {
    const snapshot = lake.snapshot(datasetId);
    expect(snapshot?.rowCount, textId).toBe(tables.get(textId)?.rowCount);
    expect(snapshot?.vendor).toBe('Synthetic');
  }
  expect(lines.every((line) => line.startsWith('Generating'))).toBe(true);
  lake.close();
}, 120_000);

test('a failing publication stops the generation and is thrown', async () => {
  const lake = {
    publish: async ({ dataset }: { dataset: { textId: string } }) => {
      throw new Error(`no space for ${dataset.textId}`);
    },
  };
  const generation = generateDemoMarket({
    lake,
    catalog,
    seed: 5,
    asOf: AS_OF,
    report: () => {},
    size: SIZE,
  });
  await expect(generation).rejects.toThrow('no space for');
}, 60_000);

test('a day without trading is refused', async () => {
  const lake = openLake();
  const options = { lake, catalog, seed: 5, report: () => {}, size: SIZE };
  await expect(generateDemoMarket({ ...options, asOf: '2026-10-18' })).rejects.toThrow(
    'not a trading day',
  );
  lake.close();
}, 60_000);
