/**
 * `derive` against the demo market, whose bars are computed from events that never were in a lake.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixedClock } from 'ticklake/base/clock.ts';
import type { Dataset } from 'ticklake/catalog/dataset.ts';
import { checkDerived } from 'ticklake/derive/check-derived.ts';
import { type DerivationReport, type DerivationRequest, derive } from 'ticklake/derive/derive.ts';
import {
  type CellValue,
  type ColumnBatch,
  type ColumnVector,
  cellAt,
  takeRows,
} from 'ticklake/engine/columns.ts';
import type { EngineReader } from 'ticklake/engine/engine.ts';
import { textReader } from 'ticklake/engine/gathered-columns.ts';
import { planOfAll } from 'ticklake/engine/plan-of-all.ts';
import { INSTALLED_ENGINE } from 'ticklake/installed.ts';
import type { Lake } from 'ticklake/lake/lake.ts';
import { openLake } from 'ticklake/open-home.ts';
import { readConfig } from 'ticklake/settings/config.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { publishBatches } from '../../server/test/publish-batches.ts';
import { AS_OF, catalog, generateTables, ofTickers } from './generated-market.ts';
import { PINNED_ROWS_FILE, rowsToPin, silentlyDifferent } from './pinned-rows.ts';
import { derivedFromTicks, expectRowsOfDemo, LOADED } from './rows-of-demo.ts';

const SIZE = { dailyDays: 45, minuteDays: 4, tickDays: 2, quoteBarDays: 2, activity: 0.05 };
const home = mkdtempSync(join(tmpdir(), 'ticklake-derive-'));
/** Equities with events in these days, a symbol without an ASID, and an underlying of options. */
const EQUITIES = ['BZOQ', 'EZNQ', 'EZVQ', 'JZQR', 'NQXV', 'NZQX', 'SQVL', 'ZQTZT'];
const tables = ofTickers(generateTables(3, AS_OF, SIZE), (ticker, textId) =>
  textId.startsWith('opt_')
    ? ticker.startsWith('BZOQ')
    : textId.startsWith('fut_') || EQUITIES.includes(ticker),
);
const derived = derivedFromTicks();
let lake: Lake;
let engine: EngineReader;

function datasetOf(textId: string): Dataset {
  return catalog.byTextId(textId) as Dataset;
}

async function* each(batches: readonly ColumnBatch[]) {
  yield* batches;
}

async function load(textId: string, batches = tables.get(textId)?.batches ?? []) {
  const options = { dataset: datasetOf(textId), mode: 'replace-all' as const, vendor: 'Synthetic' };
  await publishBatches(lake, { ...options, batches: each(batches) });
}

async function deriveAll(own: Partial<DerivationRequest> = {}): Promise<DerivationReport> {
  return await derive({
    ...{ catalog, lake, engine, datasets: derived, dates: null, reason: null },
    ...{ isStaleOnly: true, replacesLoaded: false, signal: new AbortController().signal },
    onSlice: () => {},
    ...own,
  });
}

/** The parts that were computed of each dataset, by text id; without those of which none was. */
function computed({ datasets }: DerivationReport) {
  const counts = datasets.map(({ textId, computedPartCount }) => [textId, computedPartCount]);
  return Object.fromEntries(counts.filter(([, count]) => count !== 0));
}

async function differences(datasets = derived) {
  const signal = new AbortController().signal;
  const onSlice = () => {};
  const checked = await checkDerived({
    catalog,
    lake,
    engine,
    datasets,
    dates: null,
    signal,
    onSlice,
  });
  return checked.filter((each) => each.differences.length > 0);
}

/** The batches without the rows of the last day, or that day's alone. */
function ofLastDay(textId: string, isOf: boolean): ColumnBatch[] {
  const dataset = datasetOf(textId);
  const at = dataset.columns.findIndex(({ name }) => name === 'TradeDate');
  const last = Date.parse(`${AS_OF}T00:00:00Z`) / 86_400_000;
  return (tables.get(textId)?.batches ?? []).map((batch) => {
    const days = batch.columns[at]?.values as Int32Array;
    const rows = [...days.keys()].filter((row) => (days[row] === last) === isOf);
    return takeRows(batch, rows);
  });
}

beforeAll(async () => {
  lake = await openLake({ home }, fixedClock('2026-10-20T12:00:00Z'));
  engine = await INSTALLED_ENGINE.openReader(readConfig({ TICKLAKE_HOME: home }));
  for (const textId of LOADED) await load(textId);
});

afterAll(async () => {
  await engine.close();
  await lake.close();
  rmSync(home, { recursive: true, force: true });
});

test('everything that ticks and factors determine is derived in one publication', async () => {
  const report = await deriveAll();
  expect(report).toMatchObject({ state: 'published', reason: null });
  expect(report.datasets.map(({ textId }) => textId).sort()).toEqual(
    derived.map(({ textId }) => textId).sort(),
  );
  for (const { textId, rowCount, warnings } of report.datasets) {
    expect([textId, rowCount > 0, warnings]).toEqual([textId, true, []]);
  }
  const record = await lake.ledger.publication(report.publicationId);
  expect(record).toMatchObject({ kind: 'derivation', command: 'derive', state: 'published' });
  const names = record?.sources.map(({ name }) => name);
  expect(names).toContain(`eq_taq ${AS_OF}`);
  expect(names).toContain(`eq_trades ${AS_OF}`);
  expect(names).toContain(`eq_trades_1min ${AS_OF.slice(0, 7)}`);
});

test('no computation gives other rows of the same inputs without another version of its rules', async () => {
  const now = await rowsToPin(lake, derived);
  expect(silentlyDifferent(now)).toEqual([]);
  await expect(`${JSON.stringify(now, null, 2)}\n`).toMatchFileSnapshot(PINNED_ROWS_FILE);
});

test('the bars and daily values of the demo are those that are derived from its ticks', async () => {
  for (const dataset of derived) {
    await expectRowsOfDemo({ tables, lake, engine }, dataset);
  }
});

test('a second derivation finds nothing due, and publishes nothing', async () => {
  const versions = await Promise.all(derived.map(({ datasetId }) => lake.snapshot(datasetId)));
  const report = await deriveAll();
  expect(report.state).toBe('unchanged');
  expect(computed(report)).toEqual({});
  for (const [i, { datasetId }] of derived.entries()) {
    expect((await lake.snapshot(datasetId))?.version).toBe(versions[i]?.version);
  }
});

test('ticks that come for one day make that day due, and what comes from it', async () => {
  const months = { eq_trades_1min_adj: 1, eq_trades_1min_ind_std_adj: 1 };
  const due = { eq_trades: 1, eq_trades_1min: 1, eq_trades_adj: 1, eq_daily_ohlc: 1, ...months };
  const others = ['eq_trades_1min_ind_std', 'eq_taq_daily', 'fut_trades_1min'];
  const datasets = [...Object.keys(due), ...others].map(datasetOf);
  await load('eq_taq', ofLastDay('eq_taq', false));
  const gone = await deriveAll({ datasets });
  expect(gone.state).toBe('published');
  expect(await differences(datasets)).toEqual([]);
  expect((await lake.snapshot(datasetOf('eq_daily_ohlc').datasetId))?.lastDate).not.toBe(AS_OF);
  await load('eq_taq');
  const back = await deriveAll({ datasets });
  expect(computed(back)).toMatchObject(due);
  expect(computed(back)).not.toHaveProperty('fut_trades_1min');
  expect(await differences(datasets)).toEqual([]);
  expect((await lake.snapshot(datasetOf('eq_daily_ohlc').datasetId))?.lastDate).toBe(AS_OF);
});

test('a correction that is rolled back makes its day due again', async () => {
  const { datasetId } = datasetOf('fut_taq');
  const toVersion = (await lake.snapshot(datasetId))?.version as number;
  const before = await lake.snapshot(datasetOf('fut_trades_1min').datasetId);
  await load('fut_taq', ofLastDay('fut_taq', false));
  await deriveAll();
  await lake.publisher.rollBack({ datasetId, toVersion }, {});
  const due = { fut_trades: 1, fut_trades_1min: 1, fut_taq_1min: 1, fut_daily: 1 };
  expect(computed(await deriveAll())).toEqual(due);
  const after = await lake.snapshot(datasetOf('fut_trades_1min').datasetId);
  expect(after?.parts.map(({ contentDigest }) => contentDigest)).toEqual(
    before?.parts.map(({ contentDigest }) => contentDigest),
  );
});

test('loaded rows stay until somebody says that computed ones may replace them', async () => {
  await load('fut_taq_1min', ofLastDay('fut_taq_1min', true));
  const { datasets } = await deriveAll({
    datasets: [datasetOf('fut_taq_1min')],
    isStaleOnly: false,
  });
  const [kept] = datasets;
  expect(kept?.loadedParts).not.toEqual([]);
  const replaced = await deriveAll({
    ...{ datasets: [datasetOf('fut_taq_1min')], isStaleOnly: false, replacesLoaded: true },
  });
  expect(replaced.datasets[0]?.loadedParts).toEqual([]);
  expect(await differences([datasetOf('fut_taq_1min')])).toEqual([]);
});

test('only the dates that are asked for are computed', async () => {
  const dates = { start: AS_OF, end: AS_OF };
  const report = await deriveAll({
    dates,
    isStaleOnly: false,
    datasets: [datasetOf('eq_trades_1min')],
  });
  expect(computed(report)).toEqual({ eq_trades_1min: 1 });
  expect(await differences([datasetOf('eq_trades_1min')])).toEqual([]);
});

test('a derivation that is interrupted publishes nothing', async () => {
  const controller = new AbortController();
  const before = await lake.snapshot(datasetOf('eq_taq_1min').datasetId);
  const stopped = deriveAll({
    datasets: ['eq_trades', 'eq_taq_1min', 'eq_taq_daily'].map(datasetOf),
    isStaleOnly: false,
    signal: controller.signal,
    onSlice: ({ textId }) => {
      if (textId === 'eq_taq_1min') controller.abort();
    },
  });
  await expect(stopped).rejects.toThrow();
  expect(await lake.snapshot(datasetOf('eq_taq_1min').datasetId)).toEqual(before);
});

/** The rows of a dataset by their contract, without statistics, which bars know nothing of. */
async function dailyValuesOf(from: Lake, reader: EngineReader) {
  const dataset = datasetOf('fut_daily');
  const parts = await from.publishedParts(dataset.datasetId);
  const rows = new Map<string, CellValue[]>();
  for await (const batch of reader.scan(planOfAll(dataset, parts), new AbortController().signal)) {
    for (let row = 0; row < batch.rowCount; row++) {
      const cells = batch.columns.map((vector) => cellAt(vector, row));
      const [date, ticker, , open, ...values] = cells;
      // Averages of bars are of averages that were rounded, so they are compared by themselves.
      if (open !== null)
        rows.set(`${date} ${ticker}`, [open, ...values.slice(0, 3), ...values.slice(4, -2)]);
    }
  }
  return rows;
}

test('daily values of futures come from bars on dates without ticks, and are the same', async () => {
  const own = mkdtempSync(join(tmpdir(), 'ticklake-derive-'));
  const other = await openLake({ home: own }, fixedClock('2026-10-20T12:00:00Z'));
  const reader = await INSTALLED_ENGINE.openReader(readConfig({ TICKLAKE_HOME: own }));
  try {
    const place = { lake: other, engine: reader, datasets: [datasetOf('fut_daily')] };
    const bars = tables.get('fut_trades_1min')?.batches ?? [];
    const load = (textId: string, batches: readonly ColumnBatch[]) =>
      publishBatches(other, {
        ...{ dataset: datasetOf(textId), mode: 'replace-all' as const, vendor: 'Synthetic' },
        batches: each(batches),
      });
    await load('fut_trades_1min', bars);
    const fromBars = await deriveAll(place);
    expect(fromBars.datasets[0]).toMatchObject({ freshPartCount: 0, warnings: [] });
    const rows = await dailyValuesOf(other, reader);
    expect(rows.size).toBeGreaterThan(20);
    expect(await deriveAll(place)).toMatchObject({ state: 'unchanged' });
    await load('fut_taq', tables.get('fut_taq')?.batches ?? []);
    const fromTicks = await deriveAll(place);
    expect(fromTicks.datasets[0]?.computedPartCount).toBeGreaterThan(2);
    expect(await dailyValuesOf(other, reader)).toEqual(rows);
    await load('fut_taq', ofLastDay('fut_taq', true));
    await deriveAll(place);
    expect(await dailyValuesOf(other, reader)).toEqual(rows);
    expect(await deriveAll(place)).toMatchObject({ state: 'unchanged' });
  } finally {
    await reader.close();
    await other.close();
    rmSync(own, { recursive: true, force: true });
  }
});

test('ticks that no row comes from are computed once', async () => {
  const own = mkdtempSync(join(tmpdir(), 'ticklake-derive-'));
  const other = await openLake({ home: own }, fixedClock('2026-10-20T12:00:00Z'));
  const reader = await INSTALLED_ENGINE.openReader(readConfig({ TICKLAKE_HOME: own }));
  try {
    const ticks = datasetOf('opt_tanq');
    const at = ticks.columns.findIndex(({ name }) => name === 'Side');
    const unquoted = (tables.get('opt_tanq')?.batches ?? []).map((batch) => {
      const sideAt = textReader(batch.columns[at] as ColumnVector);
      const rows = Array.from({ length: batch.rowCount }, (_, row) => row);
      return takeRows(
        batch,
        rows.filter((row) => sideAt(row) === null),
      );
    });
    const options = { dataset: ticks, mode: 'replace-all' as const, vendor: 'Synthetic' };
    await publishBatches(other, { ...options, batches: each(unquoted) });
    const place = { lake: other, engine: reader, datasets: [datasetOf('opt_greeks_daily')] };
    const [first] = (await deriveAll(place)).datasets;
    expect(first).toMatchObject({ rowCount: 0, emptyInputs: ['eq_adj_factors_basic'] });
    expect(first?.computedPartCount).toBeGreaterThan(0);
    expect(await deriveAll(place)).toMatchObject({ state: 'unchanged' });
  } finally {
    await reader.close();
    await other.close();
    rmSync(own, { recursive: true, force: true });
  }
});
