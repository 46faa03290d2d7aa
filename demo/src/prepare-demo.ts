/** Fills the demo's home: a market to read, and an account to read it with. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

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

/** In the home until the whole market has been made. */
const unfinishedFile = (home: string) => join(home, 'demo-unfinished');

export interface PreparedDemo {
  /** True if the account was made now. */
  readonly isFirst: boolean;
  /** Makes the whole market while the first rows can be read; null if it is there. */
  readonly finish: (() => Promise<void>) | null;
}

/**
 * Generates the first rows of the market and then the account into the demo's own home. The account
 * comes after them: while there is none, a start was interrupted and all is made again. What an
 * operator has changed stays changed. Throws `UsageError` where data of another vendor has no
 * accounts: the demo's account would open it.
 */
export async function prepareDemo(
  services: OpenServices,
  { report, signal, size }: PrepareDemoOptions,
): Promise<PreparedDemo> {
  const { catalog, clock, config, engine, lake, store } = services;
  const vendors = await lake.versions.vendors();
  const isFirst = !(await hasAccounts(store));
  if (isFirst && vendors.some((vendor) => vendor !== DEMO_VENDOR)) {
    throw notDemoHome(config.home, 'data');
  }
  const unfinished = unfinishedFile(config.home);
  const asOf = lastCompletedTradingDay(clock.now());
  const market = { lake, catalog, seed: DEMO_SEED, asOf, report, signal, size };
  if (isFirst || vendors.length === 0) {
    writeFileSync(unfinished, '');
    await generateDemoMarket({ ...market, extent: 'first' });
  }
  if (isFirst) await makeDemoAccount(services);
  if (!existsSync(unfinished)) return { isFirst, finish: null };
  const finish = async () => {
    report(
      `Making the whole market up to ${asOf}, only this once; you can read the first rows meanwhile`,
    );
    await generateDemoMarket(market);
    await deriveDemoMarket({ lake, catalog, engine, report, signal });
    signal?.throwIfAborted();
    rmSync(unfinished);
    report('The market is complete');
  };
  return { isFirst, finish };
}
