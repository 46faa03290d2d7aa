/** A file that other processes may replace, read again only when they did. */
import { readFile, stat } from 'node:fs/promises';

async function markOf(path: string): Promise<string | null> {
  try {
    const { ino, size, mtimeNs } = await stat(path, { bigint: true });
    return `${ino} ${size} ${mtimeNs}`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

export class WatchedFile<T> {
  readonly #path: string;
  readonly #parse: (text: string) => T;
  #mark: string | null = null;
  #value: T | null = null;

  /** `parse` throws where the file is not what it should be. */
  constructor(path: string, parse: (text: string) => T) {
    this.#path = path;
    this.#parse = parse;
  }

  /** What is in the file at this moment; null: there is none. */
  async read(): Promise<T | null> {
    const mark = await markOf(this.#path);
    if (mark !== this.#mark) {
      // Of a file that is replaced in between, the next reading finds another mark.
      this.#value = mark === null ? null : this.#parse(await readFile(this.#path, 'utf8'));
      this.#mark = mark;
    }
    return this.#value;
  }
}
