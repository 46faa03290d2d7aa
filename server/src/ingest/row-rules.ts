/**
 * Rules between a value, the rest of its row and its place in the dataset, beyond its column's type:
 * the times that a definition lists under `same_day` lie on the row's date, and identifiers are text
 * that a request can name.
 */
import { UsageError } from '../base/errors.ts';
import type { Column, Dataset } from '../catalog/dataset.ts';
import { acceptedIdentifier, acceptedOnDate } from '../engine/accepted-values.ts';
import {
  type CellValue,
  type ColumnBatch,
  type ColumnVector,
  dateOfDays,
} from '../engine/columns.ts';
import { isIdentifierText } from '../engine/identifier-text.ts';
import { identifierTextColumns } from '../engine/indexed-columns.ts';
import { localOfUtcNanos, NANOS_PER_DAY } from '../time/market-time.ts';

type Cells = readonly (CellValue | undefined)[];

/** A rule of one column of a row. */
export interface RowRule {
  /** The cells are those of the row, undefined where a text did not fit; null keeps any rule. */
  isKept(cells: Cells): boolean;
  /** The legal values, in words; `texts` are those of the row. */
  accepts(texts: readonly (string | null)[]): string;
}

function dayOf(localNanos: bigint): number {
  const day = localNanos / NANOS_PER_DAY;
  return Number(localNanos % NANOS_PER_DAY < 0n ? day - 1n : day);
}

function sameDayRule(dataset: Dataset, columns: readonly Column[], c: number): RowRule | null {
  const { dateColumn, sameDayColumns, timeZone } = dataset;
  if (!sameDayColumns.includes(columns[c]?.name ?? '')) return null;
  const d = columns.findIndex(({ name }) => name === dateColumn);
  if (d < 0) return null;
  return {
    isKept: (cells) => {
      const [time, date] = [cells[c], cells[d]];
      if (typeof time !== 'bigint' || typeof date !== 'string') return true;
      return dateOfDays(dayOf(localOfUtcNanos(timeZone, time))) === date;
    },
    accepts: (texts) => acceptedOnDate(dataset, texts[d] ?? null),
  };
}

function identifierRule(dataset: Dataset, columns: readonly Column[], c: number): RowRule | null {
  if (!identifierTextColumns(dataset).has(columns[c]?.name ?? '')) return null;
  return {
    isKept: (cells) => typeof cells[c] !== 'string' || isIdentifierText(cells[c]),
    accepts: (texts) => acceptedIdentifier(texts[c] ?? null),
  };
}

/** The rule that the values of column `c` have to keep; null: none. */
export function rowRule(dataset: Dataset, columns: readonly Column[], c: number): RowRule | null {
  return sameDayRule(dataset, columns, c) ?? identifierRule(dataset, columns, c);
}

function cellOf(vector: ColumnVector, row: number): CellValue {
  if ('nulls' in vector && vector.nulls?.[row] === 1) return null;
  const value = vector.values[row] as CellValue;
  return vector.type === 'date' ? dateOfDays(value as number) : value;
}

function shownCell({ dataType }: Column, cell: CellValue): string | null {
  if (cell === null || dataType !== 'date-time') return cell === null ? null : String(cell);
  const time = Temporal.Instant.fromEpochNanoseconds(cell as bigint).toString();
  return time.replace('T', ' ').replace('Z', '');
}

/** Throws a `UsageError` that tells the first value of a batch that breaks a rule of its dataset. */
export function requireRowRules(
  dataset: Dataset,
  { rowCount, columns: vectors }: ColumnBatch,
): void {
  const { columns, textId } = dataset;
  const ruled = columns.flatMap((column, c) => {
    const rule = rowRule(dataset, columns, c);
    return rule ? [{ column, c, rule }] : [];
  });
  if (ruled.length === 0) return;
  const needed = new Set(ruled.map(({ c }) => c));
  needed.add(columns.findIndex(({ name }) => name === dataset.dateColumn));
  for (let row = 0; row < rowCount; row++) {
    const cells = vectors.map((vector, c) => (needed.has(c) ? cellOf(vector, row) : null));
    const broken = ruled.find(({ rule }) => !rule.isKept(cells));
    if (!broken) continue;
    const texts = columns.map((column, c) => shownCell(column, cells[c] as CellValue));
    const { column, c, rule } = broken;
    throw new UsageError(
      `${textId}: ${column.name} ${JSON.stringify(texts[c])} is not ${rule.accepts(texts)}`,
    );
  }
}
