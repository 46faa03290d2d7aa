/**
 * Opens the sources of a load: files, folders, patterns, standard input and addresses. The first
 * bytes of a source tell its kind: plain CSV, CSV in gzip or zstd, the members of a zip file, or
 * Parquet. Sums up the stored bytes of each source while reading.
 */
import { addAbortSignal, type Readable } from 'node:stream';
import { UsageError } from '../base/errors.ts';
import type { DefinedSymbols, IsRead } from './dbn-text.ts';
import {
  filesOf,
  type GivenFile,
  inspectFile,
  requireOnce,
  requireUnchanged,
} from './given-files.ts';
import { type CsvSource, namedFailure, type SourceFile } from './load-sources.ts';
import { checkedText, type ReadZip, unpackedText, zipMembers } from './packed-sources.ts';
import {
  DigestTally,
  digestFile,
  HEAD_BYTES,
  KINDS_READ,
  kindOf,
  readFileChunks,
  readPlainFile,
  SMALL_BYTES,
  type SourceDigest,
} from './source-bytes.ts';
import { isUrl, readUrl, shownUrl } from './source-url.ts';
import { Spool, type SpoolPlace } from './spool.ts';

const STDIN = '-';
const STDIN_NAME = 'standard input';

export interface ReadOptions {
  readonly signal: AbortSignal;
  /** Read where `-` is given; null: it cannot be. */
  readonly stdin: NodeJS.ReadableStream | null;
  /** Keeps zip and Parquet files that come as streams; null: they are refused. */
  readonly spool: SpoolPlace | null;
  /** The symbols of records of DBN; absent: as their files say. */
  readonly symbols?: DefinedSymbols | undefined;
  /** Called often with the share of all files' stored bytes that has been read, from 0 to 1. */
  readonly onShare: (share: number) => void;
  /** True if a recipe reads the files; absent: none does. */
  readonly isByRecipe?: boolean;
  /** Called with each file of a folder, pattern or zip file that cannot hold rows. */
  readonly onRowless?: (name: string) => void;
}

/** A source, and the digest of what was read of it, to be asked for once, behind its last file. */
interface OpenSource {
  readonly files: AsyncIterable<SourceFile> | Iterable<SourceFile>;
  readonly digest: () => Promise<SourceDigest>;
}

type Given =
  | { readonly kind: 'file'; readonly file: GivenFile }
  | { readonly kind: 'stdin' }
  | { readonly kind: 'url'; readonly url: string };

/** A source as messages and records may show it: of an address neither user nor query. */
export function shownSource(given: string): string {
  if (given === STDIN) return STDIN_NAME;
  return isUrl(given) ? shownUrl(given) : given;
}

function givenSources(given: string, options: ReadOptions): Given[] {
  if (given === STDIN) return [{ kind: 'stdin' }];
  if (isUrl(given)) {
    shownUrl(given);
    return [{ kind: 'url', url: given }];
  }
  const { isByRecipe = false, onRowless } = options;
  const files = filesOf(given, { isByRecipe: () => isByRecipe, onRowless });
  return files.map((path) => ({ kind: 'file', file: inspectFile(path) }));
}

/** Opens one file. What is not read from its beginning to its end is summed up beside the load. */
function openFile(
  file: GivenFile,
  options: Pick<ReadZip, 'signal' | 'onBytes' | 'onRowless'>,
  symbols?: DefinedSymbols,
): OpenSource {
  const { path: displayName, realPath: path, byteCount, kind } = file;
  const tally = new DigestTally();
  const read = { path, byteCount, tally, ...options };
  const ofTally = async () => ({ name: displayName, ...tally.end() });
  const csv = (open: CsvSource['open']): OpenSource => {
    return { files: [{ format: 'csv', displayName, open }], digest: ofTally };
  };
  if (kind === 'CSV') return csv(() => readPlainFile(read));
  if (kind === 'DBN') return csv((isRead) => checkedText(readPlainFile(read), symbols, isRead));
  if (kind === 'gzip' || kind === 'zstd') {
    const chunkBytes = Math.max(SMALL_BYTES, byteCount);
    return csv((isRead) =>
      checkedText(unpackedText(kind, readFileChunks(read), chunkBytes), symbols, isRead),
    );
  }
  const digesting = digestFile(path, options.signal);
  // Awaited at the end; until then a failure is not an unhandled one.
  digesting.catch(() => {});
  const digest = async () => ({ name: displayName, ...(await digesting) });
  if (kind === 'zip') return { files: zipMembers(displayName, read, symbols), digest };
  return { files: [{ format: 'parquet', displayName, path }], digest };
}

interface Peeked {
  readonly head: Buffer;
  /** All bytes, the head among them, each chunk added to a tally as it is read. */
  readonly stored: AsyncGenerator<Buffer>;
}

/** Reads the beginning of a stream, at least what tells its kind, if there is so much. */
async function peek(chunks: AsyncIterable<Buffer | string>, tally: DigestTally): Promise<Peeked> {
  const iterator = chunks[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await iterator.next();
    return done ? null : Buffer.from(value as Buffer);
  };
  let head = Buffer.alloc(0);
  for (let chunk = await next(); chunk; chunk = head.length < HEAD_BYTES ? await next() : null) {
    head = Buffer.concat([head, chunk]);
  }
  async function* stored() {
    try {
      for (let chunk: Buffer | null = head; chunk; chunk = await next()) {
        tally.add(chunk);
        yield chunk;
      }
    } finally {
      await iterator.return?.();
    }
  }
  return { head, stored: stored() };
}

/** Text to be read once, or a file that was kept on disk. */
type OpenedStream =
  | { readonly kind: 'text'; readonly open: CsvSource['open'] }
  | { readonly kind: 'Parquet' | 'zip'; readonly path: string };

/** A source that comes once and in order. */
interface StreamOptions {
  readonly tally: DigestTally;
  /** Keeps zip and Parquet files on disk, which cannot be read in order; null: they are refused. */
  readonly spool: Spool | null;
  readonly symbols: DefinedSymbols | undefined;
  readonly signal: AbortSignal;
  readonly onRowless: ReadOptions['onRowless'];
}

async function openStream(
  chunks: AsyncIterable<Buffer | string>,
  { tally, spool, symbols, signal }: StreamOptions,
): Promise<OpenedStream> {
  const { head, stored } = await peek(chunks, tally);
  if (head.length === 0) throw new UsageError('it is empty');
  const kind = kindOf(head);
  if (kind === 'CSV') return { kind: 'text', open: () => stored };
  if (kind === 'DBN')
    return { kind: 'text', open: (isRead) => checkedText(stored, symbols, isRead) };
  if (kind === 'gzip' || kind === 'zstd') {
    const open = (isRead?: IsRead) => checkedText(unpackedText(kind, stored), symbols, isRead);
    return { kind: 'text', open };
  }
  if (kind !== 'Parquet' && kind !== 'zip') throw new UsageError(`${kind}; ${KINDS_READ}`);
  if (spool !== null) return { kind, path: await spool.keep(stored, signal) };
  throw new UsageError(`${kind} can only be read from a file: save it first`);
}

/** The files of a stream, once: its text, the members of a zip file, or a Parquet file. */
async function* filesOfStream(
  displayName: string,
  chunks: AsyncIterable<Buffer | string>,
  options: StreamOptions,
): AsyncGenerator<SourceFile> {
  const opened = await openStream(chunks, options).catch((error: unknown) => {
    throw namedFailure(displayName, error);
  });
  if (opened.kind === 'text') yield { format: 'csv', displayName, open: opened.open };
  else if (opened.kind === 'Parquet') yield { format: 'parquet', displayName, path: opened.path };
  else {
    const read = { ...opened, ...options, onBytes: () => undefined };
    yield* zipMembers(displayName, read, options.symbols);
  }
}

/** The sources of a load, which opens each when its turn comes. */
export class OpenSources {
  readonly #given: readonly Given[];
  readonly #options: ReadOptions;
  readonly #allBytes: number;
  readonly #digests: Promise<SourceDigest>[] = [];
  readonly #spool: Spool | null;
  #doneBytes = 0;

  constructor(given: readonly Given[], options: ReadOptions) {
    this.#given = given;
    this.#options = options;
    this.#spool = options.spool && new Spool(options.spool);
    this.#allBytes = given.reduce((sum, each) => sum + this.#bytesOf(each), 0);
  }

  /** Another one means a change; null: not all are files. */
  get mark(): string | null {
    const marks = this.#given.map(
      (each) => each.kind === 'file' && [each.file.path, each.file.mark],
    );
    return marks.includes(false) ? null : JSON.stringify(marks);
  }

  /**
   * In the given order, to be called when all files have been loaded. Throws a `UsageError` if one
   * was changed meanwhile.
   */
  async digests(): Promise<SourceDigest[]> {
    const digests = await Promise.all(this.#digests);
    for (const each of this.#given) if (each.kind === 'file') requireUnchanged(each.file);
    return digests;
  }

  /** Removes what was kept on disk for the load; to be called at its end, however it ends. */
  close(): void {
    this.#spool?.close();
  }

  /** The files, once. A file is opened when its turn comes and closed before the next. */
  async *files(): AsyncGenerator<SourceFile> {
    for (const each of this.#given) {
      const { files, digest } = this.#open(each);
      yield* files;
      // Who asks for the next one has read this one, except where the engine itself reads it.
      const digesting = digest();
      digesting.catch(() => {});
      this.#digests.push(digesting);
      this.#doneBytes += this.#bytesOf(each);
      this.#showShare(0);
    }
  }

  #open(given: Given): OpenSource {
    const { signal, symbols, onRowless } = this.#options;
    if (given.kind === 'file') {
      const onBytes = (bytes: number) => this.#showShare(bytes);
      return openFile(given.file, { signal, onBytes, onRowless }, symbols);
    }
    const isStdin = given.kind === 'stdin';
    const name = isStdin ? STDIN_NAME : shownUrl(given.url);
    const chunks = isStdin ? this.#readStdin() : readUrl(given.url, { signal });
    const tally = new DigestTally();
    const spool = this.#spool;
    const files = filesOfStream(name, chunks, { tally, spool, symbols, signal, onRowless });
    return { files, digest: async () => ({ name, ...tally.end() }) };
  }

  #readStdin(): AsyncIterable<Buffer | string> {
    const { stdin, signal } = this.#options;
    if (stdin === null) throw new UsageError(`${STDIN_NAME}: there is none to read`);
    // Otherwise an interrupt would wait for the next byte.
    addAbortSignal(signal, stdin as Readable);
    return stdin;
  }

  #bytesOf(given: Given): number {
    return given.kind === 'file' ? given.file.byteCount : 0;
  }

  #showShare(bytes: number): void {
    if (this.#allBytes > 0) this.#options.onShare((this.#doneBytes + bytes) / this.#allBytes);
  }
}

/**
 * The sources in the given order, the files of a folder or pattern by name, members of zip files in
 * the archive's order. Throws a `UsageError` for the first one that is missing, given twice, empty,
 * no file, or of another kind.
 */
export function openSources(given: readonly string[], options: ReadOptions): OpenSources {
  const sources = given.flatMap((each) => givenSources(each, options));
  if (sources.filter(({ kind }) => kind === 'stdin').length > 1) {
    throw new UsageError(`${STDIN_NAME} (${STDIN}) is given twice`);
  }
  requireOnce(sources.flatMap((each) => (each.kind === 'file' ? [each.file] : [])));
  return new OpenSources(sources, options);
}

/** The digests of files, and of those of folders and patterns, that are not loaded. */
export async function digestsOf(
  paths: readonly string[],
  signal: AbortSignal,
  isByRecipe = false,
): Promise<SourceDigest[]> {
  const digests: SourceDigest[] = [];
  for (const name of paths.flatMap((path) => filesOf(path, { isByRecipe: () => isByRecipe }))) {
    digests.push({ name, ...(await digestFile(name, signal)) });
  }
  return digests;
}
