import type { SortRow } from './explorer-query';
import type { Cell } from './row-store';

export const ROW_PX = 28;
export const HEADER_PX = 34;
/** Width of the rows' numbers: enough for a million, less where there are few. */
export const numberPx = (rowCount: number) => (rowCount < 1000 ? 48 : 84);

const PADDING_PX = 26;
/** For the button of a column's menu, and the arrow that shows how it is sorted. */
const HEADER_EXTRA_PX = 32;
/** Texts of the same length may be wider than the one that is measured. */
const WIDER_LETTERS = 1.06;
const WIDTH_MIN_PX = 72;
const WIDTH_MAX_PX = 360;
/** As narrow and as wide as people may make a column. */
const CHOSEN_MIN_PX = 48;
const CHOSEN_MAX_PX = 1200;

/** Width in pixels of a text in the table; names stand in bold. */
export type MeasureText = (text: string, isBold: boolean) => number;

/** Width of each column: as its name and the longest of some of its cells need, within bounds. */
export function columnWidths(
  columns: readonly string[],
  sample: readonly (readonly string[])[],
  measure: MeasureText,
): number[] {
  return columns.map((name, index) => {
    const longest = sample.reduce((text, row) => {
      const cell = row[index] ?? '';
      return cell.length > text.length ? cell : text;
    }, '');
    const width = Math.max(
      measure(name, true) + HEADER_EXTRA_PX,
      measure(longest, false) * WIDER_LETTERS,
    );
    return Math.min(Math.max(Math.ceil(width) + PADDING_PX, WIDTH_MIN_PX), WIDTH_MAX_PX);
  });
}

export function chosenWidth(px: number): number {
  return Math.round(Math.min(Math.max(px, CHOSEN_MIN_PX), CHOSEN_MAX_PX));
}

export const HEADER_ROW = -1;

export interface CellPlace {
  readonly row: number;
  readonly column: number;
}

export interface GridSize {
  readonly rows: number;
  readonly columns: number;
  readonly pageRows: number;
}

type Step = (place: CellPlace, size: GridSize) => Partial<CellPlace>;

const STEPS: Readonly<Record<string, Step>> = {
  ArrowUp: ({ row }) => ({ row: row - 1 }),
  ArrowDown: ({ row }) => ({ row: row + 1 }),
  ArrowLeft: ({ column }) => ({ column: column - 1 }),
  ArrowRight: ({ column }) => ({ column: column + 1 }),
  PageUp: ({ row }, { pageRows }) => ({ row: Math.max(0, row - pageRows) }),
  PageDown: ({ row }, { pageRows }) => ({ row: row + pageRows }),
  Home: () => ({ column: 0 }),
  End: (_, { columns }) => ({ column: columns - 1 }),
  'Control+Home': () => ({ row: 0, column: 0 }),
  'Control+End': (_, { rows, columns }) => ({ row: rows - 1, column: columns - 1 }),
};

/** The cell that a key leads to; null for keys that lead nowhere. */
export function cellAfterKey(
  key: string,
  isControl: boolean,
  place: CellPlace,
  size: GridSize,
): CellPlace | null {
  const step = STEPS[isControl ? `Control+${key}` : key];
  if (!step) return null;
  const next = { ...place, ...step(place, size) };
  return {
    row: Math.max(HEADER_ROW, Math.min(next.row, size.rows - 1)),
    column: Math.max(0, Math.min(next.column, size.columns - 1)),
  };
}

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
  return { rows: between(anchor.row, active.row), columns: between(anchor.column, active.column) };
}

export function isOneCell({ rows, columns }: CellRange): boolean {
  return rows[0] === rows[1] && columns[0] === columns[1];
}

interface GridKey {
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

/** More cells than these are a file's business. */
const CELLS_COPIED_MAX = 1_000_000;

const NEEDS_QUOTES = /["\t\r\n]/;

/** A missing value is nothing, the empty text is two quotes, as in CSV. */
function field(cell: Cell): string {
  if (cell === null) return '';
  return cell === '' || NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/**
 * The values as the service wrote them, whatever the table makes of them. Null where a row is not
 * in memory, as a copy without it would be wrong, or where cells are too many.
 */
export function tableText(
  names: readonly string[],
  row: (index: number) => readonly Cell[] | null,
  { rows: [firstRow, lastRow], columns: [firstColumn, lastColumn] }: CellRange,
): string | null {
  const cellCount = (lastRow - firstRow + 1) * (lastColumn - firstColumn + 1);
  if (cellCount > CELLS_COPIED_MAX) return null;
  const line = (cells: readonly Cell[]) =>
    cells
      .slice(firstColumn, lastColumn + 1)
      .map(field)
      .join('\t');
  const lines = [line(names)];
  for (let index = firstRow; index <= lastRow; index++) {
    const cells = row(index);
    if (cells === null) return null;
    lines.push(line(cells));
  }
  return `${lines.join('\n')}\n`;
}

export type SortDirection = 'ascending' | 'descending';

/** How the rows are sorted by a column; null where they are not. */
export function directionOf(sort: readonly SortRow[], column: string): SortDirection | null {
  const row = sort.find((each) => each.column === column);
  if (!row) return null;
  return row.isDescending ? 'descending' : 'ascending';
}

/** Null: no longer sorted by it. `isAdded`: beside the columns that sort already. */
export function sortedBy(
  sort: readonly SortRow[],
  column: string,
  direction: SortDirection | null,
  isAdded: boolean,
): readonly SortRow[] {
  const others = sort.filter((row) => row.column !== column && row.column !== '');
  const own = direction === null ? [] : [{ column, isDescending: direction === 'descending' }];
  if (!isAdded) return own;
  const at = sort.findIndex((row) => row.column === column);
  return at === -1 ? [...others, ...own] : others.toSpliced(at, 0, ...own);
}

const NEXT = { none: 'ascending', ascending: 'descending', descending: null } as const;

/** Upwards, downwards, and the natural order again. */
export function sortedOnce(
  sort: readonly SortRow[],
  column: string,
  isAdded: boolean,
): readonly SortRow[] {
  return sortedBy(sort, column, NEXT[directionOf(sort, column) ?? 'none'], isAdded);
}

export interface GridLook {
  /** Pixels by column, of those that were resized. */
  readonly widths: Readonly<Record<string, number>>;
  readonly pinned: readonly string[];
  readonly hasSeparators: boolean;
}

/** Remembered by the browser, as it is a matter of taste and not of the dataset. */
const STORAGE_KEY = 'ticklake-thousands-separators';

export const PLAIN_LOOK: GridLook = { widths: {}, pinned: [], hasSeparators: false };

export function withWidth(look: GridLook, column: string, px: number): GridLook {
  return { ...look, widths: { ...look.widths, [column]: chosenWidth(px) } };
}

export function withFittingWidth(look: GridLook, column: string): GridLook {
  const { [column]: _, ...widths } = look.widths;
  return { ...look, widths };
}

export function withPin(look: GridLook, column: string, isPinned: boolean): GridLook {
  const others = look.pinned.filter((name) => name !== column);
  return { ...look, pinned: isPinned ? [...others, column] : others };
}

/** Pinned columns first, in the order in which they were pinned, then the others. */
export function inOrder<T extends { readonly name: string }>(
  columns: readonly T[],
  { pinned }: GridLook,
): readonly T[] {
  const place = ({ name }: T) => {
    const at = pinned.indexOf(name);
    return at === -1 ? pinned.length : at;
  };
  return columns.toSorted((a, b) => place(a) - place(b));
}

export function rememberedLook(): GridLook {
  return { ...PLAIN_LOOK, hasSeparators: localStorage.getItem(STORAGE_KEY) === 'true' };
}

export function rememberLook({ hasSeparators }: GridLook): void {
  localStorage.setItem(STORAGE_KEY, String(hasSeparators));
}
