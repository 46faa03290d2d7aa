import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixedClock } from 'ticklake/base/clock.ts';
import { openLake } from 'ticklake/open-home.ts';
import { afterAll, expect, test, vi } from 'vitest';
import { generateDemoMarket } from '../src/demo-market.ts';
import { AS_OF, catalog, TINY_SIZE } from './generated-market.ts';

const home = mkdtempSync(join(tmpdir(), 'ticklake-demo-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

test('a failing dataset stops the generation and is thrown, and nothing is published', async () => {
  const lake = await openLake({ home }, fixedClock('2026-10-20T12:00:00Z'));
  const openWriter = lake.openWriter.bind(lake);
  const opening = vi.spyOn(lake, 'openWriter').mockImplementation(async (dataset) => {
    if (dataset.textId === 'eq_taq') throw new Error(`no space for ${dataset.textId}`);
    return await openWriter(dataset);
  });
  const options = { lake, catalog, seed: 5, asOf: AS_OF, report: () => {}, size: TINY_SIZE };
  await expect(generateDemoMarket(options)).rejects.toThrow('no space for');
  opening.mockRestore();
  expect(await lake.versions.vendors()).toEqual([]);
  const [publication] = await lake.ledger.publications({ limit: 1 });
  expect(publication).toMatchObject({ state: 'failed', command: 'demo' });
  await generateDemoMarket(options);
  const [last] = await lake.ledger.publications({ limit: 1 });
  expect(last).toMatchObject({ state: 'published', vendor: 'Synthetic' });
  expect(last?.datasets.every(({ version }) => version === 1)).toBe(true);
  expect(last?.datasets.length).toBeGreaterThan(20);
  const loaded = last?.datasets.map(({ datasetId }) => catalog.byId(datasetId)?.textId);
  expect(loaded).toContain('eq_taq');
  expect(loaded).not.toContain('eq_daily_ohlc_adj');
  await lake.close();
});

test('an interruption stops what each writer is doing, and is told as such', async () => {
  const lake = await openLake({ home }, fixedClock('2026-10-20T12:00:00Z'));
  const opening = vi.spyOn(lake, 'openWriter');
  const interruption = new AbortController();
  const report = () => {
    if (opening.mock.calls.length > 0) interruption.abort();
  };
  const { signal } = interruption;
  const options = { lake, catalog, seed: 5, asOf: AS_OF, report, size: TINY_SIZE, signal };
  await expect(generateDemoMarket(options)).rejects.toThrow('interrupted');
  expect(opening.mock.calls.every(([, given]) => given === signal)).toBe(true);
  opening.mockRestore();
  const [publication] = await lake.ledger.publications({ limit: 1 });
  expect(publication).toMatchObject({ state: 'failed', message: 'interrupted' });
  await lake.close();
});

test('a day without trading is refused', async () => {
  const lake = await openLake({ home }, fixedClock('2026-10-20T12:00:00Z'));
  const options = { lake, catalog, seed: 5, report: () => {}, size: TINY_SIZE };
  await expect(generateDemoMarket({ ...options, asOf: '2026-10-18' })).rejects.toThrow(
    'not a trading day',
  );
  await lake.close();
});
