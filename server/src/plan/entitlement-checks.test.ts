import { describe, expect, it } from 'vitest';
import { DAILY, errorOf, planOfPath, TICKS, textOf } from '../../test/plan-of-path.ts';

describe('planQuery: the universe of identifiers', () => {
  it.each([
    [`${TICKS}/MSFT`, ['AAPL'], 'MSFT', 'US Equities Trade and Quote'],
    [
      `${TICKS}/1010000000000044`,
      ['1010000000001033'],
      '1010000000000044',
      'US Equities Trade and Quote',
    ],
    [`${DAILY}?Ticker=MSFT`, ['AAPL', 'AMZN'], 'MSFT', 'US Equities Daily OHLC'],
    [`${DAILY}?Ticker.eq=MSFT&TradeDate=x`, ['AAPL'], 'MSFT', 'US Equities Daily OHLC'],
    [`${DAILY}?ASID=44`, ['1010000000001033'], '44', 'US Equities Daily OHLC'],
    ['us-equity-ref/eq-sec-master?Ticker=MSFT', ['AAPL'], 'MSFT', 'US Equities Security Master'],
    ['us-futures/fut-taq/2026-11-18/CLZ6', ['ES'], 'CLZ6', 'US Futures Trade and Quote'],
    ['us-futures/fut-trades-1min?BaseSymbol=CL', ['ES'], 'CL', 'US Futures Trade Only Minute Bar'],
  ])('%s is refused to %j', (path, universe, identifier, name) => {
    const { kind, detail } = errorOf(path, { universe });
    expect(kind).toBe('forbidden');
    expect(detail).toBe(
      `The account is not authorized to access the identifier ${identifier} in dataset ${name}`,
    );
  });

  it.each([
    [`${TICKS}/AAPL`, ['AAPL']],
    [`${TICKS}/AAPL`, ['1010000000001033']],
    [`${TICKS}/1010000000001033`, ['AAPL']],
    [`${TICKS}/MSFT`, ['AAPL', '1010000000000044']],
    [`${DAILY}?Ticker.in=AAPL,MSFT`, ['AAPL']],
    [`${DAILY}?Ticker.like=M*`, ['AAPL']],
    [DAILY, ['AAPL']],
    ['us-futures/fut-taq/2026-11-18/ESZ6', ['ES']],
    ['us-futures/fut-taq/2026-11-18/ESZ6', ['ESZ6']],
    ['us-futures/fut-trades-1min?BaseSymbol=ES', ['ESZ6']],
  ])('%s is answered within %j', (path, universe) => {
    const made = planOfPath(path, { universe });
    const [grant, ...others] = made.grants;
    expect(others).toEqual([]);
    const isId = (text: string) => /^1/.test(text);
    const texts = grant?.universe?.map(textOf);
    const [ids, names] = [universe.filter(isId), universe.filter((text) => !isId(text))];
    const { universeColumns } = made.dataset;
    expect(texts).toEqual([
      ...universeColumns
        .filter((name) => name !== 'ASID' && names.length > 0)
        .map((name) => `${name} in ${names.join('|')}`),
      ...(ids.length > 0 ? [`ASID in ${ids.join('|')}`] : []),
    ]);
  });

  it('is none where the rule names none', () => {
    expect(planOfPath(DAILY).grants).toEqual([{ window: null, universe: null }]);
  });

  it('is no row where the rows name nothing, or no identifier can be one of theirs', () => {
    const nothing = [{ window: expect.anything(), universe: [] }];
    const holidays = planOfPath('us-equity-ref/eq-market-holidays', { universe: ['AAPL'] });
    expect(holidays.grants).toEqual(nothing);
    const tooLong = planOfPath('us-equity-ref/eq-ipo', { universe: ['99999999999999999999'] });
    expect(tooLong.grants).toEqual(nothing);
  });

  it('is asked before the dates', () => {
    const rule = { universe: ['AAPL'], startDate: '2020-01-01', endDate: '2020-12-31' };
    expect(errorOf(`${TICKS}/MSFT`, rule).kind).toBe('forbidden');
  });

  const rules = [
    { startDate: '2024-01-01', endDate: '2024-12-31', universe: ['AAPL'] },
    { startDate: '2025-01-01', endDate: '2026-12-31', universe: ['MSFT'] },
  ];

  it.each([
    ['us-equity/eq-taq/2024-03-01/MSFT', 'forbidden'],
    ['us-equity/eq-taq/2025-03-03/AAPL', 'forbidden'],
    ['us-equity/eq-taq/2023-03-01/GOOG', 'forbidden'],
    ['us-equity/eq-taq/2023-03-01/AAPL', 'invalid'],
    [`${DAILY}?Ticker=MSFT&TradeDate.le=2024-03-01`, 'forbidden'],
    [`${DAILY}?Ticker=GOOG`, 'forbidden'],
    ['us-equity-ref/eq-sec-master?Ticker=GOOG', 'forbidden'],
  ] as const)('is that of the windows which the dates meet: %s is %s', (path, kind) => {
    expect(errorOf(path, rules).kind).toBe(kind);
  });

  it.each([
    'us-equity/eq-taq/2024-03-01/AAPL',
    'us-equity/eq-taq/2025-03-03/MSFT',
    `${DAILY}?Ticker=MSFT`,
    `${DAILY}?Ticker=AAPL&TradeDate.ge=2024-03-01`,
    'us-equity-ref/eq-sec-master?Ticker=MSFT',
  ] as const)('is that of the windows which the dates meet: %s is answered', (path) => {
    expect(() => planOfPath(path, rules)).not.toThrow();
  });
});
