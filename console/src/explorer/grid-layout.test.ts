import { describe, expect, it } from 'vitest';
import { cellAfterKey, chosenWidth, columnWidths, HEADER_ROW } from './grid-layout';

const SIZE = { rows: 100, columns: 9, pageRows: 20 };

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
