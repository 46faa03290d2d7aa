import { expect, it } from 'vitest';
import { bulkPath, dataPaths, type Question } from './request.ts';
import type { QueryForm } from './types.ts';

const column = (name: string, data_type: string) => ({ name, data_type, operators: [] });
const FORM = {
  dataset_id: 'US1',
  group: 'g',
  segment: 's',
  path_parameters: ['trade_date', 'identifier'],
  variants: [{ dataset_id: 'US1', parameters: { adjusted: 'true' } }],
  date_column: 'TradeDate',
  identifier_columns: ['Ticker', 'ASID'],
  columns: [column('TradeDate', 'date'), column('Ticker', 'string'), column('ASID', 'integer')],
} as unknown as QueryForm;

const urls = (question: Question) =>
  dataPaths(FORM, question)?.map(({ path, parameters }) =>
    [path, ...parameters.map((pair) => pair.join('='))].join(' '),
  ) ?? null;

it('days and identifiers go into the path, one request for each, day after day', () => {
  const where = { 'TradeDate.in': ['2026-01-03', '2026-01-02'], Ticker: ['B/C', 'A', 'A'] };
  expect(urls({ where })).toEqual([
    'g/s/2026-01-02/A adjusted=true',
    'g/s/2026-01-02/B%2FC adjusted=true',
    'g/s/2026-01-03/A adjusted=true',
    'g/s/2026-01-03/B%2FC adjusted=true',
  ]);
});

it('an identifier goes into the path only where the path reads it as the same column', () => {
  const at = (where: Question['where']) => urls({ where: { TradeDate: '2026-01-02', ...where } });
  expect(at({ ASID: 17n })).toEqual(['g/s/2026-01-02/17 adjusted=true']);
  expect(at({ Ticker: '17' })).toBeNull();
  expect(at({ ASID: 'A' })).toBeNull();
  expect(at({ Ticker: 'A', ASID: 17n })).toEqual(['g/s/2026-01-02/A ASID=17 adjusted=true']);
});

it.each<Question['where']>([
  {},
  { Ticker: 'A' },
  { TradeDate: '2026-01-02' },
  { TradeDate: '2026-01-02', Ticker: '' },
  { TradeDate: '2026-01-02', Ticker: [] },
  { TradeDate: '2026-01-02', 'Ticker.in': 'A,B' },
  { 'TradeDate.ge': '2026-01-02', Ticker: 'A' },
])('a question that does not name them one by one has no such requests: %j', (where) => {
  expect(urls({ where })).toBeNull();
});

it('for files, all filters are parameters, and lists are quoted where they have to be', () => {
  const where = { Ticker: ['A', 'B, "C"', ''], 'TradeDate.ge': '2026-01-02', ASID: 17n };
  const asOf = new Date('2026-01-02T03:04:05Z');
  expect(
    bulkPath(FORM, { where, columns: ['A', 'B'], sample: 0.01, version: 3, asOf, period: '2Y' }),
  ).toEqual({
    path: 'g/s',
    parameters: [
      ['Ticker.in', 'A,"B, ""C""",""'],
      ['TradeDate.ge', '2026-01-02'],
      ['ASID', '17'],
      ['adjusted', 'true'],
      ['columns', 'A,B'],
      ['sample', '0.01'],
      ['period', '2Y'],
      ['dataset_version', '3'],
      ['as_of', '2026-01-02T03:04:05.000Z'],
    ],
  });
});
