import { describe, expect, it } from 'vitest';
import { csvText } from './csv-text.ts';

describe('csvText', () => {
  it('quotes what has to be, and leaves what is null empty', () => {
    const rows = [{ name: 'a "b", c', n: 5, list: ['X', 'Y'], none: null }];
    expect(csvText(['name', 'n', 'list', 'none'], rows)).toBe(
      'name,n,list,none\r\n"a ""b"", c",5,X Y,\r\n',
    );
  });

  it('has titles without rows', () => {
    expect(csvText(['a', 'b'], [])).toBe('a,b\r\n');
  });

  it('gives a spreadsheet no formula, and leaves numbers as they are', () => {
    expect(csvText(['a', 'b'], [{ a: '=1+1', b: -5 }])).toBe("a,b\r\n'=1+1,-5\r\n");
  });
});
