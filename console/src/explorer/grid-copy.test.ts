import { describe, expect, it } from 'vitest';
import { tableText } from './grid-copy';

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
