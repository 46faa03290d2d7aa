/**
 * The files of parts. A file has one name, by which the engine reads it and which everything
 * else opens it by; what it holds never changes.
 */
import { existsSync, rmSync, statSync } from 'node:fs';
import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { NamedFiles } from '../../base/file-digest.ts';
import { nullIfMissing } from '../../base/if-there.ts';
import type { RowRange } from '../part.ts';

/** The last bytes of a file. */
export interface FileTail {
  /** Bytes of the whole file. */
  readonly byteCount: number;
  readonly bytes: Buffer;
}

/** Reads files by their names. A file that is not there rejects with the code `ENOENT`. */
export interface FileReading extends NamedFiles {
  /** The last `byteCount` bytes, or the whole file if it is shorter. */
  tail(file: string, byteCount: number): Promise<FileTail>;
  /** The bytes from `start` up to, not with, `end`. Rejects where the file ends before. */
  read(file: string, start: number, end: number): Promise<Buffer>;
}

export interface PartFiles extends FileReading {
  /** Prefix of all file names, before a slash and the part's location. */
  readonly root: string;
  /**
   * The file of a part and those of its identifier order, in their order; `file` need not be there.
   */
  filesOf(file: string): Promise<string[]>;
  /** Locations of parts and of what is left of some. */
  locations(): AsyncIterable<string>;
  /**
   * Moves a part that was written to a local path to its name, where nothing may be yet. It is
   * found there only when it is whole.
   */
  put(written: string, file: string): Promise<void>;
  /** Resolves when parts that were put outlast a crash of the machine. */
  flush(files: readonly string[]): Promise<void>;
  /** Makes a copy with a path of its own, where nothing may be yet. */
  copy(file: string, path: string): Promise<void>;
  /** Like `copy`, but may give the file a second name instead. */
  bring(file: string, path: string): Promise<void>;
  /** Removes all that is there of a part. */
  remove(file: string): Promise<void>;
}

/**
 * A part's rows once more, ordered by an identifier: Parquet files of few row groups in a folder
 * beside the part's own file. A query of one identifier opens one of them; of a file with all row
 * groups, looking at those it does not need would take longer than reading the one it does.
 */

export const IDENTIFIER_ROW_GROUP_ROWS = 4096;
export const IDENTIFIER_FILE_ROWS = 8 * IDENTIFIER_ROW_GROUP_ROWS;

/**
 * The column that says where a row lies in the natural order of its part. No dataset has one like
 * it.
 */
export const NATURAL_ROW = 'natural_row';

const EXTENSION = /\.parquet$/;
const FOLDER = '.by-identifier';
const NUMBER_DIGITS = 6;
const NUMBER = /^\d{6}$/;

/**
 * The folder that belongs to the file of a part. Its files have no extension: no pattern finds
 * them.
 */
export function identifierFolder(file: string): string {
  return file.replace(EXTENSION, '') + FOLDER;
}

export function removePart(file: string): void {
  rmSync(file, { force: true });
  rmSync(identifierFolder(file), { recursive: true, force: true });
}

export function identifierFile(folder: string, number: number): string {
  return `${folder}/${`${number}`.padStart(NUMBER_DIGITS, '0')}`;
}

/** The name of the part's file that a folder of this name belongs to; null: it is no such folder */
export function fileOfIdentifierFolder(name: string): string | null {
  return name.endsWith(FOLDER) ? `${name.slice(0, -FOLDER.length)}.parquet` : null;
}

/** The numbers of the files that hold the rows. */
export function identifierFileNumbers(ranges: readonly RowRange[]): number[] {
  const numbers = new Set<number>();
  for (const { start, end } of ranges) {
    const last = Math.floor((end - 1) / IDENTIFIER_FILE_ROWS);
    for (let n = Math.floor(start / IDENTIFIER_FILE_ROWS); n <= last; n++) numbers.add(n);
  }
  return [...numbers];
}

async function namesIn(folder: string): Promise<string[]> {
  const names = (await readdir(folder).catch(nullIfMissing)) ?? [];
  return names.filter((name) => NUMBER.test(name)).sort();
}

/** Moves a part to another path in the same file system; its own file comes last. */
export async function movePart(source: string, target: string): Promise<void> {
  const ordered = identifierFolder(source);
  if (existsSync(ordered)) await rename(ordered, identifierFolder(target));
  await rename(source, target);
}

export function byteCountOf(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + statSync(file).size, 0);
}

/** Absolute paths of all that is stored of a part: its file, then those of its identifier order. */
export async function filesOfPart(file: string): Promise<string[]> {
  const folder = identifierFolder(file);
  return [file, ...(await namesIn(folder)).map((name) => join(folder, name))];
}
