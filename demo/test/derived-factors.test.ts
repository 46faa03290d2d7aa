/**
 * Adjustment factors of the demo market by the terms of its events alone, against those it was made
 * with.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixedClock } from 'ticklake/base/clock.ts';
import type { Dataset } from 'ticklake/catalog/dataset.ts';
import { checkDerived } from 'ticklake/derive/check-derived.ts';
import { derive } from 'ticklake/derive/derive.ts';
import type { ColumnBatch, NumberVector, StringVector } from 'ticklake/engine/columns.ts';
import { INSTALLED_ENGINE } from 'ticklake/installed.ts';
import { openLake } from 'ticklake/open-home.ts';
import { readConfig } from 'ticklake/settings/config.ts';
import { expect, test } from 'vitest';
import { publishBatches } from '../../server/test/publish-batches.ts';
import { AS_OF, catalog, generateTables } from './generated-market.ts';

/** Long enough for a split, a consolidation, a stock dividend and a demerger. */
const SIZE = { dailyDays: 440, minuteDays: 1, tickDays: 1, quoteBarDays: 1, activity: 0.01 };
const FACTORS = ['eq_adj_factors_basic', 'eq_adj_factors_cumulative'];

function datasetOf(textId: string): Dataset {
  return catalog.byTextId(textId) as Dataset;
}

/** Without the factors that come from what a row and its announcement tell. */
function withoutFactors(batch: ColumnBatch, reasons: Set<string>): ColumnBatch {
  const { columns } = datasetOf('eq_adj_factors_detail');
  const at = (name: string) => columns.findIndex((column) => column.name === name);
  const reasonOf = batch.columns[at('AdjustmentReason')] as StringVector;
  const nulls = Uint8Array.from(reasonOf.values, (reason) => (reason === 'DeMerg' ? 0 : 1));
  for (const [row, reason] of reasonOf.values.entries()) if (nulls[row]) reasons.add(`${reason}`);
  const factor = { ...(batch.columns[at('AdjustmentFactor')] as NumberVector), nulls };
  return { ...batch, columns: batch.columns.with(at('AdjustmentFactor'), factor) };
}

test('factors by terms, prices and announcements alone are those that the demo was made with', async () => {
  const tables = generateTables(3, AS_OF, SIZE, ['eq_daily_ohlc', ...FACTORS]);
  const batchesOf = (textId: string) => tables.get(textId)?.batches ?? [];
  const home = mkdtempSync(join(tmpdir(), 'ticklake-factors-'));
  const lake = await openLake({ home }, fixedClock('2026-10-20T12:00:00Z'));
  const engine = await INSTALLED_ENGINE.openReader(readConfig({ TICKLAKE_HOME: home }));
  const load = async (textId: string, batches = batchesOf(textId)) => {
    const dataset = datasetOf(textId);
    const each = async function* () {
      yield* batches;
    };
    const options = { dataset, mode: 'replace-all' as const, vendor: 'Synthetic' };
    await publishBatches(lake, { ...options, batches: each() });
  };
  try {
    const reasons = new Set<string>();
    const stripped = batchesOf('eq_adj_factors_detail').map((each) =>
      withoutFactors(each, reasons),
    );
    expect([...reasons].sort()).toEqual(['CashDiv', 'Cons', 'ScriptDiv', 'Subdiv']);
    await load('eq_adj_factors_detail', stripped);
    for (const textId of ['eq_daily_ohlc', 'eq_announce']) await load(textId);
    const datasets = FACTORS.map(datasetOf);
    const given = { catalog, datasets, lake, engine, dates: null, onSlice: () => {} };
    const signal = new AbortController().signal;
    const choice = { isStaleOnly: false, replacesLoaded: false, reason: null };
    const report = await derive({ ...given, ...choice, signal });
    expect(report.datasets.map(({ warnings }) => warnings)).toEqual([[], []]);
    // The oracle: rows that the generator made by itself take the place of the derived ones.
    for (const textId of FACTORS) await load(textId);
    for (const { comparedRowCount, differences } of await checkDerived({ ...given, signal })) {
      expect(differences).toEqual([]);
      expect(comparedRowCount).toBeGreaterThan(100);
    }
  } finally {
    await engine.close();
    await lake.close();
    rmSync(home, { recursive: true, force: true });
  }
});
