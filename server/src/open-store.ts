/** Opens the stores of a home. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ControlStoreOptions,
  InstalledControlStore,
  InstalledLakeIndex,
} from './installed.ts';
import type { ControlStore } from './store/control-store.ts';
import type { LakeIndex } from './store/lake-index.ts';

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
  return new InstalledControlStore(storePath(home), options);
}

/** Opens or creates the index of the lake of a home. */
export function openLakeIndex(home: string): LakeIndex {
  return new InstalledLakeIndex(join(home, 'lake.db'));
}
