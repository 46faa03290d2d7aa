import { describe, expect, it } from 'vitest';
import { parametersText, referenceLink, requestPaths } from './request-paths';

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
