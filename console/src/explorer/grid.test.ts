import { describe, expect, it } from 'vitest';
import type { SortRow } from './explorer-query';
import {
  allSelected,
  cellAfterKey,
  chosenWidth,
  columnWidths,
  directionOf,
  extendedTo,
  HEADER_ROW,
  inOrder,
  isOneCell,
  numberPx,
  PLAIN_LOOK,
  rangeOf,
  rowsSelected,
  selectionAfterKey,
  selectionAt,
  sortedBy,
  sortedOnce,
  tableText,
  withFittingWidth,
  withPin,
  withWidth,
} from './grid';

const SIZE = { rows: 100, columns: 9, pageRows: 20 };

describe('the column of numbers', () => {
  it('is narrow for few rows', () => {
    expect([numberPx(999), numberPx(1000)]).toEqual([48, 84]);
  });
});

describe('cellAfterKey', () => {
  it.each([
    ['ArrowDown', false, { row: 51, column: 4 }],
    ['ArrowLeft', false, { row: 50, column: 3 }],
    ['PageUp', false, { row: 30, column: 4 }],
    ['Home', false, { row: 50, column: 0 }],
    ['End', false, { row: 50, column: 8 }],
    ['Home', true, { row: 0, column: 0 }],
    ['End', true, { row: 99, column: 8 }],
  ])('moves with %s, control %s', (key, isControl, expected) => {
    expect(cellAfterKey(key, isControl, { row: 50, column: 4 }, SIZE)).toEqual(expected);
  });

  it('stays inside', () => {
    const last = { row: 99, column: 8 };
    expect(cellAfterKey('PageDown', false, last, SIZE)).toEqual(last);
    const header = { row: HEADER_ROW, column: 0 };
    expect(cellAfterKey('ArrowUp', false, { row: 0, column: 0 }, SIZE)).toEqual(header);
    expect(cellAfterKey('ArrowUp', false, header, SIZE)).toEqual(header);
    expect(cellAfterKey('PageUp', false, { row: 3, column: 0 }, SIZE)?.row).toBe(0);
  });

  it('leaves other keys to the page', () => {
    expect(cellAfterKey('Tab', false, { row: 0, column: 0 }, SIZE)).toBeNull();
    expect(cellAfterKey('c', true, { row: 0, column: 0 }, SIZE)).toBeNull();
  });
});

describe('columnWidths', () => {
  it('fits names and cells, within bounds', () => {
    const measure = (text: string) => text.length * 10;
    const widths = columnWidths(['A', 'LongColumn', 'B'], [['1', '2', 'x'.repeat(99)]], measure);
    expect(widths).toEqual([72, 158, 360]);
  });

  it('are as people choose them, within reason', () => {
    expect([1, 200.4, 9999].map(chosenWidth)).toEqual([48, 200, 1200]);
  });
});

describe('grid selection', () => {
  const SIZE = { rows: 100, columns: 9, pageRows: 20 };
  const AT = selectionAt({ row: 50, column: 4 });

  /** The selection after some keys, such as `Shift+ArrowDown`. */
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

    it('goes from one row number to another', () => {
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
});

const ROWS = [
  ['AAA', null, '1.5'],
  ['', 'a "quoted"\ttext', '2'],
  ['TRUE', '0263494', null],
];

describe('copied cells', () => {
  it('have tabs between them and their columns named above', () => {
    const text = tableText(['Ticker', 'Name', 'Price'], (index) => ROWS[index] ?? null, {
      rows: [0, 2],
      columns: [0, 2],
    });
    expect(text).toBe(
      'Ticker\tName\tPrice\nAAA\t\t1.5\n""\t"a ""quoted""\ttext"\t2\nTRUE\t0263494\t\n',
    );
  });

  it('may be a part of the columns', () => {
    const text = tableText(['Ticker', 'Name', 'Price'], (index) => ROWS[index] ?? null, {
      rows: [2, 2],
      columns: [0, 1],
    });
    expect(text).toBe('Ticker\tName\nTRUE\t0263494\n');
  });

  it('are none where a row is not in memory', () => {
    const range = { rows: [1, 3], columns: [0, 2] } as const;
    expect(tableText(['a', 'b', 'c'], (index) => ROWS[index] ?? null, range)).toBeNull();
  });
});

const up = (column: string) => ({ column, isDescending: false });
const down = (column: string) => ({ column, isDescending: true });

describe('sorting by the header', () => {
  it('goes up, down and back to the natural order', () => {
    let sort: readonly SortRow[] = [];
    const seen = [1, 2, 3].map(() => {
      sort = sortedOnce(sort, 'Price', false);
      return directionOf(sort, 'Price');
    });
    expect(seen).toEqual(['ascending', 'descending', null]);
    expect(sort).toEqual([]);
  });

  it('takes the place of other columns, unless it is added to them', () => {
    expect(sortedOnce([up('Ticker')], 'Price', false)).toEqual([up('Price')]);
    expect(sortedOnce([up('Ticker')], 'Price', true)).toEqual([up('Ticker'), up('Price')]);
    expect(sortedOnce([up('A'), up('B'), up('C')], 'B', true)).toEqual([
      up('A'),
      down('B'),
      up('C'),
    ]);
    expect(sortedBy([up('A'), up('B')], 'A', null, true)).toEqual([up('B')]);
  });

  it('forgets rows whose column is not chosen yet', () => {
    expect(sortedBy([up('')], 'A', 'descending', true)).toEqual([down('A')]);
  });
});

const COLUMNS = ['TradeDate', 'Ticker', 'Price', 'Volume'].map((name) => ({ name }));
const namesOf = (look: typeof PLAIN_LOOK) => inOrder(COLUMNS, look).map(({ name }) => name);

describe('the look of the table', () => {
  it('has pinned columns first, and all where they were when none is', () => {
    const pinned = withPin(withPin(PLAIN_LOOK, 'Volume', true), 'Ticker', true);
    expect(namesOf(pinned)).toEqual(['Volume', 'Ticker', 'TradeDate', 'Price']);
    const one = withPin(pinned, 'Volume', false);
    expect(namesOf(one)).toEqual(['Ticker', 'TradeDate', 'Price', 'Volume']);
    expect(namesOf(withPin(one, 'Ticker', false))).toEqual(namesOf(PLAIN_LOOK));
  });

  it('has the widths that were chosen, until a column shall fit again', () => {
    const wide = withWidth(PLAIN_LOOK, 'Price', 333.3);
    expect(wide.widths).toEqual({ Price: 333 });
    expect(withFittingWidth(wide, 'Price').widths).toEqual({});
  });
});
