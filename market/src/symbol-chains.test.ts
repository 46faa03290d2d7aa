import { describe, expect, it } from 'vitest';
import { securityMasterRow } from './security-master.ts';
import { clashesOf, historiesOfSymbols, type SymbolUse, splitSecurities } from './symbol-chains.ts';

const use = (
  id: number,
  ticker: string,
  startDate: string | null,
  endDate: string | null,
): SymbolUse => ({ id, ticker, startDate, endDate });

/** VX was one company's until it ended; the other one took it over, and had been VXB. */
const ASIDS = [
  use(11, 'VX', '2009-01-30', '2019-01-29'),
  use(12, 'VXB', '2018-01-18', '2019-05-01'),
  use(12, 'VX', '2019-05-02', '2099-12-31'),
];

const tickersOf = (secIds: readonly SymbolUse[], asids: readonly SymbolUse[]) =>
  historiesOfSymbols(secIds, asids).map((history) => {
    const [secId, asid, listStatus, , , , , , tickers, periods] = securityMasterRow(history);
    return [secId, asid, listStatus, tickers, periods];
  });

describe('securities of their symbols', () => {
  it('have all symbols of a chain, oldest first, and are listed while the last has no end', () => {
    expect(tickersOf(ASIDS.toReversed(), ASIDS)).toEqual([
      [11, 11, 'D', ['VX'], ['20090130:20190129']],
      [12, 12, 'L', ['VXB', 'VX'], ['20180118:20190501', '20190502:20991231']],
    ]);
  });

  it('have the ASID that their symbols stood for on their own days', () => {
    const secIds = [
      use(2, 'VX', '2019-06-03', null),
      use(1, 'VXB', '2018-01-18', '2019-05-01'),
      use(1, 'VX', '2019-05-02', '2019-06-02'),
      use(3, 'ZTEST', '2018-01-18', null),
    ];
    expect(tickersOf(secIds, ASIDS)).toEqual([
      [1, 12, 'D', ['VXB', 'VX'], ['20180118:20190501', '20190502:20190602']],
      [2, 12, 'L', ['VX'], ['20190603:20991231']],
      [3, null, 'L', ['ZTEST'], ['20180118:20991231']],
    ]);
  });

  it('begin before every day where nobody knows when, and end never where 2999 says so', () => {
    const open = [use(1, 'A', null, '2010-01-04'), use(1, 'AB', '2010-01-05', '2999-12-31')];
    expect(tickersOf(open, open)).toEqual([
      [1, 1, 'L', ['A', 'AB'], ['00010101:20100104', '20100105:20991231']],
    ]);
  });
});

describe('a SecId that two ASIDs share', () => {
  /** The chain that begins with VX ends some days after the other one has taken VX over. */
  const overlapping = ASIDS.with(2, use(12, 'VX', '2019-01-15', '2099-12-31'));
  const idsOf = (secIds: readonly SymbolUse[], asids: readonly SymbolUse[]) =>
    tickersOf(secIds, asids).map(([secId, asid]) => [secId, asid]);

  it('has the ASID of its own number, and is told', () => {
    expect(idsOf(overlapping, overlapping)).toEqual([
      [11, 11],
      [12, 12],
    ]);
    expect(splitSecurities(overlapping, overlapping)).toEqual([
      { use: overlapping[0], asids: [11, 12], asid: 11 },
      { use: overlapping[2], asids: [12, 11], asid: 12 },
    ]);
  });

  it('has the one of the most days if none has its number', () => {
    const secIds = [
      use(1, 'VX', '2009-01-30', '2019-01-29'),
      use(2, 'VX', '2019-01-15', null),
      use(3, 'VX', '2009-01-30', null),
    ];
    expect(idsOf(secIds, overlapping)).toEqual([
      [1, 11],
      [2, 12],
      [3, 12],
    ]);
  });

  it('counts the days of all symbols together, and has the last of equally many', () => {
    const asids = [
      use(7, 'A', '2010-01-04', '2010-01-05'),
      use(8, 'B', '2010-01-06', '2010-01-08'),
      use(7, 'C', '2010-01-09', '2010-01-10'),
    ];
    const whole = ['A', 'B', 'C'].map((ticker) => use(1, ticker, '2010-01-04', '2010-01-10'));
    expect(idsOf(whole, asids)).toEqual([[1, 7]]);
    expect(idsOf(whole, asids.with(1, use(8, 'B', '2010-01-05', '2010-01-08')))).toEqual([[1, 8]]);
  });
});

describe('symbols of two securities at once', () => {
  it.each<[string, readonly SymbolUse[], readonly string[]]>([
    ['none in turn', ASIDS, []],
    ['none of one security', [use(1, 'A', null, null), use(1, 'A', '2010-01-04', null)], []],
    [
      'from the first day that both have',
      [use(2, 'A', '2010-01-05', null), use(1, 'A', '2010-01-04', '2010-01-05')],
      ['A 2010-01-05 1,2'],
    ],
    [
      'within a long period, whatever is between',
      [
        use(1, 'A', null, null),
        use(1, 'A', '2011-01-03', '2011-01-04'),
        use(3, 'A', '2012-01-03', null),
      ],
      ['A 2012-01-03 1,3'],
    ],
  ])('are found: %s', (_, uses, found) => {
    expect(clashesOf(uses).map(({ ticker, date, ids }) => `${ticker} ${date} ${ids}`)).toEqual(
      found,
    );
  });
});
