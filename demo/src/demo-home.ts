/**
 * The demo's own home, which it recognises by a file that it leaves there before anything else. Any
 * other home belongs to somebody else: the demo puts nothing into one that holds data or accounts.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from 'ticklake/base/clock.ts';
import { UsageError } from 'ticklake/base/errors.ts';
import { findControlStore, openControlStore, openLake } from 'ticklake/open-home.ts';
import { demoMarkFile, hasAccounts, isDemoHome } from 'ticklake/operation/home-state.ts';
import type { Config } from 'ticklake/settings/config.ts';

const MARK_TEXT =
  'This folder is the home of the Ticklake demo: an invented market, and an account to try it with.\n' +
  'Nothing in it is needed by anything else. To be rid of the demo, stop it and delete the folder.\n';

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
 * Makes an empty home the demo's own. Rejects with a `UsageError`, and leaves the home as it was, where it
 * holds accounts or data and is not the demo's.
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
}
