/** Uploads, where the store has them: shared, or else in the home. */
import { join } from 'node:path';
import { DUE_DERIVATIONS_FILE } from '../../base/home-layout.ts';
import type { Lake } from '../../lake/lake.ts';
import type { ControlStore } from '../../store/control-store.ts';
import { HomeUploads } from './home-uploads.ts';
import { SharedUploads } from './shared-uploads.ts';
import type { Uploads, UploadsOptions } from './uploads.ts';

export interface OpenUploadsOptions extends Omit<UploadsOptions, 'folder' | 'dueFile'> {
  readonly home: string;
  readonly store: Pick<ControlStore, 'sharedUploads'>;
  readonly lake: Lake;
}

export function openUploads({ home, store, lake, ...options }: OpenUploadsOptions): Uploads {
  const { sharedUploads: table } = store;
  const dueFile = join(home, DUE_DERIVATIONS_FILE);
  if (table === null)
    return new HomeUploads({ ...options, dueFile, folder: join(home, 'uploads') });
  return new SharedUploads({ ...options, dueFile, table, lake, folder: join(home, 'loads') });
}
