/** A file of the service: resumed where it broke off, and checked at its end. */
import { streamOf } from './byte-stream.ts';
import { APIError, IntegrityError, TicklakeError } from './errors.ts';
import { builtinModule, type FileHandle } from './runtime.ts';
import { type Hash, hexOf, sha256 } from './sha256.ts';
import type { Opened, Transport } from './transport.ts';
import type { Manifest } from './types.ts';

/** A file as a manifest names it. */
export type FileEntry = Manifest['files'][number];

export interface DownloadOptions {
  /** Called with the bytes of the file that are there, those of an earlier attempt included. */
  readonly onProgress?: (byteCount: number) => void;
}

/** Bytes read at a time of a file that is there already. */
const STEP_BYTES = 1 << 20;

/** The first byte of an answer in the file. Throws an IntegrityError for another file. */
function startOf({ status, headers }: Opened, asked: number, byteCount: number): number {
  if (status !== 206) return 0;
  const range = headers.get('content-range') ?? '';
  const [, first, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(range) ?? [];
  if (Number(first) === asked && Number(total) === byteCount) return asked;
  throw new IntegrityError(
    `The service sent ${range || 'a range'} in place of bytes from ${asked}`,
  );
}

/** Resolves to the bytes that a file has. */
async function readInto(hash: Hash, handle: FileHandle): Promise<number> {
  const buffer = new Uint8Array(STEP_BYTES);
  for (let at = 0; ; ) {
    const { bytesRead } = await handle.read(buffer, 0, STEP_BYTES, at);
    if (bytesRead === 0) return at;
    hash.update(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
}

export class RemoteFile {
  readonly name: string;
  readonly rowCount: number;
  readonly byteCount: number;
  /** Hexadecimal. */
  readonly sha256: string;
  /** Keys of the first and the last partition that it has rows of. */
  readonly firstPartition: string;
  readonly lastPartition: string;
  readonly #transport: Transport;
  readonly #renew: (stale: string) => Promise<string>;
  readonly #signal: AbortSignal | undefined;
  #url: string;

  /** Made by `openFiles`. */
  constructor(
    transport: Transport,
    entry: FileEntry,
    renew: (stale: string) => Promise<string>,
    signal: AbortSignal | undefined,
  ) {
    this.name = entry.name;
    this.rowCount = entry.row_count;
    this.byteCount = entry.byte_count;
    this.sha256 = entry.sha256;
    this.firstPartition = entry.first_partition;
    this.lastPartition = entry.last_partition;
    this.#url = entry.url;
    this.#transport = transport;
    this.#renew = renew;
    this.#signal = signal;
  }

  /**
   * The bytes. They end with an IntegrityError if their digest is wrong: be ready to undo what you
   * did with them before.
   */
  stream(): ReadableStream<Uint8Array> {
    return streamOf(this.#checked());
  }

  /**
   * Writes the file and its folder, in Node, Deno and Bun. Until it is whole and its digest right,
   * it is at `path` with `.partial` added, and a later call resumes it.
   */
  async download(path: string, { onProgress }: DownloadOptions = {}): Promise<void> {
    const files = builtinModule('node:fs/promises');
    if (!files) throw new TicklakeError('This runtime writes no files: use stream()');
    const [folder] = /^.*[/\\]/.exec(path) ?? [];
    if (folder) await files.mkdir(folder, { recursive: true });
    const partial = `${path}.partial`;
    // A partial file or the new bytes may be damaged: try once more, from the start.
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#writePartial(await files.open(partial, 'a+'), onProgress);
        break;
      } catch (error) {
        if (!(error instanceof IntegrityError)) throw error;
        await files.rm(partial, { force: true });
        if (attempt === 2) throw error;
      }
    }
    await files.rename(partial, path);
  }

  /** Adds to a file what it lacks, and closes it. */
  async #writePartial(
    handle: FileHandle,
    onProgress: DownloadOptions['onProgress'],
  ): Promise<void> {
    try {
      const hash = sha256();
      let at = await readInto(hash, handle);
      onProgress?.(at);
      for await (const chunk of this.#chunks(at)) {
        hash.update(chunk);
        await handle.appendFile(chunk);
        at += chunk.length;
        onProgress?.(at);
      }
      this.#check(hash.digest(), at);
      await handle.sync();
    } finally {
      await handle.close();
    }
  }

  async *#checked(): AsyncGenerator<Uint8Array> {
    const hash = sha256();
    let byteCount = 0;
    for await (const chunk of this.#chunks(0)) {
      hash.update(chunk);
      byteCount += chunk.length;
      yield chunk;
    }
    this.#check(hash.digest(), byteCount);
  }

  #check(digest: Uint8Array, byteCount: number): void {
    if (byteCount !== this.byteCount) {
      throw new IntegrityError(`${this.name} has ${byteCount} bytes, not ${this.byteCount}`);
    }
    if (hexOf(new Uint8Array(digest)) === this.sha256) return;
    throw new IntegrityError(`The bytes of ${this.name} are not those of its digest`);
  }

  /** The bytes from one on, over as many connections as it takes. */
  async *#chunks(start: number): AsyncGenerator<Uint8Array> {
    let at = start;
    for (let attempt = 1; at < this.byteCount; attempt++) {
      try {
        const opened = await this.#open(at);
        // The whole file in place of a range begins with what is there already.
        let skipped = at - startOf(opened, at, this.byteCount);
        for await (const chunk of opened.chunks) {
          const fresh = chunk.subarray(Math.min(skipped, chunk.length));
          skipped -= chunk.length - fresh.length;
          if (fresh.length === 0) continue;
          at += fresh.length;
          attempt = 1;
          yield fresh;
        }
        if (at >= this.byteCount) return;
        throw new IntegrityError(`${this.name} ended after ${at} of ${this.byteCount} bytes`);
      } catch (failure) {
        await this.#transport.waitAfter(failure, attempt, this.#signal);
      }
    }
  }

  /** An answer with the bytes from one on, or with all of them. */
  async #open(start: number): Promise<Opened> {
    try {
      return await this.#send(start);
    } catch (error) {
      const isStale = error instanceof APIError && error.status === 403;
      if (!isStale || !/ask for a new manifest/.test(error.detail)) throw error;
      this.#url = await this.#renew(this.#url);
      return await this.#send(start);
    }
  }

  #send(start: number): Promise<Opened> {
    const transport = this.#transport;
    const url = transport.ownUrl(this.#url, transport.urlOf(''));
    const range = { Range: `bytes=${start}-`, 'If-Range': `"${this.sha256}"` };
    const headers: Record<string, string> = start > 0 ? range : {};
    const request = { url, headers, isKeyed: false, signal: this.#signal };
    return transport.send(request, async (opened) => opened);
  }
}
