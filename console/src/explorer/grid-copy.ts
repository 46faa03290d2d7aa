/** Copying cells of the table as text that spreadsheets take apart again: tabs between cells, a header. */
import type { Cell } from './csv-page';

/** Rows and columns from one to the other, both included. */
export interface CellRange {
  readonly rows: readonly [first: number, last: number];
  readonly columns: readonly [first: number, last: number];
}

const NEEDS_QUOTES = /["\t\r\n]/;

/** A missing value is nothing, the empty text is two quotes, as in CSV. */
function field(cell: Cell): string {
  if (cell === null) return '';
  return cell === '' || NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** Null where a row is not in memory, as a copy without it would be wrong. */
export function tableText(
  names: readonly string[],
  row: (index: number) => readonly Cell[] | null,
  { rows: [firstRow, lastRow], columns: [firstColumn, lastColumn] }: CellRange,
): string | null {
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

function placeOf(node: Node | null): { row: number; column: number } | null {
  const element = node instanceof Element ? node : node?.parentElement;
  const rowElement = element?.closest('[role="row"]');
  if (!rowElement) return null;
  const column = element?.closest('[aria-colindex]')?.getAttribute('aria-colindex');
  // The header is row 1, and the numbers of the rows are column 1.
  return {
    row: Math.max(0, Number(rowElement.getAttribute('aria-rowindex')) - 2),
    column: Math.max(0, Number(column ?? 2) - 2),
  };
}

/**
 * The cells that were selected with the mouse: parts of one row, or whole rows. Null where the
 * selection stays within a cell or leaves the table.
 */
export function selectedCells(
  { anchorNode, focusNode }: Selection,
  columnCount: number,
): CellRange | null {
  const [from, to] = [placeOf(anchorNode), placeOf(focusNode)];
  if (from === null || to === null) return null;
  if (from.row === to.row && from.column === to.column) return null;
  const rows = [Math.min(from.row, to.row), Math.max(from.row, to.row)] as const;
  if (from.row !== to.row) return { rows, columns: [0, columnCount - 1] };
  return { rows, columns: [Math.min(from.column, to.column), Math.max(from.column, to.column)] };
}
