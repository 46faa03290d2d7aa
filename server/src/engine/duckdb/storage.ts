/** Keeps parts as Parquet files in a local folder, one folder below it for each dataset. */
import { randomBytes } from 'node:crypto';
import { open, rm, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { failureReason } from '../../base/failure-text.ts';
import { makeFolder } from '../../base/make-folder.ts';
import type { TryLock } from '../../base/process-lock.ts';
import type { Dataset } from '../../catalog/dataset.ts';
import type { PartStorage, StoredPart } from '../engine.ts';
import { filesOfPart, identifierFolder } from './identifier-files.ts';
import { openPartRows } from './part-rows.ts';
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

const MAGIC = 'PAR1';

/** Whether a Parquet file ends as one does. */
async function hasItsEnd(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const end = Buffer.alloc(MAGIC.length);
    await handle.read(end, 0, end.length, Math.max(0, size - end.length));
    return end.toString('latin1') === MAGIC;
  } finally {
    await handle.close();
  }
}

async function findDamage(
  directory: string,
  { location, storedByteCount }: StoredPart,
): Promise<string | null> {
  const name = `the file ${basename(directory)}/${location}`;
  try {
    const file = join(directory, location);
    const { size } = await stat(file);
    if (size >= storedByteCount) return null;
    const [, ...ordered] = await filesOfPart(file);
    const sizes = await Promise.all(ordered.map(async (each) => (await stat(each)).size));
    if (sizes.reduce((sum, each) => sum + each, size) >= storedByteCount) return null;
    return (await hasItsEnd(file))
      ? `the files by identifier of ${name} are cut off or missing`
      : `${name} is cut off`;
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
      for (const location of locations) {
        const file = join(directory, location);
        await rm(file, { force: true });
        await rm(identifierFolder(file), { recursive: true, force: true });
      }
    },
    openRowsReader: () => openPartRows(stages, availableParallelism()),
    findDamage: (part) => findDamage(directory, part),
    sweep: async () => sweepStages(stagingDirectory, tryLock),
    ...storedFiles(directory),
  };
}
