import type { Problem } from '@ticklake/client';
import { describe, expect, it } from 'vitest';
import { DAILY, EMPTY_QUERY, TICKS, WANTING } from '../../test/fixtures/shapes';
import { ApiFailure } from '../api/client';
import { type ExplorerQuery, type FilterRow, queryOfSearch } from './explorer-query';
import { requestOf } from './explorer-request';
import { choicesSet, panelsWithProblems, queryProblems, refusedFields } from './query-problems';

function problemsOf(change: Partial<ExplorerQuery>, shape = DAILY) {
  return queryProblems({ ...EMPTY_QUERY, ...change }, shape);
}

function filter(column: string, operator: FilterRow['operator'], value: string): FilterRow {
  return { column, operator, value };
}

describe('queryProblems', () => {
  it('finds nothing wrong with an empty query of a dataset that needs nothing', () => {
    expect(problemsOf({})).toEqual({ wrong: {}, missing: {} });
  });

  it('misses day and identifier of a path, and the identifier that a dataset wants', () => {
    expect(Object.keys(problemsOf({}, TICKS).missing)).toEqual(['date', 'identifier']);
    expect(Object.keys(problemsOf({}, WANTING).missing)).toEqual(['identifier']);
    expect(problemsOf({ identifier: 'A' }, WANTING).missing).toEqual({});
  });

  it('takes an equality or a list on a wanted column for the identifier, but no pattern', () => {
    const missing = (operator: FilterRow['operator']) =>
      problemsOf({ filters: [filter('Ticker', operator, 'A')] }, WANTING).missing;
    expect(missing('eq')).toEqual({});
    expect(missing('in')).toEqual({});
    expect(Object.keys(missing('like'))).toEqual(['identifier']);
  });

  it('names the row of a filter that is not finished', () => {
    const filters = [
      filter('Ticker', 'eq', ''),
      filter('OpenPrice', 'gt', '1'),
      filter('', 'eq', ''),
      filter('ASID', 'eq', ''),
      filter('Ticker', 'empty', ''),
    ];
    expect(problemsOf({ filters }).missing).toEqual({
      'filter-0': 'Enter a value',
      'filter-2': 'Choose a column',
      'filter-3': 'Enter a value',
    });
  });

  it.each<[keyof ExplorerQuery, Partial<ExplorerQuery>]>([
    ['from', { from: '2026-02-30' }],
    ['to', { to: '1899-12-31' }],
    ['to', { from: '2026-02-03', to: '2026-02-02' }],
    ['identifier', { identifier: '..' }],
    ['identifier', { identifier: 'A\u0007' }],
  ])('finds what is wrong at %s', (field, change) => {
    expect(Object.keys(problemsOf(change).wrong)).toEqual([field]);
  });
});

function refusal(loc: string[], type = 'value', input: unknown = null): Problem {
  return { type, loc, msg: `about ${loc.join('.')}`, input, ctx: {} };
}

describe('refusedFields', () => {
  const query: ExplorerQuery = {
    ...EMPTY_QUERY,
    identifier: 'A',
    from: '2026-01-02',
    to: '2026-02-03',
    period: '1D',
    filters: [filter('OpenPrice', 'gt', '1'), filter('OpenPrice', 'gt', '2')],
    sort: [{ column: 'ASID', isDescending: false }],
  };
  const request = requestOf(query, DAILY);
  const fieldsOf = (problem: Problem) =>
    Object.keys(refusedFields(new ApiFailure(422, [problem]), request, true));

  it.each<[string, Problem, string]>([
    ['a path parameter', refusal(['path', 'trade_date']), 'date'],
    ['the identifier', refusal(['query', 'Ticker']), 'identifier'],
    ['a bound', refusal(['query', 'TradeDate.le']), 'to'],
    ['a column without an operator', refusal(['query', 'TradeDate'], 'history_limit'), 'from'],
    ['the period', refusal(['query', 'period']), 'period'],
    ['sorting', refusal(['query', 'sort']), 'sort'],
    ['the first of two like filters', refusal(['query', 'OpenPrice.gt'], 'x', '1'), 'filter-0'],
    ['the second of two like filters', refusal(['query', 'OpenPrice.gt'], 'x', '2'), 'filter-1'],
    ['a filter that is missing', refusal(['query', 'BaseSymbol'], 'missing'), 'identifier'],
    ['what the variant decides', refusal(['query', 'adjusted']), ''],
    ['what the form has no field for', refusal(['query', 'limit']), ''],
  ])('shows %s at its field', (_, problem, field) => {
    expect(fieldsOf(problem)).toEqual([field]);
  });

  it('loses no message of a field with several', () => {
    const problems = [refusal(['query', 'period']), refusal(['query', 'period'])];
    const { period } = refusedFields(new ApiFailure(422, problems), request, true);
    expect(period).toBe('about query.period; about query.period');
  });

  it('shows other failures above the fields', () => {
    const failure = new ApiFailure(403, 'No rule');
    expect(refusedFields(failure, request, true)).toEqual({ '': 'No rule' });
  });
});

it('counts everything of a query that is not in the line', () => {
  const search = { dataset: 'US1020', identifier: 'AVQX', from: '2026-01-02', to: '2026-02-02' };
  const none = { filters: 0, columns: 0, sort: 0, more: 0 };
  expect(choicesSet(queryOfSearch(search))).toEqual(none);
  const filters = ['ClosePrice.gt=1', 'Ticker.like=A*'];
  const more = { filters, sort: '-TradeDate', columns: 'Ticker', period: '2Y', version: '7' };
  const all = { filters: 2, columns: 1, sort: 1, more: 2 };
  expect(choicesSet(queryOfSearch({ ...search, ...more }))).toEqual(all);
});

it('tells problems that cannot be seen from those in the line', () => {
  expect(panelsWithProblems({ identifier: 'Enter an identifier', '': 'Refused' })).toEqual([]);
  const filters = { 'filter-0': 'Choose a column', 'filter-1': 'Choose a column' };
  expect(panelsWithProblems({ ...filters, period: 'Must be a number' })).toEqual([
    'filters',
    'more',
  ]);
});
