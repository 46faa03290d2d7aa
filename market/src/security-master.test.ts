import { describe, expect, it } from 'vitest';
import {
  chainLookupRows,
  OPEN_END_DATE,
  SECURITY_MASTER_COLUMNS,
  type SecurityHistory,
  securityMasterRow,
  tickerLookupRows,
} from './security-master.ts';

function period(value: string, startDate: string, endDate = OPEN_END_DATE) {
  return { value, startDate, endDate };
}

const renamed: SecurityHistory = {
  secId: 100,
  asid: 1010000000000100n,
  listStatus: 'L',
  securityDescription: 'Equity Shares',
  sic: 3571,
  sector: 'Manufacturing',
  industry: 'Electronic Computers',
  sedol: null,
  tickers: [period('OLD', '2007-01-03', '2015-06-30'), period('NEW', '2015-07-01')],
  names: [period('Old Works', '2007-01-03', '2015-06-30'), period('New Works', '2015-07-01')],
  isins: [],
  usIdentifiers: [period('123456789', '2007-01-03')],
  primaryExchanges: [period('AMEX', '2007-01-03', '2008-11-28'), period('ARCA', '2009-02-24')],
  figis: ['', 'BBG000000001'],
};
const successor: SecurityHistory = {
  ...renamed,
  secId: 200,
  tickers: [period('NEW', '2020-01-02')],
};
const first: SecurityHistory = {
  ...renamed,
  secId: 100,
  tickers: [period('OLD', '2007-01-03', '2015-06-30'), period('NEW', '2015-07-01', '2020-01-01')],
};
const reused: SecurityHistory = {
  ...renamed,
  secId: 300,
  asid: 1010000000000300n,
  tickers: [period('OLD', '2017-03-01')],
};
const test: SecurityHistory = {
  ...renamed,
  secId: 999,
  asid: null,
  tickers: [period('ZZT', '2007-01-03')],
};

describe('security master', () => {
  it('holds parallel arrays of values and their periods, oldest first', () => {
    const cells = securityMasterRow(renamed);
    const row = Object.fromEntries(SECURITY_MASTER_COLUMNS.map((name, i) => [name, cells[i]]));
    expect(row).toMatchObject({
      SecId: 100,
      ASID: 1010000000000100n,
      Ticker: ['OLD', 'NEW'],
      TickerStartToEndDate: ['20070103:20150630', '20150701:20991231'],
      ISIN: [],
      ISINStartToEndDate: [],
      PrimaryExchange: ['AMEX', 'ARCA'],
      PrimaryExchangeStartToEndDate: ['20070103:20081128', '20090224:20991231'],
      FIGI: ['', 'BBG000000001'],
    });
  });

  it('gives the symbol lookup one row for each use of a symbol, two companies in turn', () => {
    expect(tickerLookupRows([reused, renamed, test])).toEqual([
      [100, 'NEW', '2015-07-01', '2099-12-31'],
      [100, 'OLD', '2007-01-03', '2015-06-30'],
      [300, 'OLD', '2017-03-01', '2099-12-31'],
      [999, 'ZZT', '2007-01-03', '2099-12-31'],
    ]);
  });

  it('joins a symbol that outlives a security number of its chain, and leaves test symbols out', () => {
    expect(chainLookupRows([successor, first, reused, test])).toEqual([
      [1010000000000100n, 'OLD', '2007-01-03', '2015-06-30'],
      [1010000000000100n, 'NEW', '2015-07-01', '2099-12-31'],
      [1010000000000300n, 'OLD', '2017-03-01', '2099-12-31'],
    ]);
  });

  it('takes nothing from a use of a symbol that another period lies within', () => {
    const within = {
      ...renamed,
      tickers: [period('A', '2010-01-04', '2015-02-05'), period('A', '2011-01-03', '2012-01-03')],
    };
    expect(chainLookupRows([within])).toEqual([
      [1010000000000100n, 'A', '2010-01-04', '2015-02-05'],
    ]);
  });

  it('keeps a gap in the use of a symbol', () => {
    const gap = {
      ...renamed,
      tickers: [period('A', '2010-01-04', '2010-02-05'), period('A', '2010-12-13')],
    };
    expect(chainLookupRows([gap])).toHaveLength(2);
  });
});
