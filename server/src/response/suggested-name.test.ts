import { describe, expect, it } from 'vitest';
import { MINUTES, planOfPath, TICKS } from '../../test/plan-of-path.ts';
import { suggestedName } from './page.ts';

const DAILY = 'us-equity/eq-daily-ohlc';
const many = ['D', 'C', 'B', 'A', 'E'].map((letter) => letter.repeat(60)).join(',');

describe('suggestedName', () => {
  it.each([
    ['Ticker=AVQX&TradeDate=2026-11-18', 'eq_daily_ohlc_AVQX_2026-11-18'],
    [
      'Ticker.in=BKLM,AVQX&TradeDate.ge=2026-11-02&TradeDate.lt=2026-11-18',
      'eq_daily_ohlc_AVQX_BKLM_2026-11-02_2026-11-17',
    ],
    ['Ticker.in=E,D,C,B,A&TradeDate=2026-11-18', 'eq_daily_ohlc_A_B_C_and_2_more_2026-11-18'],
    ['Ticker=BRK/B&TradeDate=2026-11-18', 'eq_daily_ohlc_BRK_B_2026-11-18'],
    ['Ticker.like=AV*&TradeDate=2026-11-18&ClosePrice.ge=5', 'eq_daily_ohlc_2026-11-18'],
    [
      `Ticker.in=${many}&TradeDate=2026-11-18&offset=2000`,
      `eq_daily_ohlc_${'A'.repeat(60)}_${'B'.repeat(29)}_2026-11-18_2000`,
    ],
  ])('says the identifiers and dates that %s names', (query, name) => {
    expect(suggestedName(planOfPath(`${DAILY}?${query}`), [])).toBe(name);
    expect(name.length).toBeLessThanOrEqual(120);
  });

  it('says the dates of the look-back period where the request has none', () => {
    const name = suggestedName(planOfPath(`${DAILY}?Ticker=AVQX&period=10D`), []);
    expect(name).toMatch(/^eq_daily_ohlc_AVQX_2026-11-\d\d_2026-11-\d\d$/);
  });

  it('says how long bars are that are made of shorter ones', () => {
    const name = suggestedName(planOfPath(`${MINUTES}?TradeDate=2026-11-18&interval=1h`), ['AAPL']);
    expect(name).toBe('eq_taq_1min_ext_1h_AAPL_2026-11-18');
  });

  it('does not repeat what the path says', () => {
    const path = ['2026-11-18', 'AAA'];
    expect(suggestedName(planOfPath(`${TICKS}/AAA`), path)).toBe('eq_taq_2026-11-18_AAA');
  });
});
