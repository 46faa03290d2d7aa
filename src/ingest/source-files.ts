/**
 * Finds out what the files given to a load are, by their first bytes and not by their names, and
 * opens them: CSV as it is, in gzip, or as the members of a zip file, and Parquet. Packed text is
 * unpacked as a stream, so that what a small file unpacks to fills neither memory nor disk.
 */
import { createReadStream } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { crc32, createGunzip } from 'node:zlib';
import { type Entry, openPromise as openZip, type ZipFile } from 'yauzl';
import type { SourceFile } from '../engine/engine.ts';
import { UsageError } from '../errors.ts';

const CHUNK_BYTES = 1_048_576;
const HEAD_BYTES = 16;
const KINDS_READ = 'CSV (plain, in gzip or in zip) and Parquet can be loaded';

/** What files begin with that are no CSV. */
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

export interface OpenedSource {
  readonly source: SourceFile;
  /** Stored bytes, packed as they are: its share of the whole load. */
  readonly byteCount: number;
}

export interface OpenedSources {
  readonly sources: readonly OpenedSource[];
  close(): void;
}

export interface ReadOptions {
  readonly signal: AbortSignal;
  /** Called with the stored bytes of the source that have been read so far. */
  readonly onBytes: (byteCount: number) => void;
}

function kindOf(head: Buffer): string {
  const hex = head.toString('hex');
  return MAGIC.find(([, magic]) => hex.startsWith(magic))?.[0] ?? 'CSV';
}

async function* readPlain(path: string, { signal, onBytes }: ReadOptions): AsyncGenerator<Buffer> {
  const file = createReadStream(path, { signal, highWaterMark: CHUNK_BYTES });
  for await (const chunk of file) {
    yield chunk;
    onBytes(file.bytesRead);
  }
}

async function* readGzip(path: string, { signal, onBytes }: ReadOptions): AsyncGenerator<Buffer> {
  const file = createReadStream(path, { signal, highWaterMark: CHUNK_BYTES });
  const text = createGunzip({ chunkSize: CHUNK_BYTES });
  // What fails in the file ends the text with the same error.
  pipeline(file, text, () => {});
  try {
    for await (const chunk of text) {
      yield chunk;
      onBytes(file.bytesRead);
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code?.startsWith('Z_')) throw new UsageError(`damaged gzip: ${message}`);
    throw error;
  }
}

async function* readMember(
  zip: ZipFile,
  entry: Entry,
  { signal, onBytes }: ReadOptions,
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
    if (signal.aborted || error instanceof UsageError) throw error;
    throw new UsageError(`damaged zip: ${(error as Error).message}`);
  }
  if (sum !== entry.crc32) throw new UsageError('damaged zip: wrong checksum');
}

/** Passes text on, unless its first bytes say that it is none. */
async function* checkedText(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const chunk of chunks) {
    const kind = isFirst ? kindOf(chunk.subarray(0, HEAD_BYTES)) : 'CSV';
    if (kind !== 'CSV') throw new UsageError(`${kind} within a packed file; ${KINDS_READ}`);
    isFirst = false;
    yield chunk;
  }
}

function csvSource(displayName: string, open: () => AsyncIterable<Buffer>): SourceFile {
  return { format: 'csv', displayName, open: () => checkedText(open()) };
}

async function openMembers(zip: ZipFile, path: string, options: ReadOptions) {
  const sources: OpenedSource[] = [];
  for await (const entry of zip.eachEntry()) {
    const { fileName, compressedSize: byteCount } = entry;
    // Folders, and what macOS adds to its archives.
    if (fileName.endsWith('/') || fileName.startsWith('__MACOSX/')) continue;
    const displayName = `${path}/${fileName}`;
    if (!entry.canDecodeFileData()) {
      throw new UsageError(`${displayName} is encrypted or packed in an unknown way`);
    }
    const source = csvSource(displayName, () => readMember(zip, entry, options));
    sources.push({ source, byteCount });
  }
  if (sources.length === 0) throw new UsageError(`${path} is a zip file without files`);
  return sources;
}

interface GivenFile {
  readonly path: string;
  readonly realPath: string;
  readonly byteCount: number;
  readonly kind: string;
}

const ACCESS_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EACCES: 'may not be read',
  EPERM: 'may not be read',
  ELOOP: 'is a link that leads to itself',
};

async function inspect(path: string): Promise<GivenFile> {
  try {
    const info = await stat(path);
    if (info.isDirectory()) throw new UsageError(`${path} is a folder; name the files in it`);
    if (!info.isFile()) throw new UsageError(`${path} is no regular file`);
    if (info.size === 0) throw new UsageError(`${path} is empty`);
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
      const kind = kindOf(buffer.subarray(0, bytesRead));
      return { path, realPath: await realpath(path), byteCount: info.size, kind };
    } finally {
      await file.close();
    }
  } catch (error) {
    const fault = ACCESS_FAULTS[(error as NodeJS.ErrnoException).code ?? ''];
    throw fault === undefined ? error : new UsageError(`${path} ${fault}`);
  }
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

/**
 * Opens the files in the given order, members of zip files in the archive's. Throws a `UsageError`
 * for the first one that is missing, given twice, empty, no file, or of another kind.
 */
export async function openSourceFiles(
  paths: readonly string[],
  options: ReadOptions,
): Promise<OpenedSources> {
  const files: GivenFile[] = [];
  for (const path of paths) files.push(await inspect(path));
  checkFiles(files);
  const zips: ZipFile[] = [];
  const close = () => {
    for (const zip of zips) zip.close();
  };
  const sources: OpenedSource[] = [];
  try {
    for (const { path, realPath, byteCount, kind } of files) {
      if (kind === 'zip') {
        const zip = await openZip(realPath, { autoClose: false }).catch((error: Error) => {
          throw new UsageError(`${path}: damaged zip: ${error.message}`);
        });
        zips.push(zip);
        sources.push(...(await openMembers(zip, path, options)));
      } else if (kind === 'Parquet') {
        const source = { format: 'parquet', displayName: path, path: realPath } as const;
        sources.push({ source, byteCount });
      } else {
        const read = kind === 'gzip' ? readGzip : readPlain;
        sources.push({ source: csvSource(path, () => read(realPath, options)), byteCount });
      }
    }
    return { sources, close };
  } catch (error) {
    close();
    throw error;
  }
}
