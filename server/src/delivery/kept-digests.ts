/**
 * SHA-256 of files that consist of the lake's own bytes, by where these lie. To compute them takes reading all
 * of the bytes, and these never change, so a file of the home keeps the digests for the next start. It is a cache:
 * what is lost of it is computed again.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { LRUCache } from 'lru-cache';
import { writeWholeFile } from '../base/write-whole-file.ts';

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
      // It is computed again after the next start.
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
