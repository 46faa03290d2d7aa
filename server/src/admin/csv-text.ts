/** The rows of an operation's answer as CSV (RFC 4180). Pure. */

import { type Schema, structureOf } from '../schema/schema.ts';

type Row = Readonly<Record<string, unknown>>;

/** An answer of rows, which may be a page. */
export interface RowsAnswer {
  readonly data: readonly Row[];
  readonly pagination?: { readonly next_after: number | null };
}

/** Puts a quote before a cell that a spreadsheet would take for a formula. */
function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = Array.isArray(value) ? value.join(' ') : String(value);
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const LINE_END = '\r\n';

function lineText(cells: readonly unknown[], lineEnd: string): string {
  return `${cells.map(cellText).join(',')}${lineEnd}`;
}

/** The rows without titles, to go on with. */
export function csvRows(
  columns: readonly string[],
  rows: readonly Row[],
  lineEnd = LINE_END,
): string {
  const cellsOf = (row: Row) => columns.map((name) => row[name]);
  return rows.map((row) => lineText(cellsOf(row), lineEnd)).join('');
}

/** `columns` are the titles, also where there are no rows. */
export function csvText(
  columns: readonly string[],
  rows: readonly Row[],
  lineEnd = LINE_END,
): string {
  return lineText(columns, lineEnd) + csvRows(columns, rows, lineEnd);
}

/** The names of the members of the rows that an answer's `data` has, by its schema. */
export function rowColumns(answer: Schema): string[] {
  const { entries = {} } = structureOf(answer);
  const { item } = structureOf(entries.data as Schema);
  return Object.keys(structureOf(item as Schema).entries ?? {});
}
