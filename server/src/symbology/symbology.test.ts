import { describe, expect, it } from 'vitest';
import { SecuritySearch } from './search-securities.ts';
import { always, datedValues, endOf, OPEN_END, type Security, valueOn } from './security.ts';
import { resolveSymbol, SymbolTable } from './symbol-table.ts';

const NONE = { listStatus: null, description: null, sedol: null };
const EMPTY = { tickers: [], names: [], isins: [], cusips: [], exchanges: [], figis: [] };

function security(secId: number, given: Partial<Security>): Security {
  return { secId, asid: secId + 1000, ...NONE, ...EMPTY, ...given };
}

const META = security(1, {
  tickers: datedValues(['FB', 'META'], ['20120518:20220608', '20220609:20991231']),
  names: datedValues(
    ['Facebook Inc', 'Meta Platforms Inc'],
    ['20120518:20211028', '20211029:20991231'],
  ),
  isins: [always('US30303M1027')],
  figis: [always('BBG000MM2P62')],
});
/** The ticker that another company had before. */
const OLD_META = security(2, {
  tickers: datedValues(['META'], ['20080102:20110630']),
  names: datedValues(['Metals of Texas'], ['20080102:20110630']),
});
/** One security under two numbers: it was restructured. */
const BEFORE = security(3, {
  asid: 77,
  tickers: datedValues(['UTX'], ['20070103:20200402']),
  names: datedValues(['United Tech'], ['20070103:20200402']),
});
const AFTER = security(4, {
  asid: 77,
  tickers: datedValues(['RTX'], ['20200403:20991231']),
  names: datedValues(['RTX Corp'], ['20200403:20991231']),
});
const ALL = [META, OLD_META, BEFORE, AFTER];
const table = new SymbolTable(ALL);
const EVER = { start: '1900-01-01', end: OPEN_END };

describe('the meaning of a symbol', () => {
  it('is each security that had it, in the order of time', () => {
    const found = resolveSymbol(table, 'Ticker', 'META', EVER);
    expect(found.map(({ security: { secId }, start, end }) => [secId, start, endOf(end)])).toEqual([
      [2, '2008-01-02', '2011-06-30'],
      [1, '2022-06-09', null],
    ]);
  });

  it('says what the ticker was before and became after', () => {
    const [fb] = resolveSymbol(table, 'Ticker', 'FB', EVER);
    expect(fb).toMatchObject({
      before: null,
      after: { value: 'META', start: '2022-06-09' },
      name: 'Meta Platforms Inc',
    });
    const [utx] = resolveSymbol(table, 'Ticker', 'UTX', EVER);
    expect(utx?.after).toMatchObject({ value: 'RTX', start: '2020-04-03' });
    const [rtx] = resolveSymbol(table, 'Ticker', 'RTX', EVER);
    expect(rtx?.before).toMatchObject({ value: 'UTX', end: '2020-04-02' });
  });

  it('is cut to the dates that are asked for, with the name of the last of them', () => {
    const asked = { start: '2015-01-01', end: '2020-12-31' };
    expect(resolveSymbol(table, 'Ticker', 'FB', asked)).toMatchObject([
      { start: '2015-01-01', end: '2020-12-31', name: 'Facebook Inc' },
    ]);
    expect(resolveSymbol(table, 'Ticker', 'META', asked)).toEqual([]);
  });

  it.each([
    ['ASID', '77', ['UTX', 'RTX']],
    ['SecId', '1', ['FB', 'META']],
    ['ISIN', 'US30303M1027', ['FB', 'META']],
    ['FIGI', 'BBG000MM2P62', ['FB', 'META']],
    ['CUSIP', '30303M102', []],
    ['Ticker', 'fb', []],
  ] as const)('is found by %s %s', (type, symbol, tickers) => {
    const found = resolveSymbol(table, type, symbol, EVER);
    expect(found.map(({ ticker }) => ticker)).toEqual(tickers);
  });
});

describe('searching securities', () => {
  const found = async (text: string, limit = 10) =>
    (await SecuritySearch.of(ALL))
      .find(text, limit)
      .map(({ security: { secId }, value }) => [secId, value]);

  it('finds the ticker of now before an earlier one, and both before names', async () => {
    expect(await found('meta')).toEqual([
      [1, 'META'],
      [2, 'META'],
    ]);
    expect(await found('M')).toEqual([
      [1, 'META'],
      [2, 'Metals of Texas'],
    ]);
  });

  it('finds words of names of any time, and numbers', async () => {
    expect(await found('platforms')).toEqual([[1, 'Meta Platforms Inc']]);
    expect(await found('facebook inc')).toEqual([[1, 'Facebook Inc']]);
    expect(await found('77')).toEqual([
      [3, '77'],
      [4, '77'],
    ]);
  });

  it('finds each security once, no more than the limit, and nothing for what begins nothing', async () => {
    expect(await found('r', 1)).toEqual([[4, 'RTX']]);
    expect(await found('zzz')).toEqual([]);
    expect(await found('  ')).toEqual([]);
  });
});

describe('a search of many securities', () => {
  const letters = ['a', 'b', 'ab', 'é', ''];
  const pick = (n: number) => letters[n % letters.length] as string;
  const many = Array.from({ length: 400 }, (_, i) => {
    const ticker = `${pick(i)}${pick(i >> 2)}${pick(i >> 4)}${i % 7}`;
    const past = `${pick(i >> 3)}${i % 5}`;
    return security(i, {
      tickers: datedValues([past, ticker], ['20100104:20101231', '20110103:20991231']),
      names: datedValues([`${pick(i)}x ${pick(i >> 1)}y ${i}`], ['20100104:20991231']),
    });
  });
  /** The rank of a security by a plain reading of what it has; the least is the best. */
  const plainRank = ({ tickers, names, asid, secId }: Security, prefix: string) => {
    const [past, now] = tickers.map(({ value }) => value);
    const name = names[0]?.value ?? '';
    return [
      now === prefix,
      past === prefix,
      now?.startsWith(prefix),
      name.startsWith(prefix),
      past?.startsWith(prefix),
      name.split(' ').some((_, word, words) => words.slice(word).join(' ').startsWith(prefix)),
      [asid, secId].some((number) => `${number}`.startsWith(prefix)),
    ].indexOf(true);
  };

  it.each(['a', 'ab', 'aba', 'b0', 'é', 'éb', 'x', 'y', '1', '10', '1001', 'ax by', 'bb'])(
    'finds by %s what a plain reading finds, no better one later',
    async (prefix) => {
      const search = await SecuritySearch.of(many);
      const found = search.find(prefix, many.length).map((each) => each.security);
      const expected = many.filter((each) => plainRank(each, prefix) >= 0);
      expect(new Set(found)).toEqual(new Set(expected));
      const ranks = found.map((each) => plainRank(each, prefix));
      expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
      expect(search.find(prefix, 3).map((each) => each.security)).toEqual(found.slice(0, 3));
    },
  );
});

describe('values with periods', () => {
  it('hold at any time where the period is missing or unreadable', () => {
    expect(datedValues(['A', 'B'], ['20200101:20201231'])).toEqual([
      always('B'),
      { value: 'A', start: '2020-01-01', end: '2020-12-31' },
    ]);
    expect(datedValues(null, null)).toEqual([]);
  });

  it('are those of the last period that has begun, or the first', () => {
    const names = datedValues(['one', 'two'], ['20200101:20201231', '20220101:20991231']);
    expect(
      ['2019-01-01', '2020-06-01', '2021-06-01', '2023-01-01'].map((d) => valueOn(names, d)),
    ).toEqual(['one', 'one', 'one', 'two']);
    expect(valueOn([], '2020-01-01')).toBeNull();
  });
});
