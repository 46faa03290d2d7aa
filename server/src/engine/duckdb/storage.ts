/** Keeps parts as Parquet files. */
import './failures.ts';
import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { basename, dirname, join, posix, relative } from 'node:path';
import { DEFAULT_DISK_LIMITS } from '../../base/budgets.ts';
import { systemClock } from '../../base/clock.ts';
import { failureReason } from '../../base/failure-text.ts';
import { copyAllWithDigest, digestOfFiles } from '../../base/file-digest.ts';
import { makeFolder } from '../../base/make-folder.ts';
import type { TryLock } from '../../base/process-lock.ts';
import { synchronizeFolder } from '../../base/write-whole-file.ts';
import type { Dataset } from '../../catalog/dataset.ts';
import {
  type DigestedPart,
  type PartStorage,
  type StoredPart,
  type StoredParts,
  UnreadablePartError,
} from '../engine.ts';
import { folderFiles, folderMark } from './folder-files.ts';
import { openStage, type StageOptions } from './loading/stage.ts';
import { StageEngines } from './loading/stage-engines.ts';
import { sweepStages } from './loading/stage-space.ts';
import { isAway } from './objects/object-failures.ts';
import type { ObjectLake } from './objects/object-lake.ts';
import { MAGIC } from './parquet/footer.ts';
import { identifierFolder, type PartFiles } from './part-files.ts';
import { openPartRows } from './part-rows.ts';

async function digestOf(files: PartFiles, file: string, signal?: AbortSignal): Promise<string> {
  return await digestOfFiles(await files.filesOf(file), signal, files);
}

async function copyTo(
  files: PartFiles,
  { location, digest }: DigestedPart,
  copies: string,
  signal?: AbortSignal,
): Promise<void> {
  const source = `${files.root}/${location}`;
  const target = join(copies, location);
  makeFolder(dirname(target), 0o700);
  synchronizeFolder(copies);
  const names = await files.filesOf(source);
  if (names.length > 1) makeFolder(identifierFolder(target), 0o700);
  const folder = posix.dirname(source);
  const toTarget = (name: string) => ({
    copy: (path: string) => files.copy(name, path),
    target: join(dirname(target), relative(folder, name)),
  });
  if (await copyAllWithDigest(names.map(toTarget), digest, signal)) return;
  const name = `the file ${shownName(files, location)}`;
  if ((await digestOf(files, source, signal)) !== digest) {
    throw new UnreadablePartError(`${name} is altered`, null);
  }
  throw new Error(`the copy of ${name} cannot be read back as it was written: check the disk`);
}

/** Uploads a part whose files lie in a folder. */
async function takeFrom(
  files: PartFiles,
  { location, digest }: DigestedPart,
  folder: string,
  signal?: AbortSignal,
): Promise<void> {
  const given = folderFiles(folder);
  if ((await digestOf(given, `${given.root}/${location}`, signal)) !== digest) {
    throw new UnreadablePartError(`the file ${shownName(given, location)} is altered`, null);
  }
  const target = `${files.root}/${location}`;
  await files.remove(target);
  await files.put(`${given.root}/${location}`, target);
  if ((await digestOf(files, target, signal)) === digest) return;
  throw new Error(`${shownName(files, location)} cannot be read back as it was written`);
}

/** A part's file, for the operator: the folder that it lies in has the same name in every home. */
function shownName({ root }: PartFiles, location: string): string {
  return `${root.includes('://') ? root : basename(root)}/${location}`;
}

/**
 * `folder`: the name of the folder in which parts lie in other homes. `takesParts`: parts can be
 * uploaded from there.
 */
function storedFiles(files: PartFiles, folder: string, takesParts: boolean): StoredParts {
  return {
    locations: () => files.locations(),
    digestOf: (location, signal) => digestOf(files, `${files.root}/${location}`, signal),
    copyTo: (part, home, signal) => copyTo(files, part, join(home, folder), signal),
    ...(takesParts && {
      takeFrom: (part, home, signal) => takeFrom(files, part, join(home, folder), signal),
    }),
  };
}

interface DuckDBStorageOptions {
  /**
   * Absolute path of the folder for what processes share, and for parts unless they lie in `lake`.
   */
  readonly directory: string;
  readonly lake?: ObjectLake | null;
  readonly tryLock: TryLock;
  /** Memory that a load may fill before it spills to disk; 768 by default. */
  readonly memoryLimitMegabytes?: number;
  /** Disk space that a load may take for rows that do not fit into memory. */
  readonly stagingBytesMax?: number;
}

const MEMORY_MEGABYTES = 768;
const SAFE_NAME = /^[A-Za-z0-9_-]+$/;
/** Each look at an object is a request that costs money. */
const OBJECTS_LOOK_MS = 3_600_000;
const MISSING = new Set(['ENOENT', 'ENOTDIR']);

/** `daily/2026-11-18-3f2a9c0b1d4e.parquet`: a relative path. */
function newLocation({ textId }: Dataset, key: string): string {
  if (!SAFE_NAME.test(textId)) throw new Error(`${textId} names no folder`);
  return `${textId}/${key}-${randomBytes(6).toString('hex')}.parquet`;
}

/** True if a file ends like a Parquet file. */
async function hasItsEnd(files: PartFiles, file: string): Promise<boolean> {
  return (await files.tail(file, MAGIC.length)).bytes.toString('latin1') === MAGIC;
}

async function findDamage(
  files: PartFiles,
  { location, storedByteCount }: StoredPart,
): Promise<string | null> {
  const name = `the file ${shownName(files, location)}`;
  try {
    const file = `${files.root}/${location}`;
    const size = await files.size(file);
    if (size >= storedByteCount) return null;
    const [, ...ordered] = await files.filesOf(file);
    const sizes = await Promise.all(ordered.map((each) => files.size(each)));
    if (sizes.reduce((sum, each) => sum + each, size) >= storedByteCount) return null;
    return (await hasItsEnd(files, file))
      ? `the files by identifier of ${name} are cut off or missing`
      : `${name} is cut off`;
  } catch (error) {
    // A part that cannot be reached may still be whole.
    if (isAway(error)) throw error;
    const { code = '' } = error as NodeJS.ErrnoException;
    const reason = failureReason(error) ?? 'its folder cannot be read';
    return `${name} ${MISSING.has(code) ? 'is missing' : `cannot be read: ${reason}`}`;
  }
}

/** Splits the memory among several stages. */
function shareOf(stages: StageOptions, stagesMax: number): StageOptions {
  const memoryLimitMegabytes = Math.floor(stages.memoryLimitMegabytes / stagesMax);
  return { ...stages, memoryLimitMegabytes };
}

export function duckDBStorage(options: DuckDBStorageOptions): PartStorage {
  const { directory, tryLock, memoryLimitMegabytes = MEMORY_MEGABYTES } = options;
  const { stagingBytesMax = DEFAULT_DISK_LIMITS.stagingBytesMax } = options;
  const stagingDirectory = join(directory, '.staging');
  const { lake = null } = options;
  const files = lake?.files ?? folderFiles(directory);
  const stored = lake?.objects ?? files;
  const engines = new StageEngines({ stagingDirectory, tryLock });
  const stages = { files, engines, memoryLimitMegabytes, stagingBytesMax };
  const access = lake ? () => lake.access() : undefined;
  makeFolder(directory, 0o700);
  return {
    ready: async () => {
      await lake?.claim();
    },
    ...(lake && { damageLookMs: OBJECTS_LOOK_MS }),
    mark: lake?.mark ?? folderMark(directory),
    newLocation,
    openWriter: (dataset, signal = new AbortController().signal, writersMax = 1) =>
      openStage(shareOf(stages, writersMax), dataset, signal),
    remove: async (locations) => {
      for (const location of locations) await files.remove(`${files.root}/${location}`);
    },
    openRowsReader: () =>
      openPartRows({ ...stages, stagingDirectory, tryLock, access }, availableParallelism()),
    findDamage: (part) => findDamage(stored, part),
    sweep: async () => {
      sweepStages(stagingDirectory, tryLock);
      await lake?.sweep(systemClock.now());
    },
    close: async () => engines.close(),
    ...storedFiles(stored, basename(directory), lake !== null),
  };
}
