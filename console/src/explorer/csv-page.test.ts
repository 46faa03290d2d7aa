import { describe, expect, it, vi } from 'vitest';
import { readCsvPage, splitHeader, splitLine } from './csv-page';

function rowsOf(text: string): (string | null)[][] {
  const page = readCsvPage(text, 100);
  return Array.from({ length: page.rowCount }, (_, index) => page.row(index));
}

describe('splitLine', () => {
  it.each([
    ['a,b', ['a', 'b']],
    ['', [null]],
    [',', [null, null]],
    ['"",a', ['', 'a']],
    ['a,""', ['a', '']],
    ['"a,b",c', ['a,b', 'c']],
    ['"say ""yes""",', ['say "yes"', null]],
    ['""""', ['"']],
    ['1010000000700001,0.0000001', ['1010000000700001', '0.0000001']],
  ])('reads %j', (line, cells) => {
    expect(splitLine(line)).toEqual(cells);
  });
});

describe('readCsvPage', () => {
  it('keeps every cell as the text that it came as', () => {
    const time = '2026-11-19T04:00:00.001117348-05:00';
    expect(rowsOf(`${time},182.540,9007199254740993\n`)).toEqual([
      [time, '182.540', '9007199254740993'],
    ]);
  });

  it('does not end a row at a line feed inside quotes', () => {
    expect(rowsOf('1,"two\nlines, ""quoted"""\n2,"x"\n')).toEqual([
      ['1', 'two\nlines, "quoted"'],
      ['2', 'x'],
    ]);
  });

  it('counts an empty line of a single column as a row with a missing value', () => {
    expect(rowsOf('a\n\nb\n')).toEqual([['a'], [null], ['b']]);
  });

  it('reads a page whose quotes come late without looking for them at every row', () => {
    const text = `${'1,2,3\n'.repeat(1000)}"a""b,\n",\n`;
    const search = vi.spyOn(String.prototype, 'indexOf');
    const page = readCsvPage(text, 3000);
    const lookups = search.mock.calls.filter(([sought]) => sought === '"').length;
    search.mockRestore();
    expect(lookups).toBeLessThan(10);
    expect(page.rowCount).toBe(1001);
    expect(page.row(1000)).toEqual(['a"b,\n', null]);
  });

  it('has no rows where there is no text', () => {
    expect(rowsOf('')).toEqual([]);
  });
});

describe('splitHeader', () => {
  it('takes the names off and leaves the rows', () => {
    expect(splitHeader('"TradeDate","Ticker"\n2026-11-19,AVQX\n')).toEqual({
      columns: ['TradeDate', 'Ticker'],
      rows: '2026-11-19,AVQX\n',
    });
  });
});
