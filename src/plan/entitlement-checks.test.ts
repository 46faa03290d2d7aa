import { describe, expect, it } from 'vitest';
import { DAILY, errorOf, planOfPath, TICKS } from '../../test/plan-of-path.ts';

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
    const { status, detail } = errorOf(path, { universe });
    expect(status).toBe(403);
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
  ])('%s is answered within %j', (path, universe) => {
    const made = planOfPath(path, { universe });
    expect(made.universe?.identifiers).toEqual(universe);
    expect(made.universe?.columns.map((column) => column.name)).toEqual(
      made.dataset.universeColumns,
    );
  });

  it('is none where the rule names none', () => {
    expect(planOfPath(DAILY).universe).toBeNull();
  });

  it('is asked before the dates', () => {
    const access = { universe: ['AAPL'], windowStart: '2020-01-01', windowEnd: '2020-12-31' };
    expect(errorOf(`${TICKS}/MSFT`, access).status).toBe(403);
  });
});
