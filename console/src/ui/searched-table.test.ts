import { expect, it } from 'vitest';
import { narrowed } from './searched-table';

const COLUMNS = [
  { name: 'Ticker', type: 'string' },
  { name: 'Price', type: 'number' },
  { name: 'Note', type: 'string' },
];
const by = {
  isFound: ({ name }: { name: string }, text: string) => name.includes(text),
  choice: {
    ...{ label: 'Type', allLabel: 'All types', names: ['number', 'string'] },
    nameOf: ({ type }: { type: string }) => type,
  },
};

it('narrows rows to those of the chosen kind that the search finds', () => {
  const namesOf = (text: string, chosen?: string) =>
    narrowed(COLUMNS, by, text, chosen).map(({ name }) => name);
  expect(namesOf('')).toEqual(['Ticker', 'Price', 'Note']);
  expect(namesOf('', 'string')).toEqual(['Ticker', 'Note']);
  expect(namesOf('ric', 'string')).toEqual([]);
  expect(namesOf('ric', 'number')).toEqual(['Price']);
});
