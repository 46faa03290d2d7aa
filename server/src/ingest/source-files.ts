/**
 * Finds out what the files given to a load are, by their first bytes and not by their names, and
 * opens them: CSV as it is, in gzip, or as the members of a zip file, and Parquet. Packed text is
 * unpacked as a stream, so that what a small file unpacks to fills neither memory nor disk.
 */
import {
  closeSync,
  createReadStream,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { pipeline } from 'node:stream';
import { crc32, createGunzip } from 'node:zlib';
import { type Entry, openPromise as openZip, type ZipFile } from 'yauzl';
import { UsageError } from '../base/errors.ts';
import { failureReason, pathFailure } from '../base/failure-text.ts';
import type { SourceFile } from './load-sources.ts';

const CHUNK_BYTES = 1_048_576;
const SMALL_BYTES = 65_536;
const HEAD_BYTES = 16;
/** Names of the files that are loaded from a folder end in one of these. */
const FOLDER_EXTENSIONS = ['.csv', '.gz', '.zip', '.parquet'];
const KINDS_READ = 'only CSV (plain, gzip or zip) and Parquet files can be loaded';

/** The first bytes of files that are not CSV. */
const MAGIC: readonly (readonly [kind: string, hex: string])[] = [
  ['gzip', '1f8b'],
  ['zip', '504b0304'],
  ['zip', '504b0506'],
  ['Parquet', '50415231'],
  ['encrypted Parquet', '50415245'],
  ['zstd', '28b52ffd'],
  ['bzip2', '425a68'],
  ['xz', 'fd377a585a00'],
  ['UTF-16 text', 'fffe'],
  ['UTF-16 text', 'feff'],
];

export interface ReadOptions {
  readonly signal: AbortSignal;
  /** Called often with the share of all stored bytes that has been read, from 0 to 1. */
  readonly onShare: (share: number) => void;
}

/** How one file is read. */
interface ReadFile {
  readonly path: string;
  readonly byteCount: number;
  readonly signal: AbortSignal;
  /** Called with the stored bytes of the file that have been read so far. */
  readonly onBytes: (byteCount: number) => void;
}

function kindOf(head: Buffer): string {
  const hex = head.toString('hex');
  return MAGIC.find(([, magic]) => hex.startsWith(magic))?.[0] ?? 'CSV';
}

async function* readPlain({ path, byteCount, signal, onBytes }: ReadFile): AsyncGenerator<Buffer> {
  signal.throwIfAborted();
  // A handle costs more than reading a small file, of which there may be many.
  if (byteCount <= SMALL_BYTES) {
    yield readFileSync(path);
    return;
  }
  const file = await open(path);
  const read = (into: Buffer) => file.read(into, 0, CHUNK_BYTES);
  let reading = read(Buffer.alloc(CHUNK_BYTES));
  let waiting: Buffer = Buffer.alloc(CHUNK_BYTES);
  try {
    for (let doneBytes = 0; ; ) {
      const { bytesRead, buffer } = await reading;
      signal.throwIfAborted();
      if (bytesRead === 0) return;
      // The next chunk comes while this one is used; the two take turns.
      reading = read(waiting);
      waiting = buffer;
      yield buffer.subarray(0, bytesRead);
      doneBytes += bytesRead;
      onBytes(doneBytes);
    }
  } finally {
    await reading.catch(() => {});
    await file.close();
  }
}

async function* readGzip({ path, byteCount, signal, onBytes }: ReadFile): AsyncGenerator<Buffer> {
  const file = createReadStream(path, { signal, highWaterMark: CHUNK_BYTES });
  const text = createGunzip({ chunkSize: byteCount <= SMALL_BYTES ? SMALL_BYTES : CHUNK_BYTES });
  // A failure of the file ends the text with the same error.
  pipeline(file, text, () => {});
  try {
    for await (const chunk of text) {
      yield chunk;
      onBytes(file.bytesRead);
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code?.startsWith('Z_')) throw new UsageError(`the gzip data is damaged: ${message}`);
    throw error;
  }
}

async function* readMember(
  zip: ZipFile,
  entry: Entry,
  { signal, onBytes }: ReadFile,
): AsyncGenerator<Buffer> {
  const packedShare = entry.compressedSize / Math.max(1, entry.uncompressedSize);
  let sum = 0;
  let byteCount = 0;
  try {
    for await (const chunk of await zip.openReadStreamPromise(entry)) {
      signal.throwIfAborted();
      sum = crc32(chunk, sum);
      byteCount += chunk.length;
      yield chunk;
      onBytes(byteCount * packedShare);
    }
  } catch (error) {
    if (signal.aborted || failureReason(error) !== null) throw error;
    throw new UsageError(`the zip file is damaged: ${(error as Error).message}`);
  }
  if (sum !== entry.crc32) throw new UsageError('the zip file is damaged: wrong checksum');
}

/** Passes text on, unless its first bytes say that it is none. */
async function* checkedText(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const chunk of chunks) {
    const kind = isFirst ? kindOf(chunk.subarray(0, HEAD_BYTES)) : 'CSV';
    if (kind !== 'CSV') throw new UsageError(`${kind} inside a compressed file; ${KINDS_READ}`);
    isFirst = false;
    yield chunk;
  }
}

function csvSource(displayName: string, open: () => AsyncIterable<Buffer>): SourceFile {
  return { format: 'csv', displayName, open: () => checkedText(open()) };
}

async function membersOf(zip: ZipFile, path: string): Promise<Entry[]> {
  const members: Entry[] = [];
  for await (const entry of zip.eachEntry()) {
    // Folders, and what macOS adds to its archives.
    if (entry.fileName.endsWith('/') || entry.fileName.startsWith('__MACOSX/')) continue;
    if (!entry.canDecodeFileData()) {
      const name = `${path}/${entry.fileName}`;
      throw new UsageError(`${name} is encrypted, or compressed by a method that is not supported`);
    }
    members.push(entry);
  }
  if (members.length === 0) throw new UsageError(`${path} is a zip file with no files in it`);
  return members;
}

/** The members of a zip file, which stays open until the last one has been read. */
async function* zipSources(displayName: string, file: ReadFile): AsyncGenerator<SourceFile> {
  const zip = await openZip(file.path, { autoClose: false }).catch((error: Error) => {
    if (failureReason(error) !== null) throw pathFailure(displayName, error);
    throw new UsageError(`${displayName}: the zip file is damaged: ${error.message}`);
  });
  try {
    let doneBytes = 0;
    for (const entry of await membersOf(zip, displayName)) {
      const before = doneBytes;
      const onBytes = (bytes: number) => file.onBytes(before + bytes);
      const open = () => readMember(zip, entry, { ...file, onBytes });
      yield csvSource(`${displayName}/${entry.fileName}`, open);
      doneBytes += entry.compressedSize;
    }
  } finally {
    zip.close();
  }
}

interface GivenFile {
  readonly path: string;
  readonly realPath: string;
  readonly byteCount: number;
  readonly kind: string;
}

function readHead(path: string): Buffer {
  const descriptor = openSync(path, 'r');
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    return head.subarray(0, readSync(descriptor, head, 0, HEAD_BYTES, 0));
  } finally {
    closeSync(descriptor);
  }
}

/** Runs what reads the file system and says of `path` why it cannot be read. */
function withAccess<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw pathFailure(path, error);
  }
}

function inspect(path: string): GivenFile {
  return withAccess(path, () => {
    const info = statSync(path);
    if (!info.isFile()) throw new UsageError(`${path} is not a regular file`);
    if (info.size === 0) throw new UsageError(`${path} is empty`);
    const kind = kindOf(readHead(path));
    return { path, realPath: realpathSync.native(path), byteCount: info.size, kind };
  });
}

/** Files below a folder that can be loaded by their names, in the order of names in each folder. */
function filesBelow(folder: string): string[] {
  const entries = withAccess(folder, () => readdirSync(folder, { withFileTypes: true }));
  return entries
    .filter(({ name }) => !name.startsWith('.'))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesBelow(path);
      return FOLDER_EXTENSIONS.includes(extname(entry.name).toLowerCase()) ? [path] : [];
    });
}

/** The files that a path stands for: itself, or those of the folder that it names. */
function filesOf(path: string): string[] {
  if (!withAccess(path, () => statSync(path)).isDirectory()) return [path];
  const files = filesBelow(path);
  if (files.length > 0) return files;
  throw new UsageError(`${path} contains no files that end in ${FOLDER_EXTENSIONS.join(', ')}`);
}

function checkFiles(files: readonly GivenFile[]): void {
  const names = new Map<string, string>();
  for (const { path, realPath, kind } of files) {
    const earlier = names.get(realPath);
    if (earlier !== undefined) {
      throw new UsageError(
        earlier === path ? `${path} is given twice` : `${earlier} and ${path} are the same file`,
      );
    }
    names.set(realPath, path);
    if (!['CSV', 'gzip', 'zip', 'Parquet'].includes(kind)) {
      throw new UsageError(`${path} is ${kind}; ${KINDS_READ}`);
    }
  }
}

async function* sourcesOf(
  { path: displayName, realPath: path, byteCount, kind }: GivenFile,
  options: Pick<ReadFile, 'signal' | 'onBytes'>,
): AsyncGenerator<SourceFile> {
  const file = { path, byteCount, ...options };
  if (kind === 'zip') yield* zipSources(displayName, file);
  else if (kind === 'Parquet') yield { format: 'parquet', displayName, path };
  else {
    const read = kind === 'gzip' ? readGzip : readPlain;
    yield csvSource(displayName, () => read(file));
  }
}

async function* sourcesOfFiles(
  files: readonly GivenFile[],
  { signal, onShare }: ReadOptions,
): AsyncGenerator<SourceFile> {
  const allBytes = files.reduce((sum, { byteCount }) => sum + byteCount, 0);
  let doneBytes = 0;
  for (const file of files) {
    const before = doneBytes;
    const onBytes = (bytes: number) => onShare((before + bytes) / allBytes);
    yield* sourcesOf(file, { signal, onBytes });
    doneBytes += file.byteCount;
    onShare(doneBytes / allBytes);
  }
}

/**
 * The files in the given order, those of a folder by name, members of zip files in the archive's
 * order. Throws a `UsageError` for the first one that is missing, given twice, empty, no file, or of
 * another kind. A file is opened when its turn comes and closed before the next.
 */
export function openSourceFiles(
  paths: readonly string[],
  options: ReadOptions,
): AsyncIterable<SourceFile> {
  const files = paths.flatMap(filesOf).map(inspect);
  checkFiles(files);
  return sourcesOfFiles(files, options);
}
