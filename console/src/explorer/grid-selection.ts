/** Which cells of the table are selected: from one corner to the other, of which the second is the active cell. */
import { type CellPlace, cellAfterKey, type GridSize, HEADER_ROW } from './grid-layout';

/** Rows and columns from one to the other, both included. */
export interface CellRange {
  readonly rows: readonly [first: number, last: number];
  readonly columns: readonly [first: number, last: number];
}

export interface GridSelection {
  readonly anchor: CellPlace;
  readonly active: CellPlace;
}

export const START: GridSelection = {
  anchor: { row: 0, column: 0 },
  active: { row: 0, column: 0 },
};

export function selectionAt(place: CellPlace): GridSelection {
  return { anchor: place, active: place };
}

/** As far as a place; the other corner stays. The header is no part of a range. */
export function extendedTo({ anchor }: GridSelection, place: CellPlace): GridSelection {
  const inRows = ({ row, column }: CellPlace) => ({ row: Math.max(0, row), column });
  return { anchor: inRows(anchor), active: inRows(place) };
}

/** Whole rows, from that of the other corner on if `from` is given. */
export function rowsSelected(row: number, columns: number, from = row): GridSelection {
  return { anchor: { row: from, column: columns - 1 }, active: { row, column: 0 } };
}

export function allSelected({ rows, columns }: GridSize): GridSelection {
  return { anchor: { row: rows - 1, column: columns - 1 }, active: { row: 0, column: 0 } };
}

function columnSelected({ active }: GridSelection, { rows }: GridSize): GridSelection {
  const { column } = active;
  return { anchor: { row: rows - 1, column }, active: { row: 0, column } };
}

/** Null where only the header is active. */
export function rangeOf({ anchor, active }: GridSelection): CellRange | null {
  if (active.row === HEADER_ROW) return null;
  const between = (a: number, b: number) => [Math.min(a, b), Math.max(a, b)] as const;
  return {
    rows: between(anchor.row, active.row),
    columns: between(anchor.column, active.column),
  };
}

export function isOneCell({ rows, columns }: CellRange): boolean {
  return rows[0] === rows[1] && columns[0] === columns[1];
}

export interface GridKey {
  readonly key: string;
  readonly isControl: boolean;
  readonly isShift: boolean;
}

/** The selection after a key, as spreadsheets have it; null for keys that select nothing. */
export function selectionAfterKey(
  { key, isControl, isShift }: GridKey,
  selection: GridSelection,
  size: GridSize,
): GridSelection | null {
  if (isControl && key.toLowerCase() === 'a') return allSelected(size);
  if (key === ' ' && isShift) return rowsSelected(Math.max(0, selection.active.row), size.columns);
  if (key === ' ' && isControl) return columnSelected(selection, size);
  const next = cellAfterKey(key, isControl, selection.active, size);
  if (next === null) return null;
  return isShift ? extendedTo(selection, next) : selectionAt(next);
}
