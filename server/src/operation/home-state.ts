/** Finds what a home still needs before anybody can read data from it. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Lake } from '../lake/lake.ts';
import type { StoreReader } from '../store/control-store.ts';

export function demoMarkFile(home: string): string {
  return join(home, 'demo-home.txt');
}

export function isDemoHome(home: string): boolean {
  return existsSync(demoMarkFile(home));
}

/** The facts about a home that decide whether it is ready. */
export interface HomeParts {
  readonly store: StoreReader;
  readonly lake: Lake;
}

export interface HomeGap {
  /** Whole sentences. */
  readonly text: string;
  /** The words behind `ticklake` that close the gap; null where no command does. */
  readonly words: string | null;
}

export async function hasAccounts({ accounts, people }: StoreReader): Promise<boolean> {
  if ((await accounts.list(0, 1)).length > 0) return true;
  return (await people.list(null, 0, 1)).length > 0;
}

/** Somebody can sign in and administer, or a key opens something. */
async function isUsable({ people, keys }: StoreReader, nowMs: number): Promise<boolean> {
  return (await people.countActiveOwners()) > 0 || (await keys.isAnyUsable(nowMs));
}

async function accessGap({ store, lake }: HomeParts, nowMs: number): Promise<HomeGap | null> {
  if (!(await hasAccounts(store))) {
    return {
      text: 'There are no accounts, so nobody can sign in or read data.',
      words: 'init --email you@example.com --account NAME',
    };
  }
  if (!(await isUsable(store, nowMs))) {
    return {
      text: 'There is no active owner and no active key, so nobody can sign in or read data.',
      words: 'user create --owner --email you@example.com',
    };
  }
  if ((await lake.versions.isEmpty()) || (await store.rules.isAny())) return null;
  return {
    text: 'No account may read any dataset.',
    words: 'rule add --identity ID --dataset NAME',
  };
}

async function dataGap({ lake }: HomeParts): Promise<HomeGap | null> {
  if (await lake.versions.isEmpty()) {
    return { text: 'There is no data.', words: 'ingest <dataset> <file...>' };
  }
  const damage = lake.damaged.current();
  if (damage === null) return null;
  const text = `Some data cannot be read: ${damage}. Restore it from a backup, or load it again.`;
  return { text, words: null };
}

/** In the order in which they should be closed; none: the home is ready. */
export async function homeGaps(parts: HomeParts, nowMs: number): Promise<readonly HomeGap[]> {
  return [await accessGap(parts, nowMs), await dataGap(parts)].filter((gap) => gap !== null);
}
