/** Unpacks gzip, zstd and zip files as streams, without filling memory or disk. */
import { pipeline, Readable } from 'node:stream';
import { crc32, createGunzip, createZstdDecompress } from 'node:zlib';
import { type Entry, openPromise as openZip, type ZipFile } from 'yauzl';
import { atEnd } from '../base/at-end.ts';
import { UsageError } from '../base/errors.ts';
import { failureReason, pathFailure } from '../base/failure-text.ts';
import { DbnText, type DefinedSymbols, type IsRead } from './dbn-text.ts';
import { isRowless } from './given-files.ts';
import type { CsvSource } from './load-sources.ts';
import { kindOf, type ReadFile } from './source-bytes.ts';

const CHUNK_BYTES = 1_048_576;

const UNPACKERS = { gzip: createGunzip, zstd: createZstdDecompress } as const;
const OF_UNPACKERS = /^(Z_|ZSTD_)/;

/** Counts what an unpacker was given, and whether that was all. */
class Packed {
  byteCount = 0;
  isRead = false;

  async *read(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      this.byteCount += chunk.length;
      yield chunk;
    }
    this.isRead = true;
  }
}

/**
 * The text in packed bytes, whose chunks must stay as they are. Several packed parts may follow
 * each other; throws a `UsageError` where anything else follows, and where the data is damaged or
 * cut off.
 */
export async function* unpackedText(
  kind: keyof typeof UNPACKERS,
  chunks: AsyncIterable<Buffer>,
  chunkBytes = CHUNK_BYTES,
): AsyncGenerator<Buffer> {
  const packed = new Packed();
  const text = UNPACKERS[kind]({ chunkSize: Math.min(CHUNK_BYTES, chunkBytes) });
  // A failure of the source ends the text with the same error.
  pipeline(Readable.from(packed.read(chunks), { highWaterMark: 1 }), text, () => {});
  try {
    for await (const chunk of text) yield chunk;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== undefined && OF_UNPACKERS.test(code)) {
      throw new UsageError(`the ${kind} data is damaged: ${message}`);
    }
    throw error;
  }
  // The unpacker stops without a word where what follows is no other part.
  if (!packed.isRead || text.bytesWritten !== packed.byteCount) {
    throw new UsageError(`the ${kind} data is damaged: bytes of another kind follow it`);
  }
}

/** Bytes of line ends in a row: a gigabyte of them packs into a megabyte, and takes a minute. */
const LINE_ENDS_MAX = 16 * 1024 * 1024;

function isLineEnds(chunk: Buffer): boolean {
  return chunk.every((byte) => byte === 0x0a || byte === 0x0d);
}

/** Passes text on, also that of DBN, unless it is another kind of file or a flood of line ends. */
export async function* checkedText(
  chunks: AsyncIterable<Buffer>,
  symbols?: DefinedSymbols,
  isRead?: IsRead,
): AsyncGenerator<Buffer> {
  let isFirst = true;
  let lineEndBytes = 0;
  let dbn: DbnText | null = null;
  for await (const chunk of chunks) {
    const kind = isFirst ? kindOf(chunk) : 'CSV';
    if (kind === 'DBN') dbn = new DbnText(symbols, isRead);
    if (dbn) {
      isFirst = false;
      const text = dbn.push(chunk);
      if (text.length > 0) yield text;
      continue;
    }
    if (kind !== 'CSV')
      throw new UsageError(`${kind} inside a compressed file: unpack that, and load what is in it`);
    isFirst = false;
    lineEndBytes = isLineEnds(chunk) ? lineEndBytes + chunk.length : 0;
    if (lineEndBytes > LINE_ENDS_MAX) {
      throw new UsageError(`more than ${LINE_ENDS_MAX} bytes of empty lines in a compressed file`);
    }
    yield chunk;
  }
  dbn?.end();
}

export interface ReadZip extends Pick<ReadFile, 'path' | 'signal' | 'onBytes'> {
  /** Called with the name of each member that cannot hold rows, and is left out. */
  readonly onRowless: ((name: string) => void) | undefined;
}

/** A file that the library cannot read is at fault; other failures stay as they are. */
function zipFault(error: unknown): unknown {
  if (error instanceof UsageError || failureReason(error) !== null) return error;
  return new UsageError(`the zip file is damaged: ${(error as Error).message}`);
}

async function* readMember(
  zip: ZipFile,
  entry: Entry,
  { signal, onBytes }: ReadZip,
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
    throw signal.aborted ? error : zipFault(error);
  }
  if (sum !== entry.crc32) throw new UsageError('the zip file is damaged: wrong checksum');
}

async function membersOf(zip: ZipFile, path: string, onRowless: ReadZip['onRowless']) {
  const members: Entry[] = [];
  for await (const entry of zip.eachEntry()) {
    // Folders, and what macOS adds to its archives.
    if (entry.fileName.endsWith('/') || entry.fileName.startsWith('__MACOSX/')) continue;
    const name = `${path}/${entry.fileName}`;
    // A size of 0 beside a checksum is damage, which is told when the member is read.
    if (isRowless(name, entry.uncompressedSize + entry.crc32)) {
      onRowless?.(name);
      continue;
    }
    if (!entry.canDecodeFileData()) {
      throw new UsageError(`${name} is encrypted, or compressed by a method that is not supported`);
    }
    members.push(entry);
  }
  if (members.length === 0)
    throw new UsageError(`${path} is a zip file with no files in it that can hold rows`);
  return members;
}

/** The members in the archive's order; the file stays open until the last one has been read. */
export async function* zipMembers(
  displayName: string,
  file: ReadZip,
  symbols?: DefinedSymbols,
): AsyncGenerator<CsvSource> {
  const named = (error: unknown) => {
    const fault = zipFault(error) as Error;
    throw fault === error
      ? pathFailure(displayName, error)
      : new UsageError(`${displayName}: ${fault.message}`);
  };
  const zip = await openZip(file.path, { autoClose: false }).catch(named);
  using _zip = atEnd(() => zip.close());
  let doneBytes = 0;
  const members = await membersOf(zip, displayName, file.onRowless).catch(named);
  for (const entry of members) {
    const before = doneBytes;
    const onBytes = (bytes: number) => file.onBytes(before + bytes);
    const open = (isRead?: IsRead) =>
      checkedText(readMember(zip, entry, { ...file, onBytes }), symbols, isRead);
    yield { format: 'csv', displayName: `${displayName}/${entry.fileName}`, open };
    doneBytes += entry.compressedSize;
  }
}
