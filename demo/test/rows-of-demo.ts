/**
 * Rows that were derived from the ticks of the demo market, against those that it was made with.
 */
import type { Dataset } from 'ticklake/catalog/dataset.ts';
import { RowComparison } from 'ticklake/derive/check-derived.ts';
import { type ColumnBatch, daysOfDate, takeRows } from 'ticklake/engine/columns.ts';
import type { EngineReader } from 'ticklake/engine/engine.ts';
import { planOfAll } from 'ticklake/engine/plan-of-all.ts';
import type { Lake } from 'ticklake/lake/lake.ts';
import { expect } from 'vitest';
import { catalog, type Table } from './generated-market.ts';

/** Datasets that all others are derived from. */
export const LOADED = [
  ...['eq_taq', 'eq_adj_factors_detail', 'eq_announce'],
  ...['fut_taq', 'opt_tanq'],
];
/**
 * The demo's have what symbols do not tell: names, identifiers, and a second SecId of one security.
 */
const SECURITIES = ['eq_lookup_files', 'eq_sec_master'];
/** Columns of the demo's rows that ticks do not tell. */
const UNTOLD = [
  ...['UnderBidSize', 'UnderBidTime', 'UnderAskSize', 'UnderAskTime'],
  ...['UnderLastTradePrice', 'UnderLastTradeSize', 'UnderLastTradeTime'],
];
const TICKS: Readonly<Record<string, string>> = { eq: 'eq_taq', fut: 'fut_taq', opt: 'opt_tanq' };

export interface DerivedDemo {
  readonly tables: ReadonlyMap<string, Table>;
  readonly lake: Lake;
  readonly engine: EngineReader;
}

export function derivedFromTicks(): Dataset[] {
  return catalog.datasets.filter(
    ({ derivation, textId }) => derivation !== null && !SECURITIES.includes(textId),
  );
}

async function firstTickDay(lake: Lake, textId: string): Promise<number> {
  const [market = ''] = textId.split('_');
  const { datasetId } = catalog.byTextId(TICKS[market] as string) as Dataset;
  return daysOfDate((await lake.snapshot(datasetId))?.parts[0]?.key as string);
}

/** In natural order, on the days from which ticks were loaded. */
async function* rowsOfDemo({ tables, lake }: DerivedDemo, { textId, columns }: Dataset) {
  const firstDay = await firstTickDay(lake, textId);
  const at = columns.findIndex(({ name }) => name === 'TradeDate');
  const isRead = (days: Int32Array | undefined, row: number) =>
    days === undefined || (days[row] as number) >= firstDay;
  for (const batch of tables.get(textId)?.batches ?? []) {
    const days = batch.columns[at]?.values as Int32Array | undefined;
    const rows = Array.from({ length: batch.rowCount }, (_, row) => row);
    yield takeRows(
      batch,
      rows.filter((row) => isRead(days, row)),
    ) satisfies ColumnBatch;
  }
}

/**
 * Fails unless what is published of a dataset is what the demo was made with, as far as ticks tell
 * it.
 */
export async function expectRowsOfDemo(demo: DerivedDemo, dataset: Dataset): Promise<void> {
  const { textId, datasetId } = dataset;
  const plan = planOfAll(dataset, await demo.lake.publishedParts(datasetId));
  const comparison = new RowComparison(dataset);
  const published = demo.engine.scan(plan, new AbortController().signal);
  await comparison.compare(rowsOfDemo(demo, dataset), published);
  const columns = comparison.differences.map(({ what }) => what);
  const untold = textId === 'opt_trades' ? UNTOLD : [];
  expect([textId, columns, comparison.rowCount > 0]).toEqual([textId, untold, true]);
}
