import type { OptionChainContract } from '@ticklake/client';
import { expect, it } from 'vitest';
import { nearestStrikes, smileOf, strikesOf, underlyingPrice } from './strikes';

const contract = (strike: number, call_put: 'C' | 'P', volatility: number | null, root = 'XYZ') =>
  ({ root, strike, call_put, implied_volatility: volatility }) as OptionChainContract;

const strikes = strikesOf([
  contract(90, 'C', 0.4),
  contract(90, 'P', 0.5),
  contract(100, 'P', 0.3),
  contract(100, 'P', 0.9, 'XYZ1'),
  contract(110, 'C', null),
  contract(110, 'C', 0.2, 'XYZ1'),
]);

it('puts the call and the put of a strike and a root together', () => {
  expect(strikes.map(({ root, strike, call, put }) => [root, strike, !!call, !!put])).toEqual([
    ['XYZ', 90, true, true],
    ['XYZ', 100, false, true],
    ['XYZ1', 100, false, true],
    ['XYZ', 110, true, false],
    ['XYZ1', 110, true, false],
  ]);
});

it('draws a smile from the volatilities that are known, each strike once', () => {
  expect(smileOf(strikes, 'call')).toEqual([
    { time: 90, value: 0.4 },
    { time: 110, value: 0.2 },
  ]);
  expect(smileOf(strikes, 'put')).toEqual([
    { time: 90, value: 0.5 },
    { time: 100, value: 0.3 },
  ]);
});

it('shows the strikes on both sides of the price of the underlying', () => {
  const near = (price: number | null) =>
    nearestStrikes(strikes, price, 1).map(({ strike }) => strike);
  expect([near(95), near(80), near(200), near(null).length]).toEqual([[90, 100], [90], [110], 5]);
});

it('takes the middle of the quote of the underlying, or the side that there is', () => {
  const price = (underlying_bid_price: number | null, underlying_ask_price: number | null) =>
    underlyingPrice({ underlying_bid_price, underlying_ask_price });
  expect([price(1, 2), price(1, null), price(null, 2), price(null, null)]).toEqual([
    1.5,
    1,
    2,
    null,
  ]);
});
