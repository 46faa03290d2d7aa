/**
 * The files that bulk requests come to. A file is made when a manifest first names it, and kept
 * while there is room, so that those who ask for it again, under the same plan, get the same bytes
 * at once. One that had to go is made again when it is asked for. What consists of the lake's own
 * files takes no room.
 */

import { mkdirSync, readFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { LRUCache } from 'lru-cache';
import { atEnd } from '../base/at-end.ts';
import { BUFFER_LIMITS } from '../base/budgets.ts';
import { ApiError } from '../base/errors.ts';
import type { Spool } from '../base/spool.ts';
import { StoredBytes, type Stretch } from '../base/stored-bytes.ts';
import { writeWholeFile } from '../base/write-whole-file.ts';

/** A file, before anybody knows its digest. */
export interface MadeFile {
  readonly rowCount: number;
  readonly bytes: StoredBytes;
}

export interface DeliveredFile extends MadeFile {
  /** SHA-256 of its bytes, in hexadecimal. */
  readonly sha256: string;
}

/** A file that stays until it is released. */
export interface HeldFile extends DeliveredFile {
  release(): void;
}

export interface DeliveredFilesOptions {
  /** Bytes of files that were made; the lake's own do not count. */
  readonly bulkDiskBytesMax: number;
  /** Files that hold bodies made in memory. */
  readonly spool: Spool;
  readonly digests: KeptDigests;
}

interface Entry {
  readonly file: DeliveredFile;
  readonly diskBytes: number;
  /** About what it takes of memory. */
  readonly memoryBytes: number;
  holderCount: number;
  isDropped: boolean;
}

const ENTRIES_MAX = 20_000;
/** About what an entry takes beside its stretches, and each of these beside its bytes. */
const ENTRY_BYTES = 512;
const STRETCH_BYTES = 128;

export class DeliveredFiles {
  readonly #spool: Spool;
  readonly #entries: LRUCache<string, Entry>;
  readonly #making = new Map<string, Promise<Entry>>();
  /** Digests of files that consist of the lake's own, by where their bytes lie. */
  readonly #digests: KeptDigests;
  #diskBytes = 0;
  #memoryBytes = 0;

  constructor({ bulkDiskBytesMax, spool, digests }: DeliveredFilesOptions) {
    this.#spool = spool;
    this.#digests = digests;
    this.#entries = new LRUCache<string, Entry>({
      max: ENTRIES_MAX,
      // 0 would be no limit.
      maxSize: Math.max(1, bulkDiskBytesMax) + ENTRIES_MAX,
      sizeCalculation: ({ diskBytes }) => 1 + diskBytes,
      dispose: (entry) => {
        entry.isDropped = true;
        this.#memoryBytes -= entry.memoryBytes;
        this.#releaseUnheld(entry);
      },
    });
  }

  /** Bytes of the files that are kept, or still read, on disk. */
  get byteCount(): number {
    return this.#diskBytes;
  }

  /** The file of a fingerprint where it is kept; null: it has to be made. */
  find(fingerprint: string): HeldFile | null {
    const entry = this.#entries.get(fingerprint);
    return entry ? this.#held(entry) : null;
  }

  /** The file of a fingerprint, made if it is not kept; callers at the same time share one. */
  async get(
    fingerprint: string,
    make: (signal: AbortSignal) => Promise<MadeFile>,
    signal: AbortSignal,
  ): Promise<HeldFile> {
    for (;;) {
      const kept = this.find(fingerprint);
      if (kept) return kept;
      const underWay = this.#making.get(fingerprint);
      if (!underWay) return this.#held(await this.#make(fingerprint, make, signal));
      try {
        return this.#held(await underWay);
      } catch (error) {
        // Whoever was making it may have gone away, and only their turn have ended.
        signal.throwIfAborted();
        if (!isStopped(error)) throw error;
      }
    }
  }

  async #make(
    fingerprint: string,
    make: (signal: AbortSignal) => Promise<MadeFile>,
    signal: AbortSignal,
  ): Promise<Entry> {
    const making = this.#makeEntry(make, signal).then((entry) => {
      this.#diskBytes += entry.diskBytes;
      this.#entries.set(fingerprint, entry);
      // One that is larger than all the room there is serves those who wait for it.
      if (!this.#entries.has(fingerprint)) entry.isDropped = true;
      else this.#memoryBytes += entry.memoryBytes;
      while (this.#memoryBytes > BUFFER_LIMITS.files && this.#entries.size > 1) {
        this.#entries.pop();
      }
      return entry;
    });
    this.#making.set(fingerprint, making);
    using _making = atEnd(() => this.#making.delete(fingerprint));
    return await making;
  }

  async #makeEntry(
    make: (signal: AbortSignal) => Promise<MadeFile>,
    signal: AbortSignal,
  ): Promise<Entry> {
    const { rowCount, bytes: made } = await make(signal);
    try {
      const sha256 = await this.#digestOf(made, signal);
      const bytes = await onDisk(made, this.#spool);
      const diskBytes = made.isTemporary ? made.byteCount : inMemory(made);
      const file = { rowCount, bytes, sha256 };
      return {
        file,
        diskBytes,
        memoryBytes: ENTRY_BYTES + STRETCH_BYTES * bytes.stretches.length + inMemory(bytes),
        holderCount: 0,
        isDropped: false,
      };
    } catch (error) {
      made.release();
      throw error;
    }
  }

  async #digestOf(bytes: StoredBytes, signal: AbortSignal): Promise<string> {
    const compute = async () => (await bytes.digest('sha256', signal)).toString('hex');
    if (bytes.isTemporary) return await compute();
    const place = bytes.placeDigest();
    const known = this.#digests.get(place);
    if (known !== null) return known;
    const sha256 = await compute();
    await this.#digests.add(place, sha256);
    return sha256;
  }

  #held(entry: Entry): HeldFile {
    entry.holderCount++;
    let isHeld = true;
    const release = () => {
      if (!isHeld) return;
      isHeld = false;
      entry.holderCount--;
      this.#releaseUnheld(entry);
    };
    return { ...entry.file, release };
  }

  #releaseUnheld({ file, diskBytes, holderCount, isDropped }: Entry): void {
    if (!isDropped || holderCount > 0) return;
    this.#diskBytes -= diskBytes;
    file.bytes.release();
  }

  /** Removes all files that were made; those that are being read go when they have been. */
  close(): void {
    this.#entries.clear();
  }
}

/** Many files are kept: what each of them has in memory is little. */
const MEMORY_BYTES_MAX = 4096;

function memoryOf(stretches: readonly Stretch[]): Buffer[] {
  return stretches.flatMap((stretch) => ('bytes' in stretch ? [stretch.bytes] : []));
}

function inMemory({ stretches }: StoredBytes): number {
  return memoryOf(stretches).reduce((sum, { length }) => sum + length, 0);
}

/** Moves the parts of a body that are in memory to a file. */
async function onDisk(bytes: StoredBytes, spool: Spool): Promise<StoredBytes> {
  if (inMemory(bytes) <= MEMORY_BYTES_MAX) return bytes;
  const body = spool.begin();
  body.add(memoryOf(bytes.stretches));
  const spooled = await body.finish();
  if (Buffer.isBuffer(spooled)) return bytes;
  let at = 0;
  const stretches = bytes.stretches.flatMap((stretch) => {
    if (!('bytes' in stretch)) return [stretch];
    const start = at;
    at += stretch.bytes.length;
    return spooled.slice(start, at);
  });
  return new StoredBytes(stretches, () => {
    spooled.release();
    bytes.release();
  });
}

/** The work was stopped, by a time limit or because its client went away; it did not fail. */
function isStopped(error: unknown): boolean {
  if (error instanceof ApiError) return error.kind === 'client gone' || error.kind === 'timed out';
  const { name } = error as Error;
  return name === 'AbortError' || name === 'TimeoutError';
}

const DIGESTS_MAX = 20_000;
/** Lines that the file may have before those that nobody needs are dropped. */
const LINES_MAX = 2 * DIGESTS_MAX;

/** `place sha256`, each of its one length, so that no torn line looks like a whole one. */
const LINE = /^([\w-]{43}) ([0-9a-f]{64})$/;

function linesOf(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n');
  } catch {
    return [];
  }
}

export class KeptDigests {
  readonly #path: string;
  readonly #digests = new LRUCache<string, string>({ max: DIGESTS_MAX });
  #lineCount: number;

  constructor(path: string) {
    this.#path = path;
    const lines = linesOf(path);
    this.#lineCount = lines.length;
    for (const line of lines) {
      const found = LINE.exec(line);
      if (found) this.#digests.set(found[1] as string, found[2] as string);
    }
  }

  /** `place` as `StoredBytes.placeDigest` makes it. */
  get(place: string): string | null {
    return this.#digests.get(place) ?? null;
  }

  /** Never rejects: a file that cannot be written is none of the request's problems. */
  async add(place: string, sha256: string): Promise<void> {
    this.#digests.set(place, sha256);
    try {
      if (++this.#lineCount > LINES_MAX) this.#writeAnew();
      else await this.#append(`${place} ${sha256}`);
    } catch {
      // The digest is computed again after the next start.
    }
  }

  async #append(line: string): Promise<void> {
    mkdirSync(dirname(this.#path), { recursive: true });
    await appendFile(this.#path, `${line}\n`, { mode: 0o600 });
  }

  #writeAnew(): void {
    const lines = [...this.#digests.entries()].map(([place, sha256]) => `${place} ${sha256}\n`);
    writeWholeFile(this.#path, lines.reverse().join(''), 0o600);
    this.#lineCount = lines.length;
  }
}
