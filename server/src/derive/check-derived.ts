/** Computes datasets again and tells what differs from what is published of them. Changes nothing. */
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import type { EngineReader } from '../engine/engine.ts';
import type { DateSpan } from '../engine/query-plan.ts';
import type { Lake } from '../lake/lake.ts';
import { type Difference, RowComparison } from './compare-rows.ts';
import { derivationOrder } from './derivation-order.ts';
import { InputRows } from './input-rows.ts';
import { inputOf, type JudgedUnit, judgeUnits, taskOf } from './judge-units.ts';

export interface DerivedCheckRequest {
  readonly catalog: Catalog;
  /** Those without a derivation are passed over. */
  readonly datasets: readonly Dataset[];
  readonly dates: DateSpan | null;
  readonly lake: Lake;
  readonly engine: EngineReader;
  readonly signal: AbortSignal;
  /** Called before each part of the first input: which dataset, and how much of it is done. */
  readonly onUnit: (dataset: Dataset, done: number, total: number) => void;
}

export interface CheckedDerivation {
  readonly datasetId: string;
  readonly textId: string;
  /** Rows that were both computed and published. */
  readonly comparedRowCount: number;
  readonly differences: readonly Difference[];
}

async function checkDataset(
  request: DerivedCheckRequest,
  rows: InputRows,
  dataset: Dataset,
): Promise<CheckedDerivation> {
  const { catalog, lake, dates, signal, onUnit } = request;
  const task = taskOf(catalog, dataset);
  const names = dataset.columns.map(({ name }) => name);
  const comparison = new RowComparison(dataset);
  const search = { catalog, ledger: lake.ledger, rows, dates, signal };
  const units: JudgedUnit[] = await judgeUnits(task, search);
  for (const [done, unit] of units.entries()) {
    onUnit(dataset, done, units.length);
    const prepared = await unit.way.computation.prepare(inputOf(task, rows, unit));
    await comparison.compare(prepared.rows(), rows.read(dataset, names, unit.dates));
  }
  return {
    ...{ datasetId: dataset.datasetId, textId: dataset.textId },
    comparedRowCount: comparison.rowCount,
    differences: comparison.differences,
  };
}

/** Reads what is published at its beginning; what others publish meanwhile may show as a difference. */
export async function checkDerived(
  request: DerivedCheckRequest,
): Promise<readonly CheckedDerivation[]> {
  const { catalog, datasets, engine, lake, signal } = request;
  const partsOf = ({ datasetId }: Dataset) => lake.publishedParts(datasetId);
  const rows = new InputRows(partsOf, engine, signal);
  const checked: CheckedDerivation[] = [];
  for (const dataset of derivationOrder(catalog, datasets)) {
    checked.push(await checkDataset(request, rows, dataset));
  }
  return checked;
}
