/** Opens the store and the lake of a home, or has it alone, until the command ends. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../base/errors.ts';
import { HOME_LOCK_FILE } from '../base/home-layout.ts';
import { tryLockFile } from '../installed.ts';
import type { Lake } from '../lake/lake.ts';
import { noHomeAt, openExistingStore, openLake, type StorePlace } from '../open-home.ts';
import type { CommandContext } from './command.ts';

type Opening = Pick<CommandContext, 'config' | 'clock' | 'closing'>;

/** Rejects with a `UsageError` where the home has no store. */
export async function openHome({ config, clock, closing }: Opening) {
  const store = closing(await openExistingStore(config));
  return { store, lake: closing(await openLake(config, clock)) };
}

/** Throws a `UsageError` where there is no home: a mistyped one is not made. */
export function requireHome(place: StorePlace): void {
  if (!place.store && !existsSync(place.home)) throw noHomeAt(place);
}

/** Rejects with a `UsageError` where there is no home. */
export async function openHomeLake({ config, clock, closing }: Opening): Promise<Lake> {
  requireHome(config);
  return closing(await openLake(config, clock));
}

/** Throws a `UsageError` while a server has the home. */
export function lockHome({ config: { home }, closing }: CommandContext): void {
  const lock = tryLockFile(join(home, HOME_LOCK_FILE));
  if (!lock) throw new UsageError(`a server uses ${home}; stop it and try again`);
  closing(lock);
}
