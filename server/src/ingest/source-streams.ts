/** Sources that come once and in order: standard input, and files at addresses. Only CSV can be read so. */
import { UsageError } from '../base/errors.ts';
import type { CsvSource } from './load-sources.ts';
import type { DigestTally } from './source-digest.ts';
import { HEAD_BYTES, KINDS_READ, kindOf } from './source-kinds.ts';
import { checkedText, unpackedText } from './unpacked-text.ts';

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

async function* textOf(
  chunks: AsyncIterable<Buffer | string>,
  tally: DigestTally,
): AsyncGenerator<Buffer> {
  const others = tallied(chunks, tally);
  const { value: first, done } = await others.next();
  if (done === true) throw new UsageError('it is empty');
  const kind = kindOf(first);
  const stored = withFirst(first, others);
  if (kind === 'CSV') yield* stored;
  else if (kind === 'gzip' || kind === 'zstd') yield* checkedText(unpackedText(kind, stored));
  else {
    await others.return(undefined);
    const isReadFromFiles = kind === 'Parquet' || kind === 'zip';
    throw new UsageError(
      isReadFromFiles
        ? `${kind} can only be read from a file: save it first`
        : `${kind}; ${KINDS_READ}`,
    );
  }
}

/** CSV text, plain or packed, of chunks that stay as they are. It can be opened once. */
export function streamedSource(
  displayName: string,
  open: () => AsyncIterable<Buffer | string>,
  tally: DigestTally,
): CsvSource {
  return { format: 'csv', displayName, open: () => textOf(open(), tally) };
}
