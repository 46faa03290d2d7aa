/** Copying cells of the table as text that spreadsheets take apart again: tabs between cells, a header. */
import type { Cell } from './csv-page';
import type { CellRange } from './grid-selection';

/** More cells than these are a file's business. */
const CELLS_COPIED_MAX = 1_000_000;

const NEEDS_QUOTES = /["\t\r\n]/;

/** A missing value is nothing, the empty text is two quotes, as in CSV. */
function field(cell: Cell): string {
  if (cell === null) return '';
  return cell === '' || NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/**
 * The values as the service wrote them, whatever the table makes of them. Null where a row is not in memory, as a
 * copy without it would be wrong, or where cells are too many.
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
