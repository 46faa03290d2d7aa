import { expect, it } from 'vitest';
import { IntegrityError, TicklakeError } from './errors.ts';
import { JOINS } from './joined-pages.ts';

const bytes = (...values: number[]) => Uint8Array.from(values);
const text = (value: string) => new TextEncoder().encode(value);
const MARK = [255, 255, 255, 255];
const END = [...MARK, 0, 0, 0, 0];
const SCHEMA = [...MARK, 4, 0, 0, 0, 1, 1, 1, 1];
const ONLY = { isFirst: true, isBegin: true, isLast: true };
const FIRST = { isFirst: true, isBegin: true, isLast: false };
const LATER = { isFirst: false, isBegin: false, isLast: false };
const LAST = { isFirst: false, isBegin: false, isLast: true };

it('Arrow streams are joined under one schema, before one end', () => {
  const page = (row: number) => bytes(...SCHEMA, row, ...END);
  expect(JOINS.arrow(page(7), ONLY)).toEqual(page(7));
  const joined = [
    JOINS.arrow(page(7), FIRST),
    JOINS.arrow(page(8), LATER),
    JOINS.arrow(page(9), LAST),
  ];
  expect(Buffer.concat(joined)).toEqual(Buffer.from([...SCHEMA, 7, 8, 9, ...END]));
});

it('an Arrow stream without its end is refused', () => {
  expect(() => JOINS.arrow(bytes(...SCHEMA, 7), ONLY)).toThrow(IntegrityError);
  expect(() => JOINS.arrow(bytes(), ONLY)).toThrow(IntegrityError);
});

it('CSV of several requests has one header line', () => {
  const page = text('"A"\n1\n');
  const begin = { isFirst: false, isBegin: true, isLast: false };
  expect(JOINS.csv(page, FIRST)).toEqual(page);
  expect(JOINS.csv(page, begin)).toEqual(text('1\n'));
  expect(JOINS.csv(text('2\n'), LATER)).toEqual(text('2\n'));
});

it('Parquet of several pages is refused', () => {
  expect(JOINS.parquet(bytes(1), ONLY)).toEqual(bytes(1));
  expect(() => JOINS.parquet(bytes(1), FIRST)).toThrow(TicklakeError);
});
