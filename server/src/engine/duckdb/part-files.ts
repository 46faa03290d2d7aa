/**
 * Where the files of parts lie. A file has one name, by which the engine reads it and which everything
 * else opens it by; what it holds never changes.
 */
import type { OpenFile } from '../../base/opened-file.ts';

/** The last bytes of a file. */
export interface FileTail {
  /** Of the whole file. */
  readonly byteCount: number;
  readonly bytes: Buffer;
}

/** Reads files by their names. A file that is not there rejects with the code `ENOENT`. */
export interface FileReading {
  /** Bytes of the file. */
  size(file: string): Promise<number>;
  /** Its last `byteCount` bytes, or all of them where it has no more. */
  tail(file: string, byteCount: number): Promise<FileTail>;
  /** The bytes from `start` up to, not with, `end`. Rejects where the file ends before. */
  read(file: string, start: number, end: number): Promise<Buffer>;
  readonly open: OpenFile;
}

export interface PartFiles extends FileReading {
  /** What the names of all files begin with, before a slash and the location of the part. */
  readonly root: string;
  /** The file of a part and those of its identifier order, in their order; `file` need not be there. */
  filesOf(file: string): Promise<string[]>;
  /** Locations of parts and of what is left of some. */
  locations(): AsyncIterable<string>;
  /**
   * Moves a part that was written to a local path to its name, where nothing may be yet. It is found
   * there only when it is whole.
   */
  put(written: string, file: string): Promise<void>;
  /** Resolves when parts that were put outlast a crash of the machine. */
  flush(files: readonly string[]): Promise<void>;
  /** Makes a copy with a path of its own, where nothing may be yet. */
  copy(file: string, path: string): Promise<void>;
  /** The same, unless the file can have the path as a second name. */
  bring(file: string, path: string): Promise<void>;
  /** Removes all that is there of a part. */
  remove(file: string): Promise<void>;
}
