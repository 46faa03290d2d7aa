import { describe, expect, it } from 'vitest';
import {
  adjustedGroups,
  describedColumns,
  intervalText,
  isColumnFound,
  parametersText,
  readableYears,
  referenceLink,
  requestPaths,
} from './dataset-text';

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
    const found = (text: string) => COLUMNS.filter((each) => isColumnFound(each, text));
    expect(namesOf(found('PRICE trade'))).toEqual(['Price']);
    expect(namesOf(found(''))).toEqual(['Ticker', 'Price', 'Note']);
  });
});

const rule = (start: string, end: string | null) => ({ start_date: start, end_date: end });

it.each([
  [[rule('1900-01-01', null)], 2021, 2026],
  [[rule('2023-05-01', '2024-02-01')], 2023, 2024],
  [[rule('2022-01-01', '2022-06-30'), rule('2024-01-01', null)], 2022, 2026],
  [[rule('1999-01-01', '2000-01-01')], 2000, 2000],
])('goes by rules and data alike: %j', (rules, firstYear, lastYear) => {
  expect(readableYears(rules, '2021-11-22', '2026-11-20', '2026-11-25')).toEqual({
    firstYear,
    lastYear,
  });
});

describe('the paths of a dataset', () => {
  it('are made of group, segment and places, once for each alias', () => {
    const shape = {
      group: 'us-equity',
      segment: 'eq-taq',
      aliases: ['taq', 'eq-taq'],
      path_parameters: ['trade_date', 'identifier'],
    } as const;
    expect(requestPaths(shape)).toEqual([
      '/data/us-equity/eq-taq/{trade_date}/{identifier}',
      '/data/us-equity/taq/{trade_date}/{identifier}',
    ]);
  });

  it('end with the segment where everything is said by filters', () => {
    const shape = {
      group: 'us-equity',
      segment: 'eq-ipo',
      aliases: [],
      path_parameters: [],
    } as const;
    expect(requestPaths(shape)).toEqual(['/data/us-equity/eq-ipo']);
  });
});

describe('the parameters of a variant', () => {
  it('read as in a query string', () => {
    expect(parametersText({ adjusted: 'true', aggregation_logic: 'industry_std' })).toBe(
      'adjusted=true&aggregation_logic=industry_std',
    );
    expect(parametersText({})).toBe('');
  });
});

it('links a dataset to its operation in the reference', () => {
  const shape = {
    ...{ group: 'us-equity', segment: 'eq-taq', aliases: ['taq'] },
    path_parameters: ['trade_date', 'identifier'],
  } as const;
  expect(referenceLink(shape)).toBe(
    '/reference#/data/us-equity/eq-taq/%7Btrade_date%7D/%7Bidentifier%7D',
  );
});

it('says once for all columns of a kind what adjustment does to them', () => {
  const groups = adjustedGroups([
    { name: 'OpenPrice', kind: 'price' },
    { name: 'Volume', kind: 'shares' },
    { name: 'ClosePrice', kind: 'price' },
  ]);
  expect(groups.map(({ names }) => names)).toEqual([['OpenPrice', 'ClosePrice'], ['Volume']]);
});

it('says what longer bars have, with the column that another one goes by', () => {
  expect(intervalText({ name: 'A', rule: 'sum', by: null })).toBe('the sum');
  expect(intervalText({ name: 'A', rule: 'weighted', by: 'Volume' })).toBe(
    'the average, weighted by Volume',
  );
});
