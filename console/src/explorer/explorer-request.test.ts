import { describe, expect, it } from 'vitest';
import { DAILY, EMPTY_QUERY, TICKS } from '../../test/fixtures/shapes';
import type { DatasetShape } from './dataset-shape';
import type { ExplorerQuery } from './explorer-query';
import { requestOf, requestPath } from './explorer-request';
import { queryProblems } from './query-problems';

function pathOf(change: Partial<ExplorerQuery>, shape: DatasetShape = DAILY): string {
  return requestPath(requestOf({ ...EMPTY_QUERY, ...change }, shape));
}

const DAILY_PATH = '/data/us-equity/eq-daily-ohlc?adjusted=true';

/** Rows are of contracts, which have a root each. */
const CONTRACTS: DatasetShape = {
  ...DAILY,
  required_filters: [['Ticker', 'BaseSymbol']],
  root_column: 'BaseSymbol',
};

it('asks for contracts and roots as they were typed, and for continuous ones as they are called', () => {
  const asked = (identifier: string) =>
    pathOf({ identifier }, CONTRACTS).slice(`${DAILY_PATH}&`.length);
  expect(asked('XQI')).toBe('BaseSymbol=XQI');
  expect(asked('xqi')).toBe('Ticker=xqi');
  expect(asked('xqi.C.0')).toBe('Ticker=XQI.c.0');
  expect(pathOf({ identifier: 'brk.c.0' })).toBe(`${DAILY_PATH}&Ticker=brk.c.0`);
});

it('leaves it open whether what is in lower case is a root', () => {
  const problemOf = (identifier: string) =>
    queryProblems({ ...EMPTY_QUERY, identifier }, CONTRACTS).wrong.identifier;
  expect(problemOf('XQI, xqe')).toBeUndefined();
  expect(problemOf('XQI, xqez6')).toContain('not both; XQI is a root');
});

describe('requestPath', () => {
  it.each<[string, Partial<ExplorerQuery>, string]>([
    ['no filter', {}, ''],
    ['a ticker', { identifier: ' AAPL ' }, '&Ticker=AAPL'],
    ['an integer identifier', { identifier: '1010000000001033' }, '&ASID=1010000000001033'],
    ['several tickers', { identifier: 'AAPL, MSFT' }, '&Ticker.in=AAPL,MSFT'],
    ['a first date', { from: '2026-01-02' }, '&TradeDate.ge=2026-01-02'],
    ['one day', { from: '2026-01-02', to: '2026-01-02' }, '&TradeDate=2026-01-02'],
    [
      'a range',
      { from: '2026-01-02', to: '2026-02-03' },
      '&TradeDate.ge=2026-01-02&TradeDate.le=2026-02-03',
    ],
    [
      'a range longer than the service looks back',
      { from: '2016-01-04', to: '2026-02-03' },
      '&TradeDate.ge=2016-01-04&TradeDate.le=2026-02-03&period=11Y',
    ],
    ['a period', { period: '20Y' }, '&period=20Y'],
    ['a version', { version: '12' }, '&dataset_version=12'],
    ['columns in their order', { columns: ['Ticker', 'ASID'] }, '&columns=Ticker,ASID'],
    [
      'sorting, the unfinished row aside',
      {
        sort: [
          { column: 'ASID', isDescending: true },
          { column: '', isDescending: false },
          { column: 'Ticker', isDescending: false },
        ],
      },
      '&sort=-ASID,Ticker',
    ],
    [
      'the empty text, whatever was entered before',
      { filters: [{ column: 'Ticker', operator: 'empty', value: 'A' }] },
      '&Ticker=',
    ],
  ])('writes %s', (_, change, expected) => {
    expect(pathOf(change)).toBe(`${DAILY_PATH}${expected}`);
  });

  it.each([
    ['a&b=c#d%e', 'a%26b%3Dc%23d%25e'],
    ['a+b c', 'a%2Bb%20c'],
    ['"Alphabet, Inc.",x', '%22Alphabet,%20Inc.%22,x'],
    ['*Holdings*', '*Holdings*'],
    ["O'Neil (A)!", 'O%27Neil%20%28A%29%21'],
    ['é€😀', '%C3%A9%E2%82%AC%F0%9F%98%80'],
    ['\ud800', '%EF%BF%BD'],
    ['2026-11-18T09:30:00-05:00', '2026-11-18T09:30:00-05:00'],
    ['2026-11-18T09:30:00+01:00', '2026-11-18T09:30:00%2B01:00'],
  ])('encodes the value %j as %s', (value, expected) => {
    const filters = [{ column: 'Ticker', operator: 'like', value }] as const;
    expect(pathOf({ filters })).toBe(`${DAILY_PATH}&Ticker.like=${expected}`);
  });

  it('puts day and identifier into the path, as one segment each', () => {
    const change = { date: '2026-11-19', identifier: 'BRK/B 1', from: '2026-01-02' };
    expect(pathOf(change, TICKS)).toBe('/data/us-equity/eq-taq/2026-11-19/BRK%2FB%201');
  });

  it('appends format and page, and asks for a scan at the same path', () => {
    const request = requestOf({ ...EMPTY_QUERY, identifier: 'AAPL' }, DAILY);
    expect(requestPath(request, { response_format: 'csv', offset: 0 })).toBe(
      `${DAILY_PATH}&Ticker=AAPL&response_format=csv&offset=0`,
    );
    expect(requestPath(request, {}, 'data-scan')).toBe(
      '/data-scan/us-equity/eq-daily-ohlc?adjusted=true&Ticker=AAPL',
    );
  });
});
