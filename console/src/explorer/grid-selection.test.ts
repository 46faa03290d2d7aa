import { describe, expect, it } from 'vitest';
import { HEADER_ROW } from './grid-layout';
import {
  allSelected,
  extendedTo,
  isOneCell,
  rangeOf,
  rowsSelected,
  selectionAfterKey,
  selectionAt,
} from './grid-selection';

const SIZE = { rows: 100, columns: 9, pageRows: 20 };
const AT = selectionAt({ row: 50, column: 4 });

/** What is selected after some keys, such as `Shift+ArrowDown`. */
function after(...keys: readonly string[]) {
  const selection = keys.reduce((before, text) => {
    const names = text.split('+');
    const key = names.at(-1) === 'Space' ? ' ' : names.at(-1)!;
    const isControl = names.includes('Control');
    return selectionAfterKey({ key, isControl, isShift: names.includes('Shift') }, before, SIZE)!;
  }, AT);
  return rangeOf(selection);
}

describe('the selection of the table', () => {
  it('grows and shrinks with Shift, and is one cell again without', () => {
    expect(after('Shift+ArrowDown', 'Shift+ArrowDown', 'Shift+ArrowLeft')).toEqual({
      rows: [50, 52],
      columns: [3, 4],
    });
    expect(after('Shift+ArrowDown', 'Shift+ArrowUp', 'Shift+ArrowUp')?.rows).toEqual([49, 50]);
    expect(isOneCell(after('Shift+ArrowDown', 'ArrowDown')!)).toBe(true);
    expect(after('Control+Shift+End')).toEqual({ rows: [50, 99], columns: [4, 8] });
  });

  it('is all cells, whole rows or whole columns by one key', () => {
    expect(after('Control+a')).toEqual({ rows: [0, 99], columns: [0, 8] });
    expect(after('Shift+Space')).toEqual({ rows: [50, 50], columns: [0, 8] });
    expect(after('Control+Space')).toEqual({ rows: [0, 99], columns: [4, 4] });
  });

  it('of rows goes from one number to another', () => {
    expect(rangeOf(rowsSelected(3, 9, 7))).toEqual({ rows: [3, 7], columns: [0, 8] });
    expect(rangeOf(allSelected(SIZE))).toEqual(after('Control+a'));
  });

  it('has nothing of the header', () => {
    expect(rangeOf(selectionAt({ row: HEADER_ROW, column: 2 }))).toBeNull();
    const fromHeader = extendedTo(selectionAt({ row: HEADER_ROW, column: 2 }), {
      row: 3,
      column: 4,
    });
    expect(rangeOf(fromHeader)).toEqual({ rows: [0, 3], columns: [2, 4] });
  });

  it('leaves other keys alone', () => {
    const key = { key: 'c', isControl: true, isShift: false };
    expect(selectionAfterKey(key, AT, SIZE)).toBeNull();
  });
});
