import { describe, expect, it } from 'vitest';
import { describedColumns, matchingColumns } from './column-search';

const COLUMNS = describedColumns(
  [
    { name: 'Ticker', data_type: 'string', description: 'Symbol of the instrument' },
    { name: 'Price', data_type: 'number', description: 'Price of the trade' },
    { name: 'Note', data_type: 'string', description: 'What the vendor remarks' },
  ],
  {
    columns: [
      { name: 'Ticker', data_type: 'string', operators: ['eq', 'in', 'like'] },
      { name: 'Price', data_type: 'number', operators: ['eq', 'gt'] },
      { name: 'Note', data_type: 'string', operators: ['eq'] },
    ],
    unfilterable_columns: ['Note'],
  },
);
const namesOf = (columns: readonly { name: string }[]) => columns.map(({ name }) => name);

describe('the columns of a dataset', () => {
  it('carry the operators of their filters, none where there is no filter', () => {
    expect(COLUMNS.map(({ operators }) => operators)).toEqual([
      ['eq', 'in', 'like'],
      ['eq', 'gt'],
      [],
    ]);
  });

  it('are found by every word of name and description', () => {
    expect(namesOf(matchingColumns(COLUMNS, 'PRICE trade', null))).toEqual(['Price']);
    expect(namesOf(matchingColumns(COLUMNS, '', null))).toEqual(['Ticker', 'Price', 'Note']);
  });

  it('are narrowed to a type', () => {
    expect(namesOf(matchingColumns(COLUMNS, '', 'string'))).toEqual(['Ticker', 'Note']);
  });
});
