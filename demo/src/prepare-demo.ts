/** Fills the demo's home: a market to read, and an account to read it with. */

import { isTradingDay, previousTradingDay } from '@ticklake/market/calendar.ts';
import { newInitialPassword } from 'ticklake/admin/person-operations.ts';
import type { OpenServices } from 'ticklake/open-services.ts';
import { hasAccounts } from 'ticklake/operation/home-state.ts';
import { marketDate } from 'ticklake/time/market-time.ts';
import { createDemoAccount, notDemoHome } from './demo-home.ts';
import { DEMO_VENDOR, deriveDemoMarket, generateDemoMarket } from './demo-market.ts';
import type { DemoSize } from './timeline.ts';

const DEMO_SEED = 1;
const DAY_MS = 86_400_000;

export interface PrepareDemoOptions {
  /** Takes one line for each step. */
  readonly report: (line: string) => void;
  /** Ends the generation, which then throws. */
  readonly signal?: AbortSignal | undefined;
  /** The whole market unless given. */
  readonly size?: DemoSize | undefined;
}

/** The last trading day that is over everywhere: yesterday's date in New York, or before. */
export function lastCompletedTradingDay(nowMs: number): string {
  const yesterday = marketDate('America/New_York', nowMs - DAY_MS);
  return isTradingDay(yesterday) ? yesterday : previousTradingDay(yesterday);
}

/** Makes the demo account in a home that has none. */
export async function makeDemoAccount(services: OpenServices): Promise<void> {
  await createDemoAccount(services, await newInitialPassword(services.passwords));
}

/**
 * Generates the market and then the account into the demo's own home, and says whether it made the
 * account. The account comes last: while there is none, a start was interrupted and all is made
 * again. What an operator has changed stays changed. Throws `UsageError` where data of another
 * vendor has no accounts: the demo's account would open it.
 */
export async function prepareDemo(
  services: OpenServices,
  { report, signal, size }: PrepareDemoOptions,
): Promise<boolean> {
  const { catalog, clock, config, engine, lake, store } = services;
  const vendors = await lake.versions.vendors();
  const isFirst = !(await hasAccounts(store));
  if (isFirst && vendors.some((vendor) => vendor !== DEMO_VENDOR)) {
    throw notDemoHome(config.home, 'data');
  }
  if (isFirst || vendors.length === 0) {
    const asOf = lastCompletedTradingDay(clock.now());
    report(`Generating the demo market up to ${asOf} (about 20 seconds, only this once)…`);
    await generateDemoMarket({ lake, catalog, seed: DEMO_SEED, asOf, report, signal, size });
    await deriveDemoMarket({ lake, catalog, engine, report, signal });
  }
  if (isFirst) await makeDemoAccount(services);
  return isFirst;
}
