import { describe, expect, it } from 'vitest';
import { parametersText, requestPaths, safeLink } from './request-paths';

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

describe('a link that the service names', () => {
  it('is followed where it leads to a page', () => {
    expect(safeLink('https://docs.example/a#b')).toBe('https://docs.example/a#b');
  });

  it.each(['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', '/relative', ''])(
    'is none where it reads %j',
    (address) => {
      expect(safeLink(address)).toBeNull();
    },
  );
});
