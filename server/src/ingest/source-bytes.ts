/** The stored bytes of sources: their kind, their digest, and how they are read. */
import { createHash, type Hash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';

export const HEAD_BYTES = 265;
export const KINDS_READ =
  'only CSV and DBN (plain, gzip, zstd or zip) and Parquet files can be loaded';

export type SourceKind = 'CSV' | 'DBN' | 'gzip' | 'zstd' | 'zip' | 'Parquet';

const hexOf = (text: string) => Buffer.from(text, 'latin1').toString('hex');
/** The first files in the zip file that an office program writes. */
const OFFICE = ['[Content_Types].xml', '_rels/.rels', 'docProps/', 'xl/w', 'mimetypeapplication/'];

/** The first bytes of files that are not CSV. */
const MAGIC: readonly (readonly [kind: string, hex: RegExp])[] = [
  ['gzip', /^1f8b/],
  // The second one is a frame without text, with which some writers begin.
  ['zstd', /^28b52ffd/],
  ['zstd', /^5.2a4d18/],
  ['a workbook (save it as CSV)', new RegExp(`^504b0304.{52}(${OFFICE.map(hexOf).join('|')})`)],
  ['a workbook (save it as CSV)', /^d0cf11e0a1b11ae1/],
  ['a tar archive (unpack it first)', /^.{514}7573746172(003030|202000)/],
  ['a 7z archive (unpack it first)', /^377abcaf271c/],
  ['zip', /^504b0304/],
  ['zip', /^504b0506/],
  ['Parquet', /^50415231/],
  ['encrypted Parquet', /^50415245/],
  ['bzip2', /^425a68/],
  ['xz', /^fd377a585a00/],
  ['DBN', /^44424e0[1-3]/],
  ['UTF-16 text', /^fffe/],
  ['UTF-16 text', /^feff/],
];

const CR_TEXT = 'text whose lines end with CR alone (save it with LF or CRLF as line ends)';
/** Text up to a CR outside of quotes, then more text without an LF. */
const CR_LINES = /^("[^"]*"|[\t !#-\xff])*\r[\t\r -\xff]+$/;

/** A `SourceKind`, or the name of a kind that cannot be loaded. */
export function kindOf(head: Buffer): string {
  const bytes = head.subarray(0, HEAD_BYTES);
  const hex = bytes.toString('hex');
  const kind = MAGIC.find(([, magic]) => magic.test(hex))?.[0];
  return kind ?? (CR_LINES.test(bytes.toString('latin1')) ? CR_TEXT : 'CSV');
}

const LOADED: readonly string[] = [
  ...(['CSV', 'DBN', 'gzip', 'zstd', 'zip', 'Parquet'] satisfies SourceKind[]),
];

export function isLoaded(kind: string): kind is SourceKind {
  return LOADED.includes(kind);
}

const CHUNK_BYTES = 1_048_576;

export interface SourceDigest {
  /** The path or address as it was given or found, without credentials. */
  readonly name: string;
  readonly byteCount: number;
  /** 64 hex digits, of the stored bytes. */
  readonly sha256: string;
}

/** Sums up bytes as they are read: about 0.6 ms for a megabyte where the processor helps. */
export class DigestTally {
  readonly #hash: Hash = createHash('sha256');
  byteCount = 0;

  add(chunk: Buffer): void {
    this.#hash.update(chunk);
    this.byteCount += chunk.length;
  }

  /** To be called once. */
  end(): Omit<SourceDigest, 'name'> {
    return { byteCount: this.byteCount, sha256: this.#hash.digest('hex') };
  }
}

/** The digest of a file that is read from its beginning to its end for this alone. */
export async function digestFile(
  path: string,
  signal: AbortSignal,
): Promise<Omit<SourceDigest, 'name'>> {
  const tally = new DigestTally();
  signal.throwIfAborted();
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
    signal.throwIfAborted();
    tally.add(chunk as Buffer);
  }
  return tally.end();
}

/**
 * One digest for many files: of the text that `sha256sum` prints for them, a line for each, in the
 * order of their names.
 */
export function manifestDigest(name: string, files: readonly SourceDigest[]): SourceDigest {
  const inOrder = [...files].sort((a, b) => (a.name < b.name ? -1 : 1));
  const lines = inOrder.map((file) => `${file.sha256}  ${file.name}\n`);
  const sha256 = createHash('sha256').update(lines.join('')).digest('hex');
  return { name, byteCount: files.reduce((sum, { byteCount }) => sum + byteCount, 0), sha256 };
}

export const SMALL_BYTES = 65_536;

/** How one file is read. */
export interface ReadFile {
  readonly path: string;
  readonly byteCount: number;
  readonly signal: AbortSignal;
  readonly tally: DigestTally;
  /** Called with the stored bytes of the file that have been read so far. */
  readonly onBytes: (byteCount: number) => void;
}

/** A chunk is overwritten when the next but one is asked for. */
export async function* readPlainFile(file: ReadFile): AsyncGenerator<Buffer> {
  const { path, byteCount, signal, tally, onBytes } = file;
  signal.throwIfAborted();
  // A handle costs more than reading a small file, of which there may be many.
  if (byteCount <= SMALL_BYTES) {
    const bytes = readFileSync(path);
    tally.add(bytes);
    yield bytes;
    return;
  }
  const handle = await open(path);
  const read = (into: Buffer) => handle.read(into, 0, CHUNK_BYTES);
  let reading = read(Buffer.alloc(CHUNK_BYTES));
  let waiting: Buffer = Buffer.alloc(CHUNK_BYTES);
  try {
    for (;;) {
      const { bytesRead, buffer } = await reading;
      signal.throwIfAborted();
      if (bytesRead === 0) return;
      // The next chunk comes while this one is used; the two take turns.
      reading = read(waiting);
      waiting = buffer;
      const chunk = buffer.subarray(0, bytesRead);
      tally.add(chunk);
      yield chunk;
      onBytes(tally.byteCount);
    }
  } finally {
    await reading.catch(() => {});
    await handle.close();
  }
}

/** Chunks that stay as they are. */
export async function* readFileChunks(file: ReadFile): AsyncGenerator<Buffer> {
  const { path, signal, tally, onBytes } = file;
  for await (const chunk of createReadStream(path, { signal, highWaterMark: CHUNK_BYTES })) {
    tally.add(chunk as Buffer);
    yield chunk as Buffer;
    onBytes(tally.byteCount);
  }
}
