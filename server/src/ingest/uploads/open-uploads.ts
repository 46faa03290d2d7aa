/** Uploads in a home. */
import { join } from 'node:path';
import { DUE_DERIVATIONS_FILE } from '../../base/home-layout.ts';
import { HomeUploads } from './home-uploads.ts';
import type { Uploads, UploadsOptions } from './uploads.ts';

export interface OpenUploadsOptions
  extends Omit<UploadsOptions, 'folder' | 'dueFile' | 'isOneOfSeveral'> {
  readonly home: string;
  /** The address of a store that servers share; null: they share none. */
  readonly store: object | null;
}

export function openUploads({ home, store, ...options }: OpenUploadsOptions): Uploads {
  const places = { folder: join(home, 'uploads'), dueFile: join(home, DUE_DERIVATIONS_FILE) };
  return new HomeUploads({ ...options, ...places, isOneOfSeveral: store !== null });
}
