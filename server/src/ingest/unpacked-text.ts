/** Unpacks gzip and zstd as streams, so that what a small file unpacks to fills neither memory nor disk. */
import { pipeline, Readable } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { UsageError } from '../base/errors.ts';
import { KINDS_READ, kindOf } from './source-kinds.ts';

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
 * The text in packed bytes, whose chunks must stay as they are. Several packed parts may follow each
 * other; throws a `UsageError` where anything else follows, and where the data is damaged or cut off.
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

/** Passes text on, unless its first bytes say that it is none, or it is empty lines for too long. */
export async function* checkedText(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isFirst = true;
  let lineEndBytes = 0;
  for await (const chunk of chunks) {
    const kind = isFirst ? kindOf(chunk) : 'CSV';
    if (kind !== 'CSV') throw new UsageError(`${kind} inside a compressed file; ${KINDS_READ}`);
    isFirst = false;
    lineEndBytes = isLineEnds(chunk) ? lineEndBytes + chunk.length : 0;
    if (lineEndBytes > LINE_ENDS_MAX) {
      throw new UsageError(`more than ${LINE_ENDS_MAX} bytes of empty lines in a compressed file`);
    }
    yield chunk;
  }
}
