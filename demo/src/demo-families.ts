/** The parts of the demo market: groups of datasets, each generated in one pass. */
import { OPTION_UNDERLYINGS } from './companies.ts';
import { buildEquityMarket } from './equity-market.ts';
import type { DemoFamily } from './family.ts';
import { futuresFamily } from './futures-family.ts';
import { buildOptionChain } from './option-chain.ts';
import { optionDays } from './option-rows.ts';
import { quoteFamily } from './quote-family.ts';
import { referenceFamily } from './reference-family.ts';
import { buildTimeline, type DemoSize } from './timeline.ts';
import { firstPricesFamily, otcFamily, tradeFamily } from './trade-family.ts';

/**
 * A dataset is in one of the families or in none. The same arguments always give the same rows;
 * `asOf` is the last trade date and has to be a trading day.
 */
export function demoFamilies(seed: number, asOf: string, size: DemoSize): DemoFamily[] {
  const timeline = buildTimeline(asOf, size);
  const market = buildEquityMarket(seed, timeline);
  const chains = OPTION_UNDERLYINGS.map((ticker) => buildOptionChain(market, ticker));
  return [
    quoteFamily(market, optionDays(market, chains)),
    tradeFamily(market),
    futuresFamily(seed, timeline),
    otcFamily(market),
    referenceFamily(market, chains),
  ];
}

/** Few rows for a first query, which the whole market has, too. */
export function firstFamilies(seed: number, asOf: string, size: DemoSize): DemoFamily[] {
  return [firstPricesFamily(buildEquityMarket(seed, buildTimeline(asOf, size)))];
}
