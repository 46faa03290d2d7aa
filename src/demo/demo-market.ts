/**
 * A small market that does not exist: every dataset of the catalogue filled from one seed, all of
 * them telling the same story.
 */
import type { Catalog } from '../catalog/dataset.ts';
import { OPTION_UNDERLYINGS } from './companies.ts';
import { equityFamily } from './equity-family.ts';
import { buildEquityMarket } from './equity-market.ts';
import type { DemoFamily } from './family.ts';
import { futuresFamily } from './futures-family.ts';
import { buildOptionChain } from './option-chain.ts';
import { optionDays } from './option-rows.ts';
import { otcFamily } from './otc-family.ts';
import { type PublishTarget, publishFamily } from './publish-family.ts';
import { referenceFamily } from './reference-family.ts';
import { buildTimeline, type DemoSize, FULL_SIZE } from './timeline.ts';

const VENDOR = 'Synthetic';

/** The groups of datasets, each of which is generated and published in one pass. */
export function demoFamilies(seed: number, asOf: string, size: DemoSize): DemoFamily[] {
  const timeline = buildTimeline(asOf, size);
  const market = buildEquityMarket(seed, timeline);
  const chains = OPTION_UNDERLYINGS.map((ticker) => buildOptionChain(market, ticker));
  return [
    referenceFamily(market, chains),
    otcFamily(market),
    equityFamily(market, optionDays(market, chains)),
    futuresFamily(seed, timeline),
  ];
}

export interface DemoMarketOptions {
  readonly lake: PublishTarget;
  readonly catalog: Catalog;
  readonly seed: number;
  /** The last trade date, `YYYY-MM-DD`; has to be a trading day. */
  readonly asOf: string;
  /** Takes one line for each step. */
  readonly report: (line: string) => void;
  readonly size?: DemoSize;
}

/** Generates the market up to `asOf` and replaces what the lake holds of every dataset. */
export async function generateDemoMarket(options: DemoMarketOptions): Promise<void> {
  const { lake, catalog, seed, asOf, report, size = FULL_SIZE } = options;
  for (const family of demoFamilies(seed, asOf, size)) {
    report(`Generating ${family.name}`);
    await publishFamily(lake, family, catalog, VENDOR);
  }
}
