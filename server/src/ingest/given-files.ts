/** Finds the files of a load by the given paths, folders and patterns, and inspects each. */
import {
  closeSync,
  globSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { basename, extname, join } from 'node:path';
import { atEnd } from '../base/at-end.ts';
import { UsageError } from '../base/errors.ts';
import { pathFailure } from '../base/failure-text.ts';
import { HEAD_BYTES, isLoaded, KINDS_READ, kindOf, type SourceKind } from './source-bytes.ts';

/** Names of the files that are loaded from a folder end in one of these. */
const FOLDER_EXTENSIONS = ['.csv', '.dbn', '.gz', '.zst', '.zip', '.parquet'];
/** And of those that recipes read; others are often notes. */
const RECIPE_EXTENSIONS = ['.txt', '.asc'];
const PATTERN = /[*?[\]{}]/;
/** Names of what vendors put beside their data. */
const ROWLESS = /\.(json|md|pdf)$|^_?(readme|licen[cs]e)(\.txt)?$/i;

/** True of a file among others, of a folder or a zip file, that cannot hold rows. */
export function isRowless(path: string, byteCount: number): boolean {
  return byteCount === 0 || ROWLESS.test(basename(path));
}

/** How folders and patterns are searched. */
export interface Search {
  /** True of a folder whose files a recipe reads; absent: of none. */
  readonly isByRecipe?: (folder: string) => boolean;
  /** Called with each file that cannot hold rows. */
  readonly onRowless?: ((path: string) => void) | undefined;
}

export interface GivenFile {
  readonly path: string;
  readonly realPath: string;
  readonly byteCount: number;
  readonly kind: SourceKind;
  /** Identifies the file's state when it was inspected: another one means a change. */
  readonly mark: string;
}

function readHead(path: string): Buffer {
  const descriptor = openSync(path, 'r');
  using _descriptor = atEnd(() => closeSync(descriptor));
  const head = Buffer.alloc(HEAD_BYTES);
  return head.subarray(0, readSync(descriptor, head, 0, HEAD_BYTES, 0));
}

/** Runs what reads the file system and says of `path` why it cannot be read. */
function withAccess<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw pathFailure(path, error);
  }
}

function markOf({ dev, ino, size, mtimeMs }: Stats): string {
  return [dev, ino, size, mtimeMs].join();
}

/** Inspects a file. Throws a `UsageError` if it is missing, empty or of another kind. */
export function inspectFile(path: string): GivenFile {
  return withAccess(path, () => {
    const info = statSync(path);
    if (!info.isFile()) throw new UsageError(`${path} is not a regular file`);
    if (info.size === 0) throw new UsageError(`${path} is empty`);
    const kind = kindOf(readHead(path));
    if (!isLoaded(kind)) throw new UsageError(`${path} is ${kind}; ${KINDS_READ}`);
    const realPath = realpathSync.native(path);
    return { path, realPath, byteCount: info.size, kind, mark: markOf(info) };
  });
}

/** Throws a `UsageError` if the file is another one than when it was looked at. */
export function requireUnchanged({ path, realPath, mark }: GivenFile): void {
  if (withAccess(path, () => markOf(statSync(realPath))) === mark) return;
  throw new UsageError(`${path} was changed while it was loaded; load it when it is complete`);
}

/** Files below a folder that can be loaded by their names, in the order of names in each folder. */
function filesBelow(folder: string, search: Search): string[] {
  const more = search.isByRecipe?.(folder) ? RECIPE_EXTENSIONS : [];
  const extensions = [...FOLDER_EXTENSIONS, ...more];
  const entries = withAccess(folder, () => readdirSync(folder, { withFileTypes: true }));
  return entries
    .filter(({ name }) => !name.startsWith('.'))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesBelow(path, search);
      return extensions.includes(extname(entry.name).toLowerCase()) ? [path] : [];
    });
}

/**
 * The files that a pattern or path matches, and those below matching folders, by name. A file that
 * bears this very name is among them, whatever it holds.
 */
export function filesMatching(pattern: string, search: Search = {}): string[] {
  const given = statSync(pattern, { throwIfNoEntry: false });
  if (given && !given.isDirectory()) return [pattern];
  const matches = given ? [pattern] : withAccess(pattern, () => globSync(pattern)).sort();
  const files = matches.flatMap((path) => {
    const isFolder = withAccess(path, () => statSync(path)).isDirectory();
    return isFolder ? filesBelow(path, search) : [path];
  });
  return [...new Set(files)].filter((path) => {
    const isLeftOut = isRowless(path, withAccess(path, () => statSync(path)).size);
    if (isLeftOut) search.onRowless?.(path);
    return !isLeftOut;
  });
}

/**
 * The files that a word of the command line stands for: a path, a folder, or a pattern unless a
 * file bears that very name. Throws a `UsageError` if there are none.
 */
export function filesOf(given: string, search?: Search): string[] {
  const isPattern = PATTERN.test(given) && !statSync(given, { throwIfNoEntry: false });
  if (!isPattern) withAccess(given, () => statSync(given));
  const files = filesMatching(given, search);
  if (files.length > 0) return files;
  const kinds = FOLDER_EXTENSIONS.join(', ');
  throw new UsageError(
    isPattern
      ? `no file that can hold rows matches ${given}`
      : `${given} contains no files that end in ${kinds}, or they are empty`,
  );
}

/** Throws a `UsageError` where a file is given twice. */
export function requireOnce(files: readonly GivenFile[]): void {
  const names = new Map<string, string>();
  for (const { path, realPath } of files) {
    const earlier = names.get(realPath);
    if (earlier !== undefined) {
      throw new UsageError(
        earlier === path ? `${path} is given twice` : `${earlier} and ${path} are the same file`,
      );
    }
    names.set(realPath, path);
  }
}
