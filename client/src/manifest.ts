/** Whole results as files, with links that are renewed when they expire. */
import { TicklakeError } from './errors.ts';
import { type FileEntry, RemoteFile } from './remote-file.ts';
import { type Missing, missingIn } from './told.ts';
import type { Transport } from './transport.ts';
import type { Manifest } from './types.ts';

export type FileFormat = 'parquet' | 'arrow' | 'csv_gzip';

/** The files of a result: one after the other they are all of its rows, in natural order. */
export interface FileSet {
  readonly datasetId: string;
  readonly version: number | null;
  /** The version of the adjustment factors, if rows are adjusted on request. */
  readonly factorsVersion: number | null;
  readonly window: string | null;
  readonly format: string;
  readonly rowCount: number;
  readonly byteCount: number;
  /** An Arrow stream with the types of the columns, of files in that format. */
  readonly rowlessStream: Uint8Array<ArrayBuffer> | null;
  /** A hint at what was meant, on some results without rows, or at what the rows lack. */
  readonly hint: string | null;
  /** Which companies a ticker of the request meant, by dates, where it meant more than one. */
  readonly symbols: string | null;
  /** Identifiers of a list without rows, with at most 1,000 names; null if unknown. */
  readonly missing: Missing | null;
  /** Left of the month's quotas (null: no limit), and if the files fit. */
  readonly allowance: Manifest['allowance'];
  readonly files: readonly RemoteFile[];
}

/** Names that are no more than names, on any system. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/;

function requireName({ name }: FileEntry): void {
  if (NAME.test(name)) return;
  throw new TicklakeError(
    `The service names a file ${JSON.stringify(name)}, which is no plain name`,
  );
}

/** Files by their digests, from a manifest that was asked for last. */
class Links {
  readonly #read: () => Promise<Manifest>;
  #answer: Promise<Manifest>;

  constructor(read: () => Promise<Manifest>) {
    this.#read = read;
    this.#answer = read();
  }

  get answer(): Promise<Manifest> {
    return this.#answer;
  }

  /** The link to a file now; asked for anew if it is still the one that did not serve. */
  async renewed(sha256: string, stale: string): Promise<string> {
    const held = this.#answer;
    const known = (await held).files.find((file) => file.sha256 === sha256);
    if (known && known.url !== stale) return known.url;
    if (this.#answer === held) this.#answer = this.#read();
    const again = this.#answer;
    // A failure is met by who awaits it, and the next one asks again.
    const { files } = await again.catch((error: unknown) => {
      if (this.#answer === again) this.#answer = held;
      throw error;
    });
    const found = files.find((file) => file.sha256 === sha256);
    if (found) return found.url;
    throw new TicklakeError('The file is no part of the result any more');
  }
}

function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

export async function openFiles(
  transport: Transport,
  read: () => Promise<Manifest>,
  signal: AbortSignal | undefined,
): Promise<FileSet> {
  const links = new Links(read);
  const answer = await links.answer;
  answer.files.forEach(requireName);
  return {
    datasetId: answer.dataset_id,
    version: answer.dataset_version,
    factorsVersion: answer.factors_version,
    window: answer.window,
    format: answer.response_format,
    rowCount: answer.row_count,
    byteCount: answer.byte_count,
    rowlessStream: answer.rowless_stream ? bytesOfBase64(answer.rowless_stream) : null,
    hint: answer.hint,
    symbols: answer.symbols,
    missing: missingIn(answer),
    allowance: answer.allowance,
    files: answer.files.map((entry) => {
      const renew = (stale: string) => links.renewed(entry.sha256, stale);
      return new RemoteFile(transport, entry, renew, signal);
    }),
  };
}
