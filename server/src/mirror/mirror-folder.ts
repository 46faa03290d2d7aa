/**
 * The folder of one dataset in a mirror. Each version is a folder of its own, of files that are hard links where
 * versions share them, with a note of what it is; `current` leads to the newest. It changes in one step, so readers
 * meet one version or the other, and a process that dies leaves the one that was there.
 */
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { copyFile, link, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { synchronizeFolder, writeWholeFile } from '../base/write-whole-file.ts';

/** What a version in a mirror is, as its `manifest.json` says; names are those of the HTTP interface. */
export interface MirrorNote {
  readonly dataset_id: string;
  readonly dataset_name: string;
  readonly dataset_version: number | null;
  readonly server: string;
  readonly filters: Readonly<Record<string, unknown>>;
  readonly columns: readonly string[] | null;
  readonly row_count: number;
  readonly byte_count: number;
  /** Natural order: one after the other they are all rows. */
  readonly files: readonly MirroredFile[];
}

export interface MirroredFile {
  readonly name: string;
  readonly row_count: number;
  readonly byte_count: number;
  readonly sha256: string;
  readonly first_partition: string;
  readonly last_partition: string;
}

export const NOTE_FILE = 'manifest.json';
export const CURRENT = 'current';
/** What has arrived of the version to come, by digests. */
export const ARRIVED = '.arrived';
const NEXT = '.next';
const VERSION_FOLDER = /^v\d+(-\d+)?$/;

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

  /** What is there; null before the first version. */
  current(): MirrorNote | null {
    try {
      return JSON.parse(readFileSync(join(this.#path, CURRENT, NOTE_FILE), 'utf8')) as MirrorNote;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  /** Where a file of the current version lies; null where it is missing or of another length. */
  heldPath({ name, byte_count: byteCount }: MirroredFile): string | null {
    const path = join(this.#path, CURRENT, name);
    const found = statSync(path, { throwIfNoEntry: false });
    return found?.size === byteCount ? path : null;
  }

  /** Where a file goes that arrives. It stands there only when its digest is right. */
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
    const before = this.#currentName();
    const name = this.#newName(note, before);
    renameSync(next, join(this.#path, name));
    this.#lead(name);
    this.#clear([name, ...(before === null ? [] : [before])]);
  }

  #currentName(): string | null {
    const folders = readdirSync(this.#path).filter((name) => VERSION_FOLDER.test(name));
    const target = statSync(join(this.#path, CURRENT), { throwIfNoEntry: false })?.ino;
    return folders.find((name) => statSync(join(this.#path, name)).ino === target) ?? null;
  }

  /** The rules of the account may give a version other files than before. */
  #newName({ dataset_version: version }: MirrorNote, before: string | null): string {
    const plain = `v${version ?? 0}`;
    const name = before === plain ? `${plain}-2` : plain;
    rmSync(join(this.#path, name), { recursive: true, force: true });
    return name;
  }

  #lead(name: string): void {
    const link = join(this.#path, `.${CURRENT}`);
    rmSync(link, { force: true });
    symlinkSync(name, link, 'junction');
    renameSync(link, join(this.#path, CURRENT));
    synchronizeFolder(this.#path);
  }

  /** The version before stays for those who read it at this moment. */
  #clear(kept: readonly string[]): void {
    for (const name of readdirSync(this.#path)) {
      const isOld = VERSION_FOLDER.test(name) && !kept.includes(name);
      if (isOld || name === ARRIVED) rmSync(join(this.#path, name), { recursive: true });
    }
  }
}
