/** Batches of rows restated by the adjustment factors of their securities. */
import {
  ADJUSTMENT_COLUMNS,
  type AdjustmentFactors,
  adjustTable,
  type FactorTable,
  isAdjusted,
} from '@ticklake/market/adjustment.ts';
import type { Column } from '../catalog/dataset.ts';
import { type ColumnBatch, type ColumnVector, dateOfDays } from '../engine/columns.ts';
import { doubleReader, doublesOf } from '../engine/gathered-columns.ts';
import { cellsOf } from '../engine/row-cells.ts';

/** What says of a row whose it is, and of which day. */
export const ROW_KEYS = { date: 'TradeDate', asid: 'ASID', ticker: 'Ticker' } as const;

const UNADJUSTED: AdjustmentFactors = { price: 1, volume: 1 };

export function isFactorColumn(name: string): boolean {
  return (ADJUSTMENT_COLUMNS as readonly string[]).includes(name);
}

/** The factors of rows that come by day and security, so that most are those of the row before. */
function factorsByRow(table: FactorTable, day: ColumnVector, asid: ColumnVector) {
  const [dayOf, idOf] = [doubleReader(day), doubleReader(asid)];
  let known = { day: Number.NaN, id: Number.NaN, factors: UNADJUSTED };
  return (row: number): AdjustmentFactors => {
    const [rowDay, id] = [dayOf(row), idOf(row)];
    if (Number.isNaN(id)) return UNADJUSTED;
    if (rowDay !== known.day || id !== known.id) {
      known = { day: rowDay, id, factors: table.factorsOn(id, dateOfDays(rowDay)) };
    }
    return known.factors;
  };
}

function vectorOf(column: Column, values: Float64Array): ColumnVector {
  const cells = cellsOf(column, values.length);
  cells.fillNumbers(0, values);
  return cells.vector(values.length);
}

export type VectorAt = (name: string) => ColumnVector;

/** The vectors of a batch by the names of its columns. */
export function vectorsOf(names: readonly string[], { columns }: ColumnBatch): VectorAt {
  const places = new Map(names.map((name, place) => [name, place]));
  return (name) => columns[places.get(name) as number] as ColumnVector;
}

/** The columns, restated, of rows as they were traded. `vectorAt` has those that are needed, and `ROW_KEYS`. */
export function restateBatch(
  columns: readonly Column[],
  rowCount: number,
  vectorAt: VectorAt,
  factors: FactorTable,
): ColumnBatch {
  const names = columns.map(({ name }) => name).filter(isAdjusted);
  const values = names.map((name) => doublesOf(vectorAt(name), rowCount));
  const factorsOf = factorsByRow(factors, vectorAt(ROW_KEYS.date), vectorAt(ROW_KEYS.asid));
  const table = adjustTable({ columns: names, rowCount, values }, factorsOf);
  return {
    rowCount,
    columns: columns.map((column) => {
      const at = table.columns.indexOf(column.name);
      return at < 0 ? vectorAt(column.name) : vectorOf(column, table.values[at] as Float64Array);
    }),
  };
}
