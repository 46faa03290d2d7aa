/**
 * Rows of a plan that asks for adjusted rows as of a date or by some of the events: the raw rows
 * are read within the same plan, rules and version, and restated on their way to the renderer, so
 * that engines know nothing of it.
 */

import {
  ADJUSTMENT_COLUMNS,
  type AdjustmentFactors,
  adjustedKindOf,
  adjustQuantity,
  adjustTable,
  type FactorTable,
  isAdjusted,
} from '@ticklake/market/adjustment.ts';
import type { Column, Dataset } from '../catalog/dataset.ts';
import { chosenRows } from '../engine/chosen-rows.ts';
import { type ColumnBatch, type ColumnVector, cellsOf, dateOfDays } from '../engine/columns.ts';
import type { EngineReader } from '../engine/engine.ts';
import { doubleReader, doublesOf, textReader, unitsReader } from '../engine/gathered-columns.ts';
import { walkFingerprint } from '../engine/plan-fingerprint.ts';
import type { QueryPlan, Restatement } from '../engine/query-plan.ts';
import type { WalkPositions } from '../engine/walk-positions.ts';
import { columnOf } from '../plan/conditions.ts';
import { EVERY_ROW } from '../plan/plan-bulk.ts';
import { FACTOR_COLUMNS, type FactorTables, type Restating } from './factor-events.ts';

export type RowReader = Pick<EngineReader, 'scan'>;

/** Tools for restating rows. */
export interface RestatingTools {
  readonly engine: RowReader;
  readonly factorTables: FactorTables;
  readonly madeWalks: WalkPositions;
}

type RestatingPlan = QueryPlan & { readonly restatement: Restatement };

function isRestating(plan: QueryPlan): plan is RestatingPlan {
  return plan.restatement !== undefined;
}

/** The plan of the rows as they were traded, past so many of them. */
function rawPlan({ restatement: { raw }, ...plan }: RestatingPlan, offset: number): QueryPlan {
  const asked = plan.columns.map(({ name }) => name).filter((name) => !isFactorColumn(name));
  const names = [...new Set([...asked, ...Object.values(ROW_KEYS)])];
  const columns = names.map((name) => columnOf(raw, name));
  return { ...plan, dataset: raw, columns, sort: [], offset, limit: EVERY_ROW - offset };
}

/** The rows whose factors are known, by their numbers; null: all of them. */
function clearRows(
  { rowCount }: ColumnBatch,
  vectorAt: VectorAt,
  restating: Restating,
): number[] | null {
  const asids = vectorAt(ROW_KEYS.asid);
  if (!('nulls' in asids) || asids.nulls === null) return null;
  const { nulls } = asids;
  const dayOf = doubleReader(vectorAt(ROW_KEYS.date));
  const tickerOf = textReader(vectorAt(ROW_KEYS.ticker));
  const rows = Array.from({ length: rowCount }, (_, row) => row);
  return rows.filter((row) => {
    const ticker = nulls[row] ? tickerOf(row) : null;
    return ticker === null || !restating.isUnclear(ticker, dateOfDays(dayOf(row)));
  });
}

function restatedRows(
  { engine, factorTables, madeWalks }: RestatingTools,
  plan: RestatingPlan,
  signal: AbortSignal,
): AsyncGenerator<ColumnBatch> {
  const { restatement, columns } = plan;
  const { columns: rawColumns } = rawPlan(plan, 0);
  const names = rawColumns.map(({ name }) => name);
  return chosenRows(plan, madeWalks.of(walkFingerprint(plan)), async (source) => {
    const events = await factorTables.read(engine, restatement.factors, signal);
    const restating = events.restating(restatement);
    return {
      batches: engine.scan(rawPlan(plan, source), signal),
      choose: (batch) => clearRows(batch, vectorsOf(names, batch), restating),
      made: (rows) => restateBatch(columns, rows.rowCount, vectorsOf(names, rows), restating),
    };
  });
}

/** The engine, which restates the rows of plans that say so. It yields them in natural order. */
export function restatingReader(tools: RestatingTools): RowReader {
  return {
    scan: (plan, signal) =>
      isRestating(plan) ? restatedRows(tools, plan, signal) : tools.engine.scan(plan, signal),
  };
}

/** The columns that name a row's security, by its id or else by its ticker, and its day. */
export const ROW_KEYS = { date: 'TradeDate', asid: 'ASID', ticker: 'Ticker' } as const;

const UNADJUSTED: AdjustmentFactors = { price: 1, volume: 1 };

export function isFactorColumn(name: string): boolean {
  return (ADJUSTMENT_COLUMNS as readonly string[]).includes(name);
}

/** The factors of rows that come by day and security, so that most are those of the row before. */
function factorsByRow(table: FactorTable, vectorAt: VectorAt) {
  const [dayOf, idOf] = [
    doubleReader(vectorAt(ROW_KEYS.date)),
    doubleReader(vectorAt(ROW_KEYS.asid)),
  ];
  const tickerOf = textReader(vectorAt(ROW_KEYS.ticker));
  let known = { day: Number.NaN, security: '' as number | string, factors: UNADJUSTED };
  return (row: number): AdjustmentFactors => {
    const [day, id] = [dayOf(row), idOf(row)];
    const security = Number.isNaN(id) ? tickerOf(row) : id;
    if (security === null) return UNADJUSTED;
    if (day !== known.day || security !== known.security) {
      known = { day, security, factors: table.factorsOn(security, dateOfDays(day)) };
    }
    return known.factors;
  };
}

function vectorOf(column: Column, values: Float64Array): ColumnVector {
  const cells = cellsOf(column, values.length);
  cells.fillNumbers(0, values);
  return cells.vector(values.length);
}

const isPrice = (name: string) => isAdjusted(name) && adjustedKindOf(name) !== 'shares';

/** Sizes and volumes, in units of their column's last digit. */
function quantitiesOf(
  column: Column,
  vector: ColumnVector,
  factors: readonly AdjustmentFactors[],
): ColumnVector {
  const unitsAt = unitsReader(vector);
  const cells = cellsOf(column, factors.length);
  for (const [row, each] of factors.entries()) {
    const units = unitsAt(row);
    cells.set(row, units === null ? null : adjustQuantity(units, each));
  }
  return cells.vector(factors.length);
}

export type VectorAt = (name: string) => ColumnVector;

/** The vectors of a batch by the names of its columns. */
export function vectorsOf(names: readonly string[], { columns }: ColumnBatch): VectorAt {
  const places = new Map(names.map((name, place) => [name, place]));
  return (name) => columns[places.get(name) as number] as ColumnVector;
}

/** Restates columns; `vectorAt` has those needed and `ROW_KEYS`. */
export function restateBatch(
  columns: readonly Column[],
  rowCount: number,
  vectorAt: VectorAt,
  factors: FactorTable,
): ColumnBatch {
  const factorsOf = factorsByRow(factors, vectorAt);
  const known = Array.from({ length: rowCount }, (_, row) => factorsOf(row));
  const names = columns.map(({ name }) => name).filter(isPrice);
  const values = names.map((name) => doublesOf(vectorAt(name), rowCount));
  const table = adjustTable(
    { columns: names, rowCount, values },
    (row) => known[row] ?? UNADJUSTED,
  );
  return {
    rowCount,
    columns: columns.map((column) => {
      const at = table.columns.indexOf(column.name);
      if (at >= 0) return vectorOf(column, table.values[at] as Float64Array);
      const vector = vectorAt(column.name);
      return isAdjusted(column.name) ? quantitiesOf(column, vector, known) : vector;
    }),
  };
}

/** The datasets from which an adjusted one is made. */
export interface AdjustmentInputs {
  readonly raw: Dataset;
  readonly factors: Dataset;
}

/** Columns that an input lacks, or has as another type, as `DATASET COLUMN`. */
export function missingColumns(adjusted: Dataset, { raw, factors }: AdjustmentInputs): string[] {
  const isStored = ({ name, dataType }: Dataset['columns'][number]) =>
    isFactorColumn(name) || raw.columnByName.get(name)?.dataType === dataType;
  const unstored = adjusted.columns.filter((column) => !isStored(column)).map(({ name }) => name);
  const keys = Object.values(ROW_KEYS).filter((name) => !adjusted.columnByName.has(name));
  const ofFactors = FACTOR_COLUMNS.filter((name) => !factors.columnByName.has(name));
  return [
    ...[...unstored, ...keys].map((name) => `${raw.textId} ${name}`),
    ...ofFactors.map((name) => `${factors.textId} ${name}`),
  ];
}

/** Kept, so that what is known of the dataset stays known. */
const known = new WeakMap<Dataset, { readonly raw: Dataset; readonly restated: Dataset }>();

/** Stored and identified like the raw rows; some columns are adjusted. */
export function restatedDataset(adjusted: Dataset, raw: Dataset): Dataset {
  const before = known.get(adjusted);
  if (before?.raw === raw) return before.restated;
  const { columns, columnByName, variant, derivation } = adjusted;
  const restated = { ...raw, columns, columnByName, variant, derivation };
  known.set(adjusted, { raw, restated });
  return restated;
}
