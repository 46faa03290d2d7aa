/**
 * Finds files and folders that have arrived and may be loaded. Whether one is
 * complete can only be told by waiting, unless it is renamed into place when it is.
 */
import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ifThere } from '../../base/if-there.ts';

/** Folders for loaded files; never names of arrivals. */
export const RESULT_FOLDERS = ['done', 'refused'] as const;

/** Names that programs give to what they are still writing, and hidden ones. */
const UNFINISHED = /^\.|\.(tmp|temp|part|partial|filepart|crdownload|download|swp)$|~$/i;

export interface Arrival {
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  /** Identifies its files, sizes and times: another one means a change. */
  readonly mark: string;
}

function markOf(path: string): string {
  const { dev, ino, size, mtimeMs } = lstatSync(path);
  return [dev, ino, size, mtimeMs].join();
}

/** Marks of the files below a folder; one that is still being written makes it unfinished: null. */
function marksBelow(folder: string): string[] | null {
  const marks: string[] = [];
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (UNFINISHED.test(entry.name)) return null;
    const path = join(entry.parentPath, entry.name);
    marks.push(`${path},${entry.isDirectory() ? '' : markOf(path)}`);
  }
  return marks.sort();
}

/** The mark of a file or folder; null where it is unfinished or gone. */
export function arrivalMark(path: string): string | null {
  return ifThere(() => {
    if (!lstatSync(path).isDirectory()) return markOf(path);
    return marksBelow(path)?.join('\n') ?? null;
  });
}

function isArrival(entry: Dirent): boolean {
  if (UNFINISHED.test(entry.name)) return false;
  if (entry.isDirectory()) return !RESULT_FOLDERS.some((name) => name === entry.name);
  return entry.isFile();
}

/** Files and folders by name, without hidden or unfinished ones, links and devices. */
export function arrivalsIn(folder: string): Arrival[] {
  const names = readdirSync(folder, { withFileTypes: true })
    .filter(isArrival)
    .map(({ name }) => name)
    .sort();
  return names.flatMap((name) => {
    const path = join(folder, name);
    const mark = arrivalMark(path);
    return mark === null ? [] : [{ name, path, mark }];
  });
}

/** Knows since when arrivals have stayed as they are. */
export class Settling {
  readonly #settleMs: number;
  readonly #seen = new Map<string, { readonly mark: string; readonly sinceMs: number }>();

  constructor(settleMs: number) {
    this.#settleMs = settleMs;
  }

  /**
   * The arrivals of a folder that have not changed for long enough, up to the first one
   * that has: what follows it waits for it.
   */
  settled(folder: string, arrivals: readonly Arrival[], nowMs: number): Arrival[] {
    const known = new Map(
      arrivals.map(({ path, mark }) => {
        const seen = this.#seen.get(path);
        return [path, seen?.mark === mark ? seen : { mark, sinceMs: nowMs }] as const;
      }),
    );
    for (const path of this.#seen.keys())
      if (path.startsWith(join(folder, '/'))) this.#seen.delete(path);
    for (const [path, seen] of known) this.#seen.set(path, seen);
    const first = arrivals.findIndex(({ path }) => {
      return nowMs - (known.get(path)?.sinceMs ?? nowMs) < this.#settleMs;
    });
    return first < 0 ? [...arrivals] : arrivals.slice(0, first);
  }
}
