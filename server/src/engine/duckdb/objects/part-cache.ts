/**
 * Parts of a lake in object storage that are also on the node's disk: those it has published, and
 * those that are read again and again. A part never changes, so none is ever stale. One that this
 * process did not write itself counts only once its digest was found right. Without any of them
 * reading takes longer, no more.
 */

import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { atEnd } from '../../../base/at-end.ts';
import { digestOfFiles } from '../../../base/file-digest.ts';
import { makeFolder } from '../../../base/make-folder.ts';
import { openProcessFolder } from '../../../base/process-lock.ts';
import type { Part } from '../../part.ts';
import { LOCAL_FILES } from '../folder-files.ts';
import {
  byteCountOf,
  type FileReading,
  filesOfPart,
  identifierFolder,
  movePart,
  type PartFiles,
  removePart,
} from '../part-files.ts';

/** Reads of a part that is not here after which it is fetched. */
const READS_BEFORE_FETCH = 2;
const COUNTED_PARTS_MAX = 10_000;
/** Plans of more parts look for no others than those that are known to be here. */
const LOOKED_FOR_MAX = 64;
/** Parts that wait to be fetched or checked; others have to be read again first. */
const WAITING_MAX = 64;
/** One part may not push out all others. */
const SHARE_OF_ONE_MAX = 0.25;

type CachedPart = Pick<Part, 'location' | 'digest' | 'byteCount'>;

interface Entry {
  readonly byteCount: number;
  isChecked: boolean;
  holderCount: number;
  isDropped: boolean;
}

/** The parts of a plan that are here, until they are released. */
export interface HeldParts {
  readonly root: string;
  readonly locations: ReadonlySet<string>;
  release(): void;
}

export class PartCache {
  readonly #root: string;
  readonly #bytesMax: number;
  readonly #files: PartFiles;
  readonly #entries: LRUCache<string, Entry>;
  readonly #readCounts = new LRUCache<string, number>({ max: COUNTED_PARTS_MAX });
  readonly #waiting = new Map<string, CachedPart>();
  #incoming: string | null = null;
  #isOpen = false;
  #work: Promise<void> = Promise.resolve();
  #isClosed = false;

  /** `root` is an absolute path; `files` are those in object storage. */
  constructor(root: string, bytesMax: number, files: PartFiles) {
    this.#root = root;
    this.#bytesMax = bytesMax;
    this.#files = files;
    this.#entries = new LRUCache<string, Entry>({
      maxSize: bytesMax,
      sizeCalculation: ({ byteCount }) => Math.max(1, byteCount),
      dispose: (entry, location, reason) => {
        entry.isDropped = true;
        this.#readCounts.delete(location);
        if (reason !== 'set' && entry.holderCount === 0) removePart(join(this.#root, location));
      },
    });
  }

  /**
   * From now on this process, which reads, decides what goes. Others put in parts only while there
   * is room.
   */
  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    for (const location of locationsIn(this.#root)) this.#find(location);
  }

  /** Holds the parts that are here, and has those fetched that are read often. */
  hold(parts: readonly CachedPart[]): HeldParts {
    const locations = new Set<string>();
    const held: [string, Entry][] = [];
    for (const part of parts) {
      const { location } = part;
      const entry = this.#usable(part, parts.length <= LOOKED_FOR_MAX);
      if (!entry || locations.has(location)) continue;
      entry.holderCount++;
      held.push([location, entry]);
      locations.add(location);
    }
    const release = () => {
      for (const [location, entry] of held.splice(0)) {
        entry.holderCount--;
        this.#removeUnheld(location, entry);
      }
    };
    return { root: this.#root, locations, release };
  }

  /**
   * The path at which a file of a part is here; null: it is not. `file` begins with the root of the
   * lake.
   */
  pathOf(file: string): string | null {
    const name = file.slice(this.#files.root.length + 1);
    const location = name.replace(/\.by-identifier\/\d+$/, '.parquet');
    if (!this.#entries.get(location)?.isChecked) return null;
    const path = join(this.#root, name);
    return existsSync(path) ? path : null;
  }

  /**
   * Takes over the files of a part that this process has just put into the lake, where there is
   * room.
   */
  async take(written: string, location: string): Promise<void> {
    const byteCount = byteCountOf(await filesOfPart(written));
    if (!this.#fits(byteCount)) return;
    await this.#move(written, location);
    if (this.#isOpen) this.#add(location, byteCount, true);
  }

  drop(location: string): void {
    if (!this.#entries.delete(location)) removePart(join(this.#root, location));
  }

  /** Resolves when nothing is under way any more. */
  async settled(): Promise<void> {
    await this.#work;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#waiting.clear();
    await this.#work;
    if (this.#incoming !== null) rmSync(this.#incoming, { recursive: true, force: true });
  }

  #usable(part: CachedPart, looksForMore: boolean): Entry | null {
    const { location } = part;
    const entry = this.#entries.get(location) ?? (looksForMore ? this.#find(location) : null);
    if (!entry) {
      if (looksForMore) this.#countRead(part);
      return null;
    }
    if (entry.isChecked && existsSync(join(this.#root, location))) return entry;
    if (entry.isChecked) this.#entries.delete(location);
    else this.#enqueue(part);
    return null;
  }

  #countRead(part: CachedPart): void {
    const count = (this.#readCounts.get(part.location) ?? 0) + 1;
    this.#readCounts.set(part.location, count);
    if (count >= READS_BEFORE_FETCH && this.#fits(part.byteCount)) this.#enqueue(part);
  }

  #fits(byteCount: number): boolean {
    if (byteCount > this.#bytesMax * SHARE_OF_ONE_MAX) return false;
    if (this.#isOpen) return true;
    const all = [...locationsIn(this.#root)].map((location) => join(this.#root, location));
    const heldBytes = all.reduce((sum, file) => sum + partByteCount(file), 0);
    return heldBytes + byteCount <= this.#bytesMax;
  }

  #find(location: string): Entry | null {
    const file = join(this.#root, location);
    const byteCount = partByteCount(file);
    if (byteCount === 0) return null;
    if (byteCount <= this.#bytesMax) return this.#add(location, byteCount, false);
    removePart(file);
    return null;
  }

  #add(location: string, byteCount: number, isChecked: boolean): Entry {
    const entry = { byteCount, isChecked, holderCount: 0, isDropped: false };
    this.#entries.set(location, entry);
    return entry;
  }

  #enqueue(part: CachedPart): void {
    if (this.#isClosed || this.#waiting.has(part.location)) return;
    if (this.#waiting.size >= WAITING_MAX) return;
    this.#waiting.set(part.location, part);
    // A failure is retried when the part is read again.
    this.#work = this.#work
      .then(() => this.#bring(part))
      .catch(() => undefined)
      .finally(() => this.#waiting.delete(part.location));
  }

  async #bring(part: CachedPart): Promise<void> {
    if (this.#isClosed) return;
    const entry = this.#entries.get(part.location);
    if (!entry) return await this.#fetch(part);
    if ((await digestOfPart(join(this.#root, part.location))) === part.digest) {
      entry.isChecked = true;
    } else this.#entries.delete(part.location);
  }

  async #fetch({ location, digest }: CachedPart): Promise<void> {
    this.#incoming ??= openProcessFolder(this.#root, 'incoming');
    const file = join(this.#incoming, basename(location));
    using _file = atEnd(() => removePart(file));
    // Somebody may have emptied the whole folder.
    await mkdir(dirname(file), { recursive: true });
    const [own, ...ordered] = await this.#files.filesOf(`${this.#files.root}/${location}`);
    if (ordered.length > 0) await mkdir(identifierFolder(file));
    for (const name of ordered) {
      await this.#files.copy(name, join(identifierFolder(file), basename(name)));
    }
    await this.#files.copy(own as string, file);
    if (this.#isClosed || (await digestOfPart(file)) !== digest) return;
    const byteCount = byteCountOf(await filesOfPart(file));
    await this.#move(file, location);
    this.#add(location, byteCount, true);
  }

  async #move(source: string, location: string): Promise<void> {
    const target = join(this.#root, location);
    makeFolder(dirname(target), 0o700);
    removePart(target);
    await movePart(source, target);
  }

  /** After it was dropped, unless it has come back meanwhile. */
  #removeUnheld(location: string, { isDropped, holderCount }: Entry): void {
    if (isDropped && holderCount === 0 && !this.#entries.has(location)) {
      removePart(join(this.#root, location));
    }
  }
}

/** Bytes of a part's file and its folder; 0 if there is no such file. */
function partByteCount(file: string): number {
  const own = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const folder = identifierFolder(file);
  if (own === 0 || !existsSync(folder)) return own;
  return own + byteCountOf(readdirSync(folder).map((name) => join(folder, name)));
}

async function digestOfPart(file: string): Promise<string> {
  return await digestOfFiles(await filesOfPart(file));
}

/** Locations of the parts in the cache, the longest unused first, by their files' times. */
function locationsIn(root: string): string[] {
  makeFolder(root, 0o700);
  const folders = readdirSync(root, { withFileTypes: true }).filter((each) => each.isDirectory());
  const found = folders.flatMap(({ name: folder }) => {
    const names = readdirSync(join(root, folder)).filter((name) => name.endsWith('.parquet'));
    return folder.startsWith('incoming-') ? [] : names.map((name) => `${folder}/${name}`);
  });
  const ageOf = (location: string) => statSync(join(root, location)).mtimeMs;
  return found.sort((a, b) => ageOf(a) - ageOf(b));
}

/**
 * Reads files from the disk if they are there, keeps on it what is put, and nothing of what is
 * removed. For what is sent and written, not for what is to be verified.
 */
export function cachedFiles(objects: PartFiles, cache: PartCache): PartFiles {
  const locationOf = (file: string) => file.slice(objects.root.length + 1);
  const through = async <T>(
    file: string,
    use: (place: FileReading, name: string) => Promise<T>,
  ): Promise<T> => {
    const path = cache.pathOf(file);
    try {
      if (path !== null) return await use(LOCAL_FILES, path);
    } catch {
      // The cache had to drop it meanwhile.
    }
    return await use(objects, file);
  };
  return {
    ...objects,
    size: (file) => through(file, (place, name) => place.size(name)),
    tail: (file, byteCount) => through(file, (place, name) => place.tail(name, byteCount)),
    read: (file, start, end) => through(file, (place, name) => place.read(name, start, end)),
    open: (file) => through(file, (place, name) => place.open(name)),
    put: async (written, file) => {
      await objects.put(written, file);
      // The lake has the file, even if copying it to the cache fails.
      await cache.take(written, locationOf(file)).catch(() => undefined);
    },
    remove: async (file) => {
      await objects.remove(file);
      cache.drop(locationOf(file));
    },
  };
}
