/**
 * Sources that come once and in order: standard input, and files at addresses. Only CSV can be read so; zip and
 * Parquet files are kept on disk first.
 */
import { statSync } from 'node:fs';
import { UsageError } from '../base/errors.ts';
import type { SourceFile } from './load-sources.ts';
import { DigestTally } from './source-digest.ts';
import { HEAD_BYTES, KINDS_READ, kindOf } from './source-kinds.ts';
import type { Spool } from './spool.ts';
import { checkedText, unpackedText } from './unpacked-text.ts';
import { zipMembers } from './zip-members.ts';

/** The first chunk holds at least what tells the kind, if there is so much. */
async function* tallied(
  chunks: AsyncIterable<Buffer | string>,
  tally: DigestTally,
): AsyncGenerator<Buffer> {
  let head: Buffer | null = Buffer.alloc(0);
  for await (const given of chunks) {
    const chunk = Buffer.from(given as Buffer);
    tally.add(chunk);
    if (head === null) yield chunk;
    else {
      head = Buffer.concat([head, chunk]);
      if (head.length < HEAD_BYTES) continue;
      yield head;
      head = null;
    }
  }
  if (head !== null && head.length > 0) yield head;
}

async function* withFirst(first: Buffer, others: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield first;
    yield* others;
  } finally {
    await others.return(undefined);
  }
}

interface BegunStream {
  readonly kind: string;
  /** From the first byte on, as they are stored. */
  readonly stored: AsyncGenerator<Buffer>;
}

async function begin(
  chunks: AsyncIterable<Buffer | string>,
  tally: DigestTally,
): Promise<BegunStream> {
  const others = tallied(chunks, tally);
  const { value: first, done } = await others.next();
  if (done === true) throw new UsageError('it is empty');
  return { kind: kindOf(first), stored: withFirst(first, others) };
}

/** A failure is told with the name of its source by whoever reads it. */
async function* failing(error: unknown): AsyncGenerator<Buffer> {
  yield await Promise.reject(error);
}

/** Text to be read once, or a file that was kept on disk. */
type OpenedStream =
  | { readonly text: () => AsyncIterable<Buffer> }
  | { readonly kind: 'Parquet' | 'zip'; readonly path: string };

async function openedStream(
  chunks: AsyncIterable<Buffer | string>,
  tally: DigestTally,
  spool: Spool | null,
  signal: AbortSignal,
): Promise<OpenedStream> {
  const { kind, stored } = await begin(chunks, tally);
  if (kind === 'CSV') return { text: () => stored };
  if (kind === 'gzip' || kind === 'zstd') {
    return { text: () => checkedText(unpackedText(kind, stored)) };
  }
  if (kind !== 'Parquet' && kind !== 'zip') throw new UsageError(`${kind}; ${KINDS_READ}`);
  if (spool !== null) return { kind, path: await spool.keep(stored, signal) };
  throw new UsageError(`${kind} can only be read from a file: save it first`);
}

/**
 * The files of a stream that stays as it is, to be asked for once: its text, plain or packed, the members of a
 * zip file, or a Parquet file. `spool` null: the latter two are refused.
 */
export async function* streamedFiles(
  displayName: string,
  open: () => AsyncIterable<Buffer | string>,
  tally: DigestTally,
  spool: Spool | null,
  signal: AbortSignal,
): AsyncGenerator<SourceFile> {
  const opened = await openedStream(open(), tally, spool, signal).catch((error: unknown) => ({
    text: () => failing(error),
  }));
  if ('text' in opened) {
    yield { format: 'csv', displayName, open: opened.text };
    return;
  }
  const { kind, path } = opened;
  if (kind === 'Parquet') yield { format: 'parquet', displayName, path };
  else {
    const byteCount = statSync(path).size;
    // The bytes are summed up already.
    const read = { path, byteCount, tally: new DigestTally(), signal, onBytes: () => undefined };
    yield* zipMembers(displayName, read);
  }
}
