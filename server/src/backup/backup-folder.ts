/**
 * A folder of backups. Parts lie in it as in a home and are shared by all snapshots; each snapshot
 * has a folder with all other files of the home, and is one only from the moment when that folder
 * has its name.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import * as v from 'valibot';
import { atEnd } from '../base/at-end.ts';
import { UsageError } from '../base/errors.ts';
import { failureText } from '../base/failure-text.ts';
import { LAKE_INDEX_FILE } from '../base/home-layout.ts';
import { ifThere } from '../base/if-there.ts';
import { makeFolder } from '../base/make-folder.ts';
import type { ProcessLock, TryLock } from '../base/process-lock.ts';
import { synchronizeFolder, writeWholeFile } from '../base/write-whole-file.ts';
import type { PartStorage } from '../engine/engine.ts';
import type { LakeIndexCopy } from '../store/kept-parts.ts';
import type { LakeIndex } from '../store/lake-index.ts';

/** One more when this release could not restore it any longer, or earlier ones could not. */
export const BACKUP_FORMAT = 1;

/** Files that are not parts lie in it as in a home. */
export const HOME_FILES = 'home';
const MANIFEST = 'manifest.json';

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
/** Never leads out of the folder that it is in. */
const safePath = v.pipe(
  v.string(),
  v.regex(/^[^/\\]+(\/[^/\\]+)*$/),
  v.check((path) => !path.split('/').some((step) => step === '.' || step === '..')),
);

const MANIFEST_SCHEMA = v.object({
  format: v.literal(BACKUP_FORMAT),
  snapshot: v.string(),
  taken_at: v.pipe(v.string(), v.isoTimestamp()),
  release: v.string(),
  /** The folder that it was taken of. */
  home: v.string(),
  parts: v.object({ count, stored_bytes: count }),
  files: v.array(
    v.object({
      path: safePath,
      bytes: count,
      sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
    }),
  ),
});

type Manifest = v.InferOutput<typeof MANIFEST_SCHEMA>;
export type CopiedFile = Manifest['files'][number];

export function writeManifest(folder: string, manifest: Manifest): void {
  writeWholeFile(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 1)}\n`, 0o600);
}

function parsedManifest(text: string): Manifest | null {
  try {
    const { success, output } = v.safeParse(MANIFEST_SCHEMA, JSON.parse(text));
    return success ? output : null;
  } catch {
    return null;
  }
}

/** Throws a `UsageError` where it is missing, damaged or of another format. */
function readManifest(folder: string): Manifest {
  const path = join(folder, MANIFEST);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(failureText(error));
  }
  const manifest = parsedManifest(text);
  if (manifest) return manifest;
  throw new UsageError(`${path} is damaged, or was written by another release`);
}

const MARK = 'ticklake-backup.json';
const LOCK = 'backup.lock';
const SNAPSHOTS = 'snapshots';
/** Left by a process that died before there was a mark. */
const isBeforeMark = (name: string) => name === LOCK || name.startsWith(`${MARK}.`);
const SNAPSHOT_NAME = /^\d{8}T\d{6}Z(-\d+)?$/;
/** Folders that are no snapshots yet, or no longer. */
const HIDDEN = /^\./;

/** How what lies in a backup is opened. */
export interface BackupTools {
  readonly openStorage: (home: string) => PartStorage;
  readonly openIndexCopy: (path: string) => LakeIndexCopy;
  /** The index of a home that may not be whole yet. */
  readonly openIndex: (home: string) => LakeIndex;
  readonly tryLock: TryLock;
}

/** The path without links, also where only a part of it exists. */
function realPath(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  return dirname(path) === path
    ? path
    : join(realPath(dirname(path)), path.slice(dirname(path).length));
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && resolve(way) !== way);
}

/** A backup that lies in its home is lost with it. */
export function requireApart(path: string, home: string): void {
  const [folder, kept] = [realPath(path), realPath(resolve(home))];
  if (!isInside(folder, kept) && !isInside(kept, folder)) return;
  throw new UsageError(`${path} and the home ${home} must not be inside each other`);
}

function namesIn(path: string): string[] {
  return ifThere(() => readdirSync(path)) ?? [];
}

export class BackupFolder {
  /** Absolute. */
  readonly path: string;
  readonly #tools: BackupTools;

  private constructor(path: string, tools: BackupTools) {
    this.path = path;
    this.#tools = tools;
  }

  /** Throws a `UsageError` where no backup was made to a folder. */
  static find(given: string, tools: BackupTools): BackupFolder {
    const path = resolve(given);
    if (!existsSync(join(path, MARK))) throw new UsageError(`${path} holds no backups`);
    return new BackupFolder(path, tools);
  }

  /**
   * Makes the folder if need be, and removes what processes left there that died. Throws a
   * `UsageError` where it holds something else, or lies in the home or around it. `lock` is to be
   * released.
   */
  static prepare(
    given: string,
    home: string,
    tools: BackupTools,
  ): { readonly folder: BackupFolder; readonly lock: ProcessLock } {
    const path = resolve(given);
    requireApart(path, home);
    const others = namesIn(path).filter((name) => !isBeforeMark(name));
    if (others.length > 0 && !others.includes(MARK)) {
      throw new UsageError(
        `${path} holds something other than backups; name a new or empty folder`,
      );
    }
    makeFolder(path, 0o700);
    const folder = new BackupFolder(path, tools);
    const lock = folder.lock();
    if (!existsSync(join(path, MARK))) {
      writeWholeFile(join(path, MARK), `${JSON.stringify({ format: BACKUP_FORMAT })}\n`, 0o600);
    }
    makeFolder(join(path, SNAPSHOTS), 0o700);
    folder.#clear();
    return { folder, lock };
  }

  /** Throws a `UsageError` while another process has it. */
  lock(): ProcessLock {
    const lock = this.#tools.tryLock(join(this.path, LOCK));
    if (lock) return lock;
    throw new UsageError(`another process is using ${this.path}; try again when it has ended`);
  }

  /**
   * Keeps others from removing snapshots that are read; a folder that cannot be written needs no
   * lock.
   */
  lockForReading(): ProcessLock {
    try {
      return this.lock();
    } catch (error) {
      if (error instanceof UsageError) throw error;
      return { release: () => undefined };
    }
  }

  get storage(): PartStorage {
    return this.#tools.openStorage(this.path);
  }

  /** The names of all snapshots, the earliest first. */
  snapshots(): string[] {
    const names = namesIn(join(this.path, SNAPSHOTS));
    return names.filter((name) => SNAPSHOT_NAME.test(name)).sort(bySerial);
  }

  /** The snapshot of a name, by default the last one. Throws a `UsageError` where there is none. */
  snapshotOf(name: string | undefined): string {
    const names = this.snapshots();
    const found = name === undefined ? names.at(-1) : names.find((each) => each === name);
    if (found !== undefined) return found;
    if (names.length === 0)
      throw new UsageError(`${this.path} holds no snapshot that was finished`);
    throw new UsageError(
      `there is no snapshot ${name} in ${this.path}; ticklake backup list shows them all`,
    );
  }

  manifestOf(snapshot: string): Manifest {
    return readManifest(this.folderOf(snapshot));
  }

  /** The folder of a snapshot's files other than parts. */
  filesOf(snapshot: string): string {
    return join(this.folderOf(snapshot), HOME_FILES);
  }

  openIndex(snapshot: string): LakeIndexCopy {
    return this.#tools.openIndexCopy(join(this.filesOf(snapshot), LAKE_INDEX_FILE));
  }

  /** Makes a folder that is to become a snapshot; resolves to its name. */
  begin(takenAt: string): { readonly snapshot: string; readonly draft: string } {
    const known = new Set(this.snapshots());
    // `20261122T171430Z`: their order is that of time.
    const name = takenAt.replaceAll(/[-:]/g, '');
    let snapshot = name;
    for (let serial = 2; known.has(snapshot); serial++) snapshot = `${name}-${serial}`;
    const draft = `.new-${snapshot}`;
    mkdirSync(join(this.folderOf(draft), HOME_FILES), { recursive: true, mode: 0o700 });
    return { snapshot, draft };
  }

  /** Makes a draft, whose files are on disk, the snapshot. */
  finish(draft: string, snapshot: string): void {
    synchronizeFolder(this.folderOf(draft));
    renameSync(this.folderOf(draft), this.folderOf(snapshot));
    synchronizeFolder(join(this.path, SNAPSHOTS));
  }

  /** Removes a snapshot, but not the parts that only it names. */
  remove(snapshot: string): void {
    const old = this.folderOf(`.old-${snapshot}`);
    renameSync(this.folderOf(snapshot), old);
    synchronizeFolder(join(this.path, SNAPSHOTS));
    rmSync(old, { recursive: true, force: true });
  }

  folderOf(name: string): string {
    return join(this.path, SNAPSHOTS, name);
  }

  #clear(): void {
    const folder = join(this.path, SNAPSHOTS);
    for (const name of namesIn(folder).filter((each) => HIDDEN.test(each))) {
      rmSync(join(folder, name), { recursive: true, force: true });
    }
  }
}

/** Snapshots of the same second are numbered from 2 on. */
function bySerial(a: string, b: string): number {
  const [[timeA = '', serialA = 1], [timeB = '', serialB = 1]] = [a.split('-'), b.split('-')];
  if (timeA !== timeB) return timeA < timeB ? -1 : 1;
  return Number(serialA) - Number(serialB);
}

/** Does something with a copy of an index, and closes it. */
export async function openedIndex<T>(
  index: LakeIndexCopy,
  use: (index: LakeIndexCopy) => Promise<T>,
): Promise<T> {
  await using _index = atEnd(() => index.close());
  return await use(index);
}
