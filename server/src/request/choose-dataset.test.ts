import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadCatalog } from '../catalog/load-catalog.ts';

import { chooseDataset, parseDataRequest } from './data-request.ts';
import { DEFAULT_DATA_REQUEST_LIMITS } from './settings.ts';

const catalog = loadCatalog([join(import.meta.dirname, '../../../datasets')]);

function parse(path: string) {
  const [address = '', queryString = ''] = path.split('?');
  const [group = '', segment = '', ...pathParameters] = address.split('/');
  const input = { group, segment, pathParameters, queryString };
  return parseDataRequest(input, DEFAULT_DATA_REQUEST_LIMITS);
}

const choose = (path: string) => chooseDataset(parse(path), catalog).datasetId;

describe('chooseDataset', () => {
  it.each([
    ['us-equity/eq-taq/2026-11-18/AAPL', 'US1032'],
    ['us-equity/taq/2026-11-18/AAPL', 'US1032'],
    ['us-equity/eq_taq/2026-11-18/AAPL', 'US1032'],
    ['us-equity/US1032/2026-11-18/AAPL', 'US1032'],
    ['us-equity/eq_daily_ohlc_adj', 'US1022'],
    ['us-equity/US1022?adjusted=true', 'US1022'],
    ['us-equity/eq-taq-1min-ext/AAPL', 'US1012'],
    ['us-equity-ref/secid-chains-lookup', 'US2009'],
    ['us-futures/multiple-depth/2026-11-18/ESZ6', 'US6002'],
    ['us-equity-opt-ref/occ-list-opt-daily', 'US5102'],
    ['us-equity/daily-ohlc', 'US1020'],
    ['us-equity/daily-ohlc?adjusted=false&aggregation_logic=algoseek', 'US1020'],
    ['us-equity/daily-ohlc?aggregation_logic=industry_std', 'US1021'],
    ['us-equity/daily-ohlc?adjusted=true', 'US1022'],
    ['us-equity/daily-ohlc?adjusted=true&aggregation_logic=industry_std', 'US1023'],
    ['us-equity/trades/2026-11-18/AAPL', 'US1001'],
    ['us-equity/trades/2026-11-18/AAPL?adjusted=true', 'US1002'],
    ['us-equity/taq-1min/AAPL?aggregation_logic=industry_std', 'US1011'],
    ['us-equity/taq-1min/AAPL?adjusted=true', 'US1010'],
    ['us-equity/trades-1min?adjusted=true', 'US1016'],
    ['us-equity/taq-daily?aggregation_logic=industry_std', 'US1013'],
  ])('%s is %s', (path, datasetId) => {
    expect(choose(path)).toBe(datasetId);
  });

  it.each([
    'us-equity/nothing',
    'nowhere/eq-taq/2026-11-18/AAPL',
    'us-futures/eq-taq/2026-11-18/AAPL',
    'us-equity/EQ-TAQ/2026-11-18/AAPL',
    'us-equity/eq_Taq/2026-11-18/AAPL',
    'us-futures/US1032/2026-11-18/AAPL',
    'us-equity/eq_daily_ohlc_adj?adjusted=false',
    'us-equity/eq-taq',
    'us-equity/eq-taq/2026-11-18',
    'us-equity/eq-taq/2026-11-18/',
    'us-equity/eq-taq//AAPL',
    'us-equity/eq-taq/2026-11-18/AAPL/more',
    'us-equity/daily-ohlc/AAPL',
    'us-equity/taq-1min-ext',
    'us-equity-opt-ref/list-opt-daily',
    'us-equity/__proto__',
  ])('%s is not found', (path) => {
    expect(() => choose(path)).toThrow(
      expect.objectContaining({ kind: 'not found', detail: 'Not Found' }),
    );
  });
});

describe('the hint at the path that may have been meant', () => {
  it.each([
    ['us-equity/EQ_TAQ/2026-11-18/AAPL', '/data/us-equity/eq-taq/{trade_date}/{identifier}'],
    ['us-equity/EQ-TAQ', '/data/us-equity/eq-taq/{trade_date}/{identifier}'],
    ['us-futures/daily-ohlc', '/data/us-equity/eq-daily-ohlc'],
    ['us-equity/daily-ohlc/AAPL', '/data/us-equity/eq-daily-ohlc'],
    ['us-futures/US1032', '/data/us-equity/eq-taq/{trade_date}/{identifier}'],
    ['us-futures/taq-1min', '/data/us-futures/fut-taq-1min/{identifier}'],
    ['us-equity/__proto__', null],
    ['us-equity/', null],
  ])('of %s is %s', (path, nearest) => {
    const hint = nearest && `The path of this dataset is ${nearest}`;
    expect(() => choose(path)).toThrow(expect.objectContaining({ hint }));
  });

  it.each([
    ['us-equity/eq-dayly-ohlc', 'eq_daily_ohlc', '/data/us-equity/eq-daily-ohlc'],
    ['us-equity/EQ_DALY_OHLCC', 'eq_daily_ohlc', '/data/us-equity/eq-daily-ohlc'],
    [
      'us-equity/eq-tak/2026-11-18/AAPL',
      'eq_taq',
      '/data/us-equity/eq-taq/{trade_date}/{identifier}',
    ],
  ])('of %s names the nearest dataset, %s', (path, textId, nearest) => {
    const hint = `The path of ${textId}, whose name is the nearest, is ${nearest}`;
    expect(() => choose(path)).toThrow(expect.objectContaining({ hint }));
  });

  it.each(['eq-dailies', 'tag', 'US9999', 'eq-daily-ohlc'.repeat(1000)])(
    'of %.20s is none, since no dataset has a name like it',
    (segment) => {
      expect(() => choose(`us-equity/${segment}`)).toThrow(expect.objectContaining({ hint: null }));
    },
  );
});
