/**
 * Opens the sources of a load: files, those of folders and patterns, standard input and addresses.
 * Their kind is told from their first bytes: CSV as it is, in gzip or zstd, or as the members of a zip
 * file, and Parquet. The stored bytes of each are summed up as they are read.
 */
import { addAbortSignal, type Readable } from 'node:stream';
import { UsageError } from '../base/errors.ts';
import {
  filesOf,
  type GivenFile,
  inspectFile,
  requireOnce,
  requireUnchanged,
} from './given-files.ts';
import type { SourceFile } from './load-sources.ts';
import { DigestTally, digestFile, type SourceDigest } from './source-digest.ts';
import { streamedFiles } from './source-streams.ts';
import { isUrl, readUrl, shownUrl } from './source-url.ts';
import { Spool, type SpoolPlace } from './spool.ts';
import { type ReadFile, readFileChunks, readPlainFile, SMALL_BYTES } from './stored-bytes.ts';
import { checkedText, unpackedText } from './unpacked-text.ts';
import { zipMembers } from './zip-members.ts';

const STDIN = '-';
const STDIN_NAME = 'standard input';

export interface ReadOptions {
  readonly signal: AbortSignal;
  /** Read where `-` is given; null: it cannot be. */
  readonly stdin: NodeJS.ReadableStream | null;
  /** Where zip and Parquet files are kept that come as streams; null: they are refused. */
  readonly spool: SpoolPlace | null;
  /** Called often with the share of all files' stored bytes that has been read, from 0 to 1. */
  readonly onShare: (share: number) => void;
}

/** A source, and the digest of what was read of it, to be asked for once, behind its last file. */
interface OpenSource {
  readonly files: AsyncIterable<SourceFile> | Iterable<SourceFile>;
  readonly digest: () => Promise<SourceDigest>;
}

export interface OpenSources {
  readonly files: AsyncIterable<SourceFile>;
  /**
   * In the given order, to be called when all files have been loaded. Throws a `UsageError` if one was
   * changed meanwhile.
   */
  digests(): Promise<SourceDigest[]>;
  /** Removes what was kept on disk for the load; to be called at its end, however it ends. */
  close(): void;
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

function givenSources(given: string): Given[] {
  if (given === STDIN) return [{ kind: 'stdin' }];
  if (isUrl(given)) {
    shownUrl(given);
    return [{ kind: 'url', url: given }];
  }
  return filesOf(given).map((path) => ({ kind: 'file', file: inspectFile(path) }));
}

/** Opens one file. What is not read from its beginning to its end is summed up beside the load. */
function openFile(file: GivenFile, options: Pick<ReadFile, 'signal' | 'onBytes'>): OpenSource {
  const { path: displayName, realPath: path, byteCount, kind } = file;
  const tally = new DigestTally();
  const read = { path, byteCount, tally, ...options };
  const ofTally = async () => ({ name: displayName, ...tally.end() });
  const csv = (open: () => AsyncIterable<Buffer>): OpenSource => {
    return { files: [{ format: 'csv', displayName, open }], digest: ofTally };
  };
  if (kind === 'CSV') return csv(() => readPlainFile(read));
  if (kind === 'gzip' || kind === 'zstd') {
    const chunkBytes = Math.max(SMALL_BYTES, byteCount);
    return csv(() => checkedText(unpackedText(kind, readFileChunks(read), chunkBytes)));
  }
  const digesting = digestFile(path, options.signal);
  // Awaited at the end; until then a failure is not an unhandled one.
  digesting.catch(() => {});
  const digest = async () => ({ name: displayName, ...(await digesting) });
  if (kind === 'zip') return { files: zipMembers(displayName, read), digest };
  return { files: [{ format: 'parquet', displayName, path }], digest };
}

function openStream(
  name: string,
  open: () => AsyncIterable<Buffer | string>,
  spool: Spool | null,
  signal: AbortSignal,
): OpenSource {
  const tally = new DigestTally();
  const files = streamedFiles(name, open, tally, spool, signal);
  return { files, digest: async () => ({ name, ...tally.end() }) };
}

class Sources implements OpenSources {
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

  get files(): AsyncIterable<SourceFile> {
    return this.#read();
  }

  async digests(): Promise<SourceDigest[]> {
    const digests = await Promise.all(this.#digests);
    for (const each of this.#given) if (each.kind === 'file') requireUnchanged(each.file);
    return digests;
  }

  close(): void {
    this.#spool?.close();
  }

  async *#read(): AsyncGenerator<SourceFile> {
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
    const { signal } = this.#options;
    if (given.kind === 'url') {
      const read = () => readUrl(given.url, { signal });
      return openStream(shownUrl(given.url), read, this.#spool, signal);
    }
    if (given.kind === 'stdin') {
      return openStream(STDIN_NAME, () => this.#readStdin(), this.#spool, signal);
    }
    return openFile(given.file, { signal, onBytes: (bytes) => this.#showShare(bytes) });
  }

  #readStdin(): AsyncIterable<Buffer | string> {
    const { stdin, signal } = this.#options;
    if (stdin === null) throw new UsageError('there is none to read');
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
 * The sources in the given order, the files of a folder or pattern by name, members of zip files in the
 * archive's order. Throws a `UsageError` for the first one that is missing, given twice, empty, no file,
 * or of another kind. A file is opened when its turn comes and closed before the next.
 */
export function openSources(given: readonly string[], options: ReadOptions): OpenSources {
  const sources = given.flatMap(givenSources);
  if (sources.filter(({ kind }) => kind === 'stdin').length > 1) {
    throw new UsageError(`${STDIN_NAME} (${STDIN}) is given twice`);
  }
  requireOnce(sources.flatMap((each) => (each.kind === 'file' ? [each.file] : [])));
  return new Sources(sources, options);
}

/** The digests of files, and of those of folders and patterns, that are not loaded. */
export async function digestsOf(
  paths: readonly string[],
  signal: AbortSignal,
): Promise<SourceDigest[]> {
  const digests: SourceDigest[] = [];
  for (const name of paths.flatMap(filesOf)) {
    digests.push({ name, ...(await digestFile(name, signal)) });
  }
  return digests;
}
