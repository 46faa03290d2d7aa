/**
 * The folder of one dataset in a mirror. Each version is a folder of its own, of files that are
 * hard links where versions share them, with a note that describes it; `current` leads to the
 * newest. Switching `current` is one step, so readers meet one version or the other, and a process
 * that dies leaves the old one.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { copyFile, link, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { UsageError } from '../base/errors.ts';
import { pathFailure } from '../base/failure-text.ts';
import { ifThere } from '../base/if-there.ts';
import { synchronizeFolder, writeWholeFile } from '../base/write-whole-file.ts';

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
/** No more than a name, on any system. */
const fileName = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]*$/));

/** The `manifest.json` of a mirrored version; names are those of the HTTP interface. */
const NOTE = v.object({
  dataset_id: v.string(),
  dataset_name: v.string(),
  dataset_version: v.nullable(count),
  server: v.string(),
  filters: v.record(v.string(), v.unknown()),
  columns: v.nullable(v.array(v.string())),
  row_count: count,
  byte_count: count,
  /** Natural order: one after the other they are all rows. */
  files: v.array(
    v.object({
      name: fileName,
      row_count: count,
      byte_count: count,
      sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
      first_partition: v.string(),
      last_partition: v.string(),
    }),
  ),
});

export type MirrorNote = v.InferOutput<typeof NOTE>;
export type MirroredFile = MirrorNote['files'][number];

const NOTE_FILE = 'manifest.json';
const CURRENT = 'current';
/** Folder of files that have arrived for the next version, named by digest. */
const ARRIVED = '.arrived';
const NEXT = '.next';
const VERSION_FOLDER = /^v\d+(-\d+)?$/;

/** The fault of a file by its size; null if there is none. */
function fileFault(folder: string, { name, byte_count: byteCount }: MirroredFile): string | null {
  const found = statSync(join(folder, name), { throwIfNoEntry: false });
  if (!found?.isFile()) return 'is missing';
  return found.size === byteCount ? null : `has ${found.size} bytes, not ${byteCount}`;
}

/** A second path to a file; where the file system has no such links, a second file. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch {
    await copyFile(from, to);
  }
}

export class MirrorFolder {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
    mkdirSync(path, { recursive: true });
  }

  /** The current version's note; null before the first version. */
  current(): MirrorNote | null {
    return ifThere(() => JSON.parse(readFileSync(join(this.#path, CURRENT, NOTE_FILE), 'utf8')));
  }

  /** Path of a file of the current version; null if it is missing or cut off. */
  heldPath(file: MirroredFile): string | null {
    const folder = join(this.#path, CURRENT);
    return fileFault(folder, file) === null ? join(folder, file.name) : null;
  }

  /** Path for a file that arrives. It stands there only when its digest is right. */
  arrivalPath(sha256: string): string {
    mkdirSync(join(this.#path, ARRIVED), { recursive: true });
    return join(this.#path, ARRIVED, `${sha256}.parquet`);
  }

  /** Makes a version of files at their paths, and makes it the current one. */
  async publish(note: MirrorNote, pathOf: (file: MirroredFile) => string): Promise<void> {
    const next = join(this.#path, NEXT);
    rmSync(next, { recursive: true, force: true });
    await mkdir(next);
    for (const file of note.files) await linkOrCopy(pathOf(file), join(next, file.name));
    writeWholeFile(join(next, NOTE_FILE), `${JSON.stringify(note, null, 1)}\n`);
    const folders = readdirSync(this.#path).filter((name) => VERSION_FOLDER.test(name));
    const target = statSync(join(this.#path, CURRENT), { throwIfNoEntry: false })?.ino;
    const before = folders.find((name) => statSync(join(this.#path, name)).ino === target) ?? null;
    const name = this.#newName(note, before);
    renameSync(next, join(this.#path, name));
    const link = join(this.#path, `.${CURRENT}`);
    rmSync(link, { force: true });
    symlinkSync(name, link, 'junction');
    renameSync(link, join(this.#path, CURRENT));
    synchronizeFolder(this.#path);
    this.#clear([name, ...(before === null ? [] : [before])]);
  }

  /** The rules of the account may give a version other files than before. */
  #newName({ dataset_version: version }: MirrorNote, before: string | null): string {
    const plain = `v${version ?? 0}`;
    const name = before === plain ? `${plain}-2` : plain;
    rmSync(join(this.#path, name), { recursive: true, force: true });
    return name;
  }

  /** The version before stays for those who read it at this moment. */
  #clear(kept: readonly string[]): void {
    for (const name of readdirSync(this.#path)) {
      const isOld = VERSION_FOLDER.test(name) && !kept.includes(name);
      if (isOld || name === ARRIVED) rmSync(join(this.#path, name), { recursive: true });
    }
  }
}

/** The version of a dataset that a mirror has. */
export interface MirroredVersion {
  /** Folder of its files, even if `current` leads elsewhere meanwhile. */
  readonly path: string;
  readonly note: MirrorNote;
  /** Digest of all files in natural order: equal for the same rows in the same files. */
  readonly sha256: string;
}

function readNote(path: string): MirrorNote {
  const file = join(path, NOTE_FILE);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw pathFailure(file, error);
  }
  try {
    return v.parse(NOTE, JSON.parse(text));
  } catch {
    throw new UsageError(`${file} is not the manifest of a mirror`);
  }
}

function readVersion(folder: string): MirroredVersion {
  const path = realpathSync.native(join(folder, CURRENT));
  const note = readNote(path);
  // Missing and truncated files are found here; loading finds altered ones.
  for (const file of note.files) {
    const fault = fileFault(path, file);
    if (fault === null) continue;
    throw new UsageError(`${join(path, file.name)} ${fault}; ticklake mirror fetches it again`);
  }
  const digests = note.files.map(({ sha256 }) => `${sha256}\n`).join('');
  return { path, note, sha256: createHash('sha256').update(digests).digest('hex') };
}

function foldersIn(directory: string): string[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(directory, name))
      .sort();
  } catch (error) {
    throw pathFailure(directory, error);
  }
}

/**
 * The datasets of a mirror, by the names of their folders. Throws a `UsageError` where one is not
 * whole.
 */
export function readMirror(directory: string): MirroredVersion[] {
  const folders = foldersIn(directory);
  const whole = folders.filter((folder) => existsSync(join(folder, CURRENT)));
  const unfinished = folders.find(
    (folder) => !whole.includes(folder) && existsSync(join(folder, ARRIVED)),
  );
  if (unfinished !== undefined) {
    throw new UsageError(`${unfinished} is not whole yet; run ticklake mirror to its end`);
  }
  if (whole.length === 0) {
    throw new UsageError(
      `${directory} is not a mirror: no folder in it has ${CURRENT}/${NOTE_FILE}`,
    );
  }
  return whole.map(readVersion);
}
