import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixedClock } from 'ticklake/base/clock.ts';
import { openLake } from 'ticklake/open-home.ts';
import { afterAll, expect, test } from 'vitest';
import { generateDemoMarket } from '../src/demo-market.ts';
import { AS_OF, catalog, TINY_SIZE } from './generated-market.ts';

const home = mkdtempSync(join(tmpdir(), 'ticklake-demo-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

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
    size: TINY_SIZE,
  });
  await expect(generation).rejects.toThrow('no space for');
}, 60_000);

test('a day without trading is refused', async () => {
  const lake = await openLake({ home }, fixedClock('2026-10-20T12:00:00Z'));
  const options = { lake, catalog, seed: 5, report: () => {}, size: TINY_SIZE };
  await expect(generateDemoMarket({ ...options, asOf: '2026-10-18' })).rejects.toThrow(
    'not a trading day',
  );
  await lake.close();
}, 60_000);
