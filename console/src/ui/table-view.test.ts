import { expect, it } from 'vitest';
import type { TableColumn } from './table';
import { csvOf, nextOrder, pageOf, shownColumns, sorted } from './table-view';

interface Row {
  readonly name: string;
  readonly size: number | null;
}

const COLUMNS: readonly TableColumn<Row>[] = [
  { header: 'Name', by: 'name', isRowHeader: true, cell: ({ name }) => name },
  { header: 'Size', isNumeric: true, by: 'size', cell: ({ size }) => `${size} bytes` },
  { header: 'Text', cell: ({ name }) => name },
];
const ROWS: readonly Row[] = [
  { name: 'b10', size: 2 },
  { name: 'b9', size: 10 },
  { name: 'a', size: null },
];
const names = (order?: string) =>
  sorted(ROWS, COLUMNS, order === undefined ? {} : { order }).map(({ name }) => name);

it('sorts numbers by size and texts by their parts, both ways, with nothing last', () => {
  expect(names()).toEqual(['b10', 'b9', 'a']);
  expect(names('Name')).toEqual(['a', 'b9', 'b10']);
  expect(names('-Name')).toEqual(['b10', 'b9', 'a']);
  expect(names('Size')).toEqual(['b10', 'b9', 'a']);
  expect(names('-Size')).toEqual(['b9', 'b10', 'a']);
  expect(names('Nothing')).toEqual(['b10', 'b9', 'a']);
});

it('goes from upwards to downwards to no order', () => {
  expect(nextOrder(undefined, 'Size')).toBe('Size');
  expect(nextOrder('Size', 'Size')).toBe('-Size');
  expect(nextOrder('-Size', 'Size')).toBeUndefined();
  expect(nextOrder('-Size', 'Name')).toBe('Name');
});

it('hides columns, but never the one that names the rows', () => {
  const shown = shownColumns(COLUMNS, { hide: 'Name,Text' });
  expect(shown.map(({ header }) => header)).toEqual(['Name', 'Size']);
});

it('shows a hundred rows a page, and the nearest page of any number', () => {
  const rows = Array.from({ length: 250 }, (_, at) => at);
  const shown = (page: string) => {
    const { number, count, rows: found } = pageOf(rows, { page });
    return [number, count, found[0], found.length];
  };
  expect(shown('2')).toEqual([2, 3, 100, 100]);
  expect(shown('99')).toEqual([3, 3, 200, 50]);
  expect(shown('x')).toEqual([1, 3, 0, 100]);
  expect(pageOf([], {}).count).toBe(1);
});

it('writes CSV of the columns with values, which no spreadsheet takes for formulas', () => {
  const rows = [{ name: '=1+"2"', size: -1 }, ...ROWS.slice(2)];
  expect(csvOf(COLUMNS, rows)).toBe(`"Name","Size"\r\n"'=1+""2""",-1\r\n"a",""\r\n`);
});
