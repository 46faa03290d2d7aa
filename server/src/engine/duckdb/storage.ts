/** Keeps parts as Parquet files in a local folder, one folder below it for each dataset. */
import { randomBytes } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { failureReason } from '../../base/failure-text.ts';
import { makeFolder } from '../../base/make-folder.ts';
import type { TryLock } from '../../base/process-lock.ts';
import type { Dataset } from '../../catalog/dataset.ts';
import type { PartStorage, StoredPart } from '../engine.ts';
import { DUCKDB_SETTINGS } from './settings.ts';
import { openStage } from './stage.ts';
import { sweepStages } from './stage-space.ts';
import { storedFiles } from './stored-files.ts';
import './failures.ts';

export interface DuckDBStorageOptions {
  /** Absolute path of the folder in which parts lie. */
  readonly directory: string;
  readonly tryLock: TryLock;
  /** Memory that a load may fill before it spills to disk; 768 by default. */
  readonly memoryLimitMegabytes?: number;
  /** Disk space that a load may take for rows that do not fit into memory; see the setting. */
  readonly stagingBytesMax?: number;
}

const MEMORY_MEGABYTES = 768;
const SAFE_NAME = /^[A-Za-z0-9_-]+$/;
const MISSING = new Set(['ENOENT', 'ENOTDIR']);

/** `daily/2026-11-18-3f2a9c0b1d4e.parquet`: a relative path. */
function newLocation({ textId }: Dataset, key: string): string {
  if (!SAFE_NAME.test(textId)) throw new Error(`${textId} names no folder`);
  return `${textId}/${key}-${randomBytes(6).toString('hex')}.parquet`;
}

async function findDamage(
  directory: string,
  { location, storedByteCount }: StoredPart,
): Promise<string | null> {
  const name = `the file ${basename(directory)}/${location}`;
  try {
    const { size } = await stat(join(directory, location));
    return size < storedByteCount ? `${name} is cut off` : null;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const reason = failureReason(error) ?? 'its folder cannot be read';
    return `${name} ${MISSING.has(code) ? 'is missing' : `cannot be read: ${reason}`}`;
  }
}

export function duckDBStorage(options: DuckDBStorageOptions): PartStorage {
  const { directory, tryLock, memoryLimitMegabytes = MEMORY_MEGABYTES } = options;
  const { stagingBytesMax = DUCKDB_SETTINGS.stagingBytesMax.default } = options;
  const stagingDirectory = join(directory, '.staging');
  const stages = { directory, stagingDirectory, tryLock, memoryLimitMegabytes, stagingBytesMax };
  makeFolder(directory, 0o700);
  return {
    newLocation,
    openWriter: (dataset, signal = new AbortController().signal) =>
      openStage(stages, dataset, signal),
    remove: async (locations) => {
      for (const location of locations) await rm(join(directory, location), { force: true });
    },
    findDamage: (part) => findDamage(directory, part),
    sweep: async () => sweepStages(stagingDirectory, tryLock),
    ...storedFiles(directory),
  };
}
