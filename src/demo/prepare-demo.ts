/** Makes a first start useful: a market to read and a key to read it with. */
import { newInitialPassword } from '../admin/initial-password.ts';
import { isTradingDay, previousTradingDay } from '../market/calendar.ts';
import type { OpenServices } from '../open-services.ts';
import { marketDate } from '../time/market-time.ts';
import { FLAGSHIP_TICKER } from './companies.ts';
import {
  createDemoAccount,
  DEMO_NAME,
  demoKeyFile,
  liveDemoKey,
  type SignIn,
} from './demo-account.ts';
import { DEMO_VENDOR, generateDemoMarket } from './demo-market.ts';

const DEMO_SEED = 1;
const DAY_MS = 86_400_000;

export interface PreparedDemo {
  /** Null where there is no demo account, or its key has been taken away. */
  readonly key: string | null;
  readonly keyFile: string;
  /** Of the owner that was just made; null where none was. */
  readonly signIn: SignIn | null;
  /** Whether there is anybody who can sign in. */
  readonly hasPeople: boolean;
  /** A path below the version prefix that finds rows in what the lake holds. */
  readonly firstPath: string;
}

/** The last trading day that is over everywhere: yesterday's date in New York, or before. */
export function lastCompletedTradingDay(nowMs: number): string {
  const yesterday = marketDate('America/New_York', nowMs - DAY_MS);
  return isTradingDay(yesterday) ? yesterday : previousTradingDay(yesterday);
}

function isEmpty({ catalog, lake }: OpenServices): boolean {
  return catalog.datasets.every(({ datasetId }) => lake.snapshot(datasetId) === null);
}

/** A first query that finds rows: the demo market's flagship, or rows of the owner's own data. */
function firstPath({ catalog, lake }: OpenServices): string {
  const daily = catalog.byTextId('eq_daily_ohlc');
  if (daily && lake.snapshot(daily.datasetId)?.vendor === DEMO_VENDOR) {
    return `/data/${daily.group}/${daily.segment}?Ticker=${FLAGSHIP_TICKER}&limit=3`;
  }
  const open = catalog.datasets.find(
    ({ datasetId, pathShape, requiredFilters, variant }) =>
      pathShape === 'query' &&
      requiredFilters.length === 0 &&
      variant.adjusted !== true &&
      variant.aggregationLogic !== 'industry_std' &&
      lake.snapshot(datasetId) !== null,
  );
  return open ? `/data/${open.group}/${open.segment}?limit=3` : '/meta/datasets';
}

/** What an operator has changed stays changed: only a first start makes an account. */
async function demoAccount(
  { catalog, clock, config, passwords, store }: OpenServices,
  isNewMarket: boolean,
): Promise<Pick<PreparedDemo, 'key' | 'signIn'>> {
  const isStoreEmpty = store.identities.list(0, 1).length === 0;
  const isFirstStart = isStoreEmpty || isNewMarket;
  if (!isFirstStart || store.identities.findByName(DEMO_NAME)) {
    return { key: liveDemoKey(store, clock.now(), config.home), signIn: null };
  }
  const initialPassword = await newInitialPassword(passwords);
  return createDemoAccount(store, catalog, clock.now(), config.home, initialPassword);
}

/**
 * Generates the demo market into an empty lake. Creates the demo account when it did so, or when
 * the store has no identities yet; an identity that is there is never changed.
 */
export async function prepareDemo(
  services: OpenServices,
  report: (line: string) => void,
): Promise<PreparedDemo> {
  const { catalog, clock, config, lake } = services;
  const isNewMarket = isEmpty(services);
  if (isNewMarket) {
    const asOf = lastCompletedTradingDay(clock.now());
    report(`Generating the demo market up to ${asOf} (about 20 seconds, only this once)…`);
    await generateDemoMarket({ lake, catalog, seed: DEMO_SEED, asOf, report });
  }
  return {
    ...(await demoAccount(services, isNewMarket)),
    hasPeople: services.store.people.list(null, 0, 1).length > 0,
    keyFile: demoKeyFile(config.home),
    firstPath: firstPath(services),
  };
}
