/**
 * Rules between a value, the rest of its row and its place in the dataset, beyond its column's
 * type: the times that a definition lists under `same_day` lie on the row's date or in the evening
 * on which its sessions begin, and identifiers are text that a request can name.
 */
import { nightSeconds } from '@ticklake/market/sessions.ts';
import { UsageError } from '../base/errors.ts';
import type { Column, Dataset } from '../catalog/dataset.ts';
import { acceptedIdentifier, acceptedOnDate } from '../engine/accepted-values.ts';
import { cellText } from '../engine/cell-text.ts';
import {
  type CellValue,
  type ColumnBatch,
  type ColumnVector,
  cellAt,
  type DateVector,
  daysOfDate,
  type IntegerVector,
  type StringVector,
} from '../engine/columns.ts';
import { isIdentifierText } from '../engine/identifier-text.ts';
import { identifierTextColumns } from '../engine/indexed-columns.ts';
import {
  daysOfLocalNanos,
  localOfUtcNanos,
  NANOS_PER_SECOND,
  offsetIntervals,
} from '../time/market-time.ts';

const DAY_SECONDS = 86_400;
/** Nanoseconds are rounded to fewer than so many where they are told in seconds. */
const ROUNDING_SECONDS = 1;

type Cells = readonly (CellValue | undefined)[];

/** A rule of one column of a row. */
export interface RowRule {
  /** The cells are those of the row, undefined where a text did not fit; null keeps any rule. */
  isKept(cells: Cells): boolean;
  /** The first row of a batch that breaks it; -1: none does. Most rows cost a comparison or two. */
  findBroken(vectors: readonly ColumnVector[], rowCount: number): number;
  /** The legal values, in words; `texts` are those of the row. */
  accepts(texts: readonly (string | null)[]): string;
}

/** True if a time lies on a date, or in the night before it that lasts so many seconds. */
function isOnDay({ timeZone, sessions }: Dataset, time: bigint, date: number): boolean {
  const local = localOfUtcNanos(timeZone, time);
  const night = BigInt(nightSeconds(sessions)) * NANOS_PER_SECOND;
  return daysOfLocalNanos(local) === date || daysOfLocalNanos(local + night) === date;
}

/** The first row whose text is no identifier. Few texts are in many rows. */
function findUnnamed({ values }: StringVector, rowCount: number): number {
  const named = new Set<string | null>([null]);
  for (let row = 0; row < rowCount; row++) {
    const text = values[row] ?? null;
    if (named.has(text)) continue;
    if (!isIdentifierText(text as string)) return row;
    named.add(text);
  }
  return -1;
}

function sameDayRule(dataset: Dataset, columns: readonly Column[], c: number): RowRule | null {
  const { dateColumn, sameDayColumns } = dataset;
  if (!sameDayColumns.includes(columns[c]?.name ?? '')) return null;
  const d = columns.findIndex(({ name }) => name === dateColumn);
  if (d < 0) return null;
  return {
    isKept: (cells) => {
      const [time, date] = [cells[c], cells[d]];
      if (typeof time !== 'bigint' || typeof date !== 'string') return true;
      return isOnDay(dataset, time, daysOfDate(date));
    },
    findBroken: (vectors, rowCount) => {
      const [times, dates] = [vectors[c] as IntegerVector, vectors[d] as DateVector];
      // Most times are on their dates, whatever the clock's offset on that day is, which two
      // comparisons of seconds tell, without a bigint for each; the others are asked for exactly.
      const offsets = offsetIntervals(dataset.timeZone).map(({ offsetSeconds }) => offsetSeconds);
      const first = ROUNDING_SECONDS - Math.min(...offsets);
      const last = DAY_SECONDS - Math.max(...offsets) - ROUNDING_SECONDS;
      const halves = new DataView(times.values.buffer, times.values.byteOffset);
      for (let row = 0; row < rowCount; row++) {
        if (times.nulls?.[row] || dates.nulls?.[row]) continue;
        const nanos =
          halves.getInt32(row * 8 + 4, true) * 2 ** 32 + halves.getUint32(row * 8, true);
        const date = dates.values[row] as number;
        const sinceMidnight = nanos / 1e9 - date * DAY_SECONDS;
        if (sinceMidnight >= first && sinceMidnight < last) continue;
        if (!isOnDay(dataset, times.values[row] as bigint, date)) return row;
      }
      return -1;
    },
    accepts: (texts) => acceptedOnDate(dataset, texts[d] ?? null),
  };
}

function identifierRule(dataset: Dataset, columns: readonly Column[], c: number): RowRule | null {
  if (!identifierTextColumns(dataset).has(columns[c]?.name ?? '')) return null;
  return {
    isKept: (cells) => typeof cells[c] !== 'string' || isIdentifierText(cells[c]),
    findBroken: (vectors, rowCount) => findUnnamed(vectors[c] as StringVector, rowCount),
    accepts: (texts) => acceptedIdentifier(texts[c] ?? null),
  };
}

/** The rule that the values of column `c` have to keep; null: none. */
export function rowRule(dataset: Dataset, columns: readonly Column[], c: number): RowRule | null {
  return sameDayRule(dataset, columns, c) ?? identifierRule(dataset, columns, c);
}

/** Throws a `UsageError` that tells the first value of a column of a batch that breaks its rule. */
export function requireRowRules(dataset: Dataset, batch: ColumnBatch): void {
  const { columns, textId } = dataset;
  for (const [c, column] of columns.entries()) {
    const rule = rowRule(dataset, columns, c);
    const row = rule?.findBroken(batch.columns, batch.rowCount) ?? -1;
    if (!rule || row < 0) continue;
    const cells = columns.map((_, i) => cellAt(batch.columns[i] as ColumnVector, row));
    const shown = columns.map((each, i) => cellText(each, cells[i] ?? null, dataset.timeZone));
    // A message shows the beginning of a long text, which may be legal.
    const texts = cells.map((cell, i) => (typeof cell === 'string' ? cell : (shown[i] ?? null)));
    throw new UsageError(
      `${textId}: ${column.name} ${JSON.stringify(shown[c])} is not ${rule.accepts(texts)}`,
    );
  }
}
