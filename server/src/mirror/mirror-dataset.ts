/**
 * Brings the mirror of a dataset up to date: only files that changed are fetched, each checked by
 * its digest.
 */
import { existsSync } from 'node:fs';
import type { Dataset, RemoteFile, Where } from '@ticklake/client';
import { digestOfFile } from '../base/file-digest.ts';
import { ArrivalQueue, Semaphore } from '../base/semaphore.ts';
import { type MirroredFile, MirrorFolder, type MirrorNote } from './mirror-folder.ts';

const FETCHES_MAX = 4;

export interface MirrorOptions {
  readonly dataset: Dataset;
  /** Text id, for the note. */
  readonly name: string;
  readonly server: string;
  readonly path: string;
  readonly where: Where;
  readonly columns: readonly string[] | undefined;
  /** Read files that are there again, and fetch those anew that differ from their digests. */
  readonly verifies: boolean;
  readonly signal: AbortSignal;
  /** Bytes that are there of those that are fetched. */
  readonly onProgress: (doneBytes: number, allBytes: number) => void;
}

export interface MirrorReport {
  readonly datasetId: string;
  readonly datasetVersion: number | null;
  readonly previousVersion: number | null;
  readonly isChanged: boolean;
  readonly rowCount: number;
  readonly fileCount: number;
  readonly fetchedFileCount: number;
  readonly fetchedByteCount: number;
}

/** As they are noted; files of the same name get a number, for partitions of several parts. */
function entriesOf(files: readonly RemoteFile[]): MirroredFile[] {
  const counts = new Map<string, number>();
  return files.map((file) => {
    const count = (counts.get(file.name) ?? 0) + 1;
    counts.set(file.name, count);
    return {
      name: count === 1 ? file.name : file.name.replace(/(?=\.[^.]*$)/, `-${count}`),
      row_count: file.rowCount,
      byte_count: file.byteCount,
      sha256: file.sha256,
      first_partition: file.firstPartition,
      last_partition: file.lastPartition,
    };
  });
}

/** The files of the current version that are whole, by their digests. */
async function heldFiles(
  folder: MirrorFolder,
  note: MirrorNote | null,
  verifies: boolean,
): Promise<Map<string, string>> {
  const held = new Map<string, string>();
  for (const file of note?.files ?? []) {
    const path = folder.heldPath(file);
    if (path === null) continue;
    if (verifies && (await digestOfFile(path)) !== file.sha256) continue;
    held.set(file.sha256, path);
  }
  return held;
}

/**
 * Fetches files side by side; those that have arrived before, in a run that was interrupted, are
 * there.
 */
async function fetchAll(
  folder: MirrorFolder,
  files: readonly RemoteFile[],
  onProgress: MirrorOptions['onProgress'],
  onFailure: (error: unknown) => void,
): Promise<void> {
  const turns = new Semaphore(FETCHES_MAX, new ArrivalQueue());
  const allBytes = files.reduce((sum, { byteCount }) => sum + byteCount, 0);
  const done = new Map<string, number>();
  const tell = (sha256: string, byteCount: number) => {
    done.set(sha256, byteCount);
    onProgress(
      [...done.values()].reduce((sum, each) => sum + each, 0),
      allBytes,
    );
  };
  const fetches = files.map((file) =>
    turns.run(undefined, async () => {
      const path = folder.arrivalPath(file.sha256);
      if (existsSync(path)) return tell(file.sha256, file.byteCount);
      await file.download(path, { onProgress: (byteCount) => tell(file.sha256, byteCount) });
    }),
  );
  for (const fetch of fetches) fetch.catch(onFailure);
  // None may write any more when the first failure is told.
  await Promise.allSettled(fetches);
  await Promise.all(fetches);
}

/** Each digest once. */
function distinct(files: readonly RemoteFile[]): RemoteFile[] {
  return [...new Map(files.map((file) => [file.sha256, file])).values()];
}

/** Resolves when the mirror is the version that the manifest names. */
export async function mirrorDataset(options: MirrorOptions): Promise<MirrorReport> {
  const { dataset, where, columns, verifies } = options;
  const failing = new AbortController();
  const signal = AbortSignal.any([options.signal, failing.signal]);
  const folder = new MirrorFolder(options.path);
  const before = folder.current();
  const set = await dataset.read({ where, columns, signal }).files();
  const note: MirrorNote = {
    dataset_id: set.datasetId,
    dataset_name: options.name,
    dataset_version: set.version,
    server: options.server,
    filters: options.where,
    columns: options.columns ? [...options.columns] : null,
    row_count: set.rowCount,
    byte_count: set.byteCount,
    files: entriesOf(set.files),
  };
  const held = await heldFiles(folder, before, verifies);
  const missing = distinct(set.files).filter(({ sha256 }) => !held.has(sha256));
  const isChanged = missing.length > 0 || JSON.stringify(before) !== JSON.stringify(note);
  if (isChanged) {
    await fetchAll(folder, missing, options.onProgress, (error) => failing.abort(error));
    await folder.publish(note, ({ sha256 }) => held.get(sha256) ?? folder.arrivalPath(sha256));
  }
  return {
    datasetId: set.datasetId,
    datasetVersion: set.version,
    previousVersion: before?.dataset_version ?? null,
    isChanged,
    rowCount: set.rowCount,
    fileCount: set.files.length,
    fetchedFileCount: missing.length,
    fetchedByteCount: missing.reduce((sum, { byteCount }) => sum + byteCount, 0),
  };
}
