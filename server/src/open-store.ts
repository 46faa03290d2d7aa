/** Opens the stores of a home: the one place that chooses which kind of store they are. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ControlStore } from './store/control-store.ts';
import type { LakeIndex } from './store/lake-index.ts';
import { type ControlStoreOptions, SqliteControlStore } from './store/sqlite/control-store.ts';
import { SqliteLakeIndex } from './store/sqlite/lake-index.ts';

function storePath(home: string): string {
  return join(home, 'control.db');
}

/** Whether a home has a control store; the path at which there would be one. */
export function findControlStore(home: string): {
  readonly exists: boolean;
  readonly path: string;
} {
  const path = storePath(home);
  return { exists: existsSync(path), path };
}

/** Opens or creates the control store of a home. */
export function openControlStore(home: string, options: ControlStoreOptions = {}): ControlStore {
  return new SqliteControlStore(storePath(home), options);
}

/** Opens or creates the index of the lake of a home. */
export function openLakeIndex(home: string): LakeIndex {
  return new SqliteLakeIndex(join(home, 'lake.db'));
}
