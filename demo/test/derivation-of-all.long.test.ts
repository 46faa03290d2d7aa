/**
 * Derives all securities from the demo's ticks and factors, and compares with the demo's own data.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixedClock } from 'ticklake/base/clock.ts';
import type { Dataset } from 'ticklake/catalog/dataset.ts';
import { derive } from 'ticklake/derive/derive.ts';
import { INSTALLED_ENGINE } from 'ticklake/installed.ts';
import { openLake } from 'ticklake/open-home.ts';
import { readConfig } from 'ticklake/settings/config.ts';
import { expect, test } from 'vitest';
import { publishBatches } from '../../server/test/publish-batches.ts';
import { AS_OF, catalog, generateTables } from './generated-market.ts';
import { derivedFromTicks, expectRowsOfDemo, LOADED } from './rows-of-demo.ts';

const SIZE = { dailyDays: 45, minuteDays: 4, tickDays: 2, quoteBarDays: 2, activity: 0.05 };

test('the bars and daily values of all securities are those that are derived from their ticks', async () => {
  const home = mkdtempSync(join(tmpdir(), 'ticklake-derive-'));
  const lake = await openLake({ home }, fixedClock('2026-10-20T12:00:00Z'));
  const engine = await INSTALLED_ENGINE.openReader(readConfig({ TICKLAKE_HOME: home }));
  try {
    const tables = generateTables(3, AS_OF, SIZE);
    for (const textId of LOADED) {
      const batches = async function* () {
        yield* tables.get(textId)?.batches ?? [];
      };
      const dataset = catalog.byTextId(textId) as Dataset;
      const options = { dataset, mode: 'replace-all' as const, vendor: 'Synthetic' };
      await publishBatches(lake, { ...options, batches: batches() });
    }
    const datasets = derivedFromTicks();
    const report = await derive({
      ...{ catalog, lake, engine, datasets, dates: null, reason: null, onSlice: () => {} },
      ...{ isStaleOnly: false, replacesLoaded: false, signal: new AbortController().signal },
    });
    expect(report).toMatchObject({ state: 'published', reason: null });
    for (const dataset of datasets) await expectRowsOfDemo({ tables, lake, engine }, dataset);
  } finally {
    await engine.close();
    await lake.close();
    rmSync(home, { recursive: true, force: true });
  }
});
