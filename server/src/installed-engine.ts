/** The engine of this installation: nothing else outside its own folder names it. */
import type { Clock } from './base/clock.ts';
import { DUCKDB_ENGINE } from './engine/duckdb/engine.ts';
import type { Engine, EngineConfig } from './engine/engine.ts';
import { Lake } from './lake/lake.ts';
import { openLakeIndex } from './open-store.ts';

export const INSTALLED_ENGINE: Engine = DUCKDB_ENGINE;

/** Opens the lake of a home, as `Lake.open` says. */
export async function openLake(
  config: EngineConfig,
  clock: Clock,
  engine = INSTALLED_ENGINE,
): Promise<Lake> {
  const { home } = config;
  const storage = engine.openStorage(config);
  return await Lake.open({ home, index: openLakeIndex(home), storage, clock });
}
