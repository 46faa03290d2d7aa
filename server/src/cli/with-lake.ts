/** Opens the store and the lake of a home for a command. */
import type { Lake } from '../lake/lake.ts';
import { openExistingStore, openLake } from '../open-home.ts';
import type { ControlStore } from '../store/control-store.ts';
import type { CommandContext } from './command.ts';

/** Rejects with a `UsageError` where the home has no store. */
export async function withLake<T>(
  { config, clock }: Pick<CommandContext, 'config' | 'clock'>,
  work: (lake: Lake, store: ControlStore) => Promise<T>,
): Promise<T> {
  const store = await openExistingStore(config);
  try {
    const lake = await openLake(config, clock);
    return await work(lake, store).finally(() => lake.close());
  } finally {
    await store.close();
  }
}
