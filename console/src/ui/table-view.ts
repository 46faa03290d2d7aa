/** How a table is looked at: its order, page and columns. Pure. */
import type { ReactNode } from 'react';

export interface ViewedColumn<T> {
  /** Tells columns apart, too. */
  readonly header: string;
  readonly cell: (row: T) => ReactNode;
  /** The value to sort by and to save; absent: neither is done with this column. */
  readonly by?: (keyof T & string) | ((row: T) => string | number | null);
  /** Figures are aligned at their last digit. */
  readonly isNumeric?: boolean;
  /** Stays in sight at the end of the table, also where the rest has to be scrolled. */
  readonly isPinned?: boolean;
  /** Names the row; at most one column. */
  readonly isRowHeader?: boolean;
}

type Valued<T> = Pick<ViewedColumn<T>, 'header' | 'by'>;

/** As an address keeps it. */
export interface TableView {
  /** Header of a column, `-` before it downwards; absent: as the rows come. */
  readonly order?: string;
  /** Headers of columns that are hidden, separated by commas. */
  readonly hide?: string;
  /** From 2 on. */
  readonly page?: string;
}

type Cell = string | number | null;

const PAGE_ROWS = 100;

/** Null where a row has nothing. */
function sortValue<T>({ by }: Valued<T>, row: T): Cell {
  if (typeof by === 'function') return by(row);
  return by === undefined ? null : (row[by] as Cell);
}

/** Numbers by their size, texts as people sort them, nothing last. */
function compare(a: Cell, b: Cell): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b), 'en', { numeric: true });
}

export function sorted<T>(
  rows: readonly T[],
  columns: readonly ViewedColumn<T>[],
  { order = '' }: TableView,
): readonly T[] {
  const isDown = order.startsWith('-');
  const column = columns.find(({ header }) => header === order.slice(Number(isDown)));
  if (!column) return rows;
  const keyed = rows.map((row) => ({ row, key: sortValue(column, row) }));
  const isLast = ({ key }: { key: Cell }) => key === null;
  const sign = isDown ? -1 : 1;
  return keyed
    .sort((a, b) => (isLast(a) || isLast(b) ? 1 : sign) * compare(a.key, b.key))
    .map(({ row }) => row);
}

/** The order after a click on a header: upwards, downwards, as the rows come. */
export function nextOrder(order: string | undefined, header: string): string | undefined {
  if (order === header) return `-${header}`;
  return order === `-${header}` ? undefined : header;
}

export function shownColumns<Column extends ViewedColumn<never>>(
  columns: readonly Column[],
  { hide = '' }: TableView,
) {
  const hidden = hide.split(',');
  return columns.filter(({ header, isRowHeader }) => isRowHeader || !hidden.includes(header));
}

/** The rows of a page, which page it is and of how many. */
export function pageOf<T>(rows: readonly T[], { page = '1' }: TableView) {
  const count = Math.max(1, Math.ceil(rows.length / PAGE_ROWS));
  const number = Math.min(Math.max(1, Math.trunc(Number(page)) || 1), count);
  return { number, count, rows: rows.slice((number - 1) * PAGE_ROWS, number * PAGE_ROWS) };
}

/** Spreadsheets would take a text that begins so for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

function csvCell(value: Cell): string {
  if (typeof value === 'number') return String(value);
  const text = value ?? '';
  return `"${`${FORMULA.test(text) ? "'" : ''}${text}`.replaceAll('"', '""')}"`;
}

/** The columns that have values, and all rows. */
export function csvOf<T>(columns: readonly Valued<T>[], rows: readonly T[]): string {
  const told = columns.filter(({ by }) => by !== undefined);
  const lines = [
    told.map(({ header }) => csvCell(header)),
    ...rows.map((row) => told.map((column) => csvCell(sortValue(column, row)))),
  ];
  return lines.map((cells) => `${cells.join(',')}\r\n`).join('');
}
