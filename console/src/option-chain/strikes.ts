/** The contracts of one expiration, strike by strike. */
import type { OptionChain, OptionChainContract } from '@ticklake/client';

export type Strike = ReturnType<typeof strikesOf>[number];

/** Adjusted contracts have a root of their own, and may have the strike of others. */
export function strikesOf(contracts: readonly OptionChainContract[]) {
  const pairs = Map.groupBy(contracts, ({ root, strike }) => `${strike} ${root}`);
  return [...pairs.values()].map((pair) => {
    const { root, strike } = pair[0]!;
    const of = (side: OptionChainContract['call_put']) =>
      pair.find(({ call_put }) => call_put === side) ?? null;
    return { root, strike, call: of('C'), put: of('P') };
  });
}

/** The middle of the underlying's quote, or the side that there is. */
export function underlyingPrice(
  props: Pick<OptionChain, 'underlying_bid_price' | 'underlying_ask_price'>,
): number | null {
  const { underlying_bid_price: bid, underlying_ask_price: ask } = props;
  return bid !== null && ask !== null ? (bid + ask) / 2 : (bid ?? ask);
}

/** So many strikes on each side of the underlying's price; all where that is not known. */
export function nearestStrikes(
  strikes: readonly Strike[],
  price: number | null,
  count: number,
): readonly Strike[] {
  if (price === null) return strikes;
  const above = strikes.findIndex(({ strike }) => strike >= price);
  const place = above === -1 ? strikes.length : above;
  return strikes.slice(Math.max(0, place - count), place + count);
}

/** The volatilities of one side by strike, as the chart takes them. */
export function smileOf(strikes: readonly Strike[], side: 'call' | 'put') {
  // The chart takes each strike once.
  const byStrike = new Map<number, number>();
  for (const { strike, [side]: contract } of strikes) {
    const volatility = contract?.implied_volatility ?? null;
    if (volatility !== null && !byStrike.has(strike)) byStrike.set(strike, volatility);
  }
  return [...byStrike].map(([time, value]) => ({ time, value }));
}
