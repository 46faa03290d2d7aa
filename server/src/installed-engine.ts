/** Opens the lake of a home. */
import type { Clock } from './base/clock.ts';
import { INSTALLED_ENGINE, tryLockFile } from './installed.ts';
import { Lake } from './lake/lake.ts';
import { openLakeIndex } from './open-store.ts';

/** As `Lake.open` says. Settings that are missing have their defaults. */
export async function openLake(
  config: Parameters<typeof INSTALLED_ENGINE.openStorage>[0],
  clock: Clock,
  engine = INSTALLED_ENGINE,
): Promise<Lake> {
  const { home } = config;
  const storage = engine.openStorage(config, tryLockFile);
  return await Lake.open({
    home,
    index: openLakeIndex(home),
    storage,
    clock,
  });
}
