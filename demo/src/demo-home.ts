/**
 * The demo's own home, recognised by a file that the demo leaves there before anything else. Any
 * other home belongs to somebody else: the demo puts nothing into one that holds data or accounts.
 * The demo account has a key and an owner; key and password are kept in files that only their owner
 * can read, so that no log has to show them.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashKey, keyStatus } from 'ticklake/access/api-key.ts';
import { createAccount } from 'ticklake/admin/account-operations.ts';
import { createKey } from 'ticklake/admin/key-operations.ts';
import { type InitialPassword, type Operation, performIn } from 'ticklake/admin/operation.ts';
import { createPerson } from 'ticklake/admin/person-operations.ts';
import { addRule } from 'ticklake/admin/rule-operations.ts';
import type { Clock } from 'ticklake/base/clock.ts';
import { UsageError } from 'ticklake/base/errors.ts';
import { SITE_FILE } from 'ticklake/base/home-layout.ts';
import { readSecretFile, writeSecretFile } from 'ticklake/base/secret.ts';
import { findControlStore, openControlStore, openLake } from 'ticklake/open-home.ts';
import type { OpenServices } from 'ticklake/open-services.ts';
import { demoMarkFile, hasAccounts, isDemoHome } from 'ticklake/operation/home-state.ts';
import type { Config } from 'ticklake/settings/config.ts';
import type { ControlStore } from 'ticklake/store/control-store.ts';

const MARK_TEXT =
  'This folder is the home of the Ticklake demo: an invented market, and an account to try it with.\n' +
  'Nothing in it is needed by anything else. To be rid of the demo, stop it and delete the folder.\n';

const SITE_TEXT = `name: Ticklake demo
public_catalogue: true
public_samples: [eq_daily_ohlc, eq_trades_1min, opt_tanq]
prices: { all: Free in the demo }
`;

async function holdsAccounts(home: string): Promise<boolean> {
  if (!findControlStore({ home }).exists) return false;
  const store = await openControlStore({ home });
  try {
    return await hasAccounts(store);
  } finally {
    await store.close();
  }
}

async function holdsData(home: string, clock: Clock): Promise<boolean> {
  if (!existsSync(join(home, 'lake.db'))) return false;
  const lake = await openLake({ home }, clock);
  try {
    return !(await lake.versions.isEmpty());
  } finally {
    await lake.close();
  }
}

/** The refusal of a home that is somebody's own. */
export function notDemoHome(home: string, what: string): UsageError {
  return new UsageError(
    `${home} holds ${what} of your own, and the demo needs a home to itself; ` +
      'name another folder with --home, or use ticklake serve',
  );
}

/**
 * Makes an empty home the demo's own. Rejects with a `UsageError`, and leaves the home as it was,
 * where it holds accounts or data and is not the demo's.
 */
export async function claimDemoHome({ home, store }: Config, clock: Clock): Promise<void> {
  if (store) {
    throw new UsageError('the demo keeps everything in its home; unset TICKLAKE_STORE to run it');
  }
  if (isDemoHome(home)) return;
  if (await holdsAccounts(home)) throw notDemoHome(home, 'accounts');
  if (await holdsData(home, clock)) throw notDemoHome(home, 'data');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  writeFileSync(demoMarkFile(home), MARK_TEXT);
  const site = join(home, SITE_FILE);
  if (!existsSync(site)) writeFileSync(site, SITE_TEXT);
}

const DEMO_NAME = 'demo';
export const DEMO_OWNER_EMAIL = 'owner@demo.localhost';
const KEY_LIFETIME = '3650d';

export function demoKeyFile(home: string): string {
  return join(home, 'demo-key');
}

export function demoPasswordFile(home: string): string {
  return join(home, 'demo-password');
}

/** The key in `<home>/demo-key`; null when there is none or it no longer opens anything. */
export async function liveDemoKey(
  store: ControlStore,
  nowMs: number,
  home: string,
): Promise<string | null> {
  const key = readSecretFile(demoKeyFile(home));
  if (key === null) return null;
  await store.catchUp();
  const credential = store.replica.findCredential(hashKey(key));
  if (credential === null || keyStatus(credential.key, nowMs) !== 'active') return null;
  return credential.account.isActive ? key : null;
}

/** The password in `<home>/demo-password`; null when there is none or it has been changed since. */
export async function liveDemoPassword(store: ControlStore, home: string): Promise<string | null> {
  const owner = await store.people.findByEmail(DEMO_OWNER_EMAIL);
  return owner?.isActive && owner.isPasswordInitial ? readSecretFile(demoPasswordFile(home)) : null;
}

/**
 * Creates the account with a rule for every dataset of the catalogue, a key in `<home>/demo-key`,
 * and an owner whose password is in `<home>/demo-password`. Rejects with `BadInput`, and changes
 * nothing, when there is an account of that name.
 */
export async function createDemoAccount(
  { store, catalog, clock, config: { home } }: OpenServices,
  initialPassword: InitialPassword,
): Promise<void> {
  const by = { actor: `local:${DEMO_NAME}`, source: 'first start' };
  const context = { catalog, nowMs: clock.now(), ...by, initialPassword };
  await store.transaction(async (tx) => {
    const act = <T>(operation: Operation, input: Record<string, unknown>) =>
      performIn(tx, operation, context, input) as Promise<T>;
    const { identity_id } = await act<{ identity_id: number }>(createAccount, { name: DEMO_NAME });
    for (const { datasetId } of catalog.datasets) {
      await act(addRule, { identity_id, dataset_id: datasetId });
    }
    const keyInput = { identity_id, name: 'demo key', expires_in: KEY_LIFETIME };
    const { api_key: key } = await act<{ api_key: string }>(createKey, keyInput);
    const owner = { email: DEMO_OWNER_EMAIL, role: 'owner', identity_id };
    const { password } = await act<{ password: string }>(createPerson, owner);
    writeSecretFile(demoKeyFile(home), key);
    writeSecretFile(demoPasswordFile(home), password);
  });
}
