/** Opens the store and the lake of a home until the command ends. */
import type { Lake } from '../lake/lake.ts';
import { openExistingStore, openLake } from '../open-home.ts';
import type { ControlStore } from '../store/control-store.ts';
import type { CommandContext } from './command.ts';

/** Rejects with a `UsageError` where the home has no store. */
export async function openHome({
  config,
  clock,
  closing,
}: Pick<CommandContext, 'config' | 'clock' | 'closing'>): Promise<{
  readonly store: ControlStore;
  readonly lake: Lake;
}> {
  const store = closing(await openExistingStore(config));
  return { store, lake: closing(await openLake(config, clock)) };
}
