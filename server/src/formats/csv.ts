/** Pages as CSV, plain or as a gzip file. */

import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';
import { ArrivalQueue, Semaphore } from '../base/semaphore.ts';
import type { Column } from '../catalog/dataset.ts';
import type { RowSource } from '../engine/row-source.ts';
import type { TimeZone } from '../time/time-zone.ts';
import { BLOCK_BYTES, ByteSink, releaseBlock, takeBlock, textOf } from './byte-sink.ts';
import type { Format, PageFrame, WrittenPage } from './format.ts';
import { type CellStyle, type RowWriter, rowWriter } from './row-bytes.ts';
import { textBody, writeRows } from './write-rows.ts';

const NEEDS_QUOTES = /[",\n\r]/;

/** RFC 4180. An empty string is quoted, so that it differs from null. */
export function csvString(value: string): string {
  if (value === '') return '""';
  return NEEDS_QUOTES.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

const STYLE: CellStyle = {
  nullText: textOf(''),
  string: csvString,
  array: (json) => `"${json.replaceAll('"', '""')}"`,
  ...{ quote: '', exactQuote: '' },
};

/** Rows as CSV lines, each ended by `\n`. */
export function csvRowWriter(
  sink: ByteSink,
  columns: readonly Column[],
  zone: TimeZone,
): RowWriter {
  const before = columns.map((_, c) => textOf(c === 0 ? '' : ','));
  return rowWriter(sink, columns, { style: STYLE, zone }, before, textOf('\n'));
}

export function csvHeader(columns: readonly Column[]): string {
  return `${columns.map(({ name }) => `"${name.replaceAll('"', '""')}"`).join(',')}\n`;
}

/** The first page has the header line, too. */
function writeLines(
  source: RowSource,
  frame: PageFrame,
  sink: ByteSink,
  options?: Parameters<typeof writeRows>[3],
): ReturnType<typeof writeRows> {
  const { columns, offset, timeZone } = frame;
  if (offset === 0) sink.write(textOf(csvHeader(columns)));
  return writeRows(source.rows(), frame, csvRowWriter(sink, columns, timeZone), options);
}

export const CSV_FORMAT: Format = {
  name: 'csv',
  contentType: 'text/csv',
  fileSuffix: null,
  rowLimits: () => ({ default: 3_000, max: 30_000 }),
  pagination: 'in headers',
  encodings: [],
  isColumnar: false,
  tagStrength: 'strong',
  bodySchema: () => ({ type: 'string' }),
  write: (source, frame) => textBody(source, 'csv', (sink) => writeLines(source, frame, sink)),
};

/** Writes the lines as a gzip file, in pieces; `onRoom` resolves when there is room for more. */
async function compressLines(
  source: RowSource,
  frame: PageFrame,
  write: (bytes: Buffer) => void,
  onRoom: () => Promise<void> = async () => undefined,
): ReturnType<typeof writeRows> {
  const body = new GzipBody(write);
  const sink = new ByteSink((block) => body.add(block));
  const room = async () => {
    await body.room();
    await onRoom();
  };
  try {
    const counts = await writeLines(source, frame, sink, { room });
    sink.flush();
    write(await body.finish());
    return counts;
  } catch (error) {
    releaseBlock(sink.bytes);
    await body.discard();
    throw error;
  }
}

/** A gzip file in blocks of this thread, whatever its size. */
export function gzipInBlocks(source: RowSource, frame: PageFrame): Promise<WrittenPage> {
  return textBody(source, 'csv_gzip', (sink) =>
    compressLines(source, frame, (bytes) => sink.copyBytes(bytes)),
  );
}

async function writeGzip(source: RowSource, frame: PageFrame): Promise<WrittenPage> {
  const made = await source.text?.('csv_gzip');
  if (made) return { ...made, body: await frame.spool.kept(made.body) };
  const spooled = frame.spool.begin();
  try {
    const add = (bytes: Buffer) => spooled.add([bytes]);
    const counts = await compressLines(source, frame, add, () => spooled.room());
    return { body: await spooled.finish(), ...counts };
  } catch (error) {
    await spooled.discard();
    throw error;
  }
}

export const CSV_GZIP_FORMAT: Format = {
  name: 'csv_gzip',
  contentType: 'application/gzip',
  fileSuffix: '.csv.gz',
  rowLimits: () => ({ default: 8_000, max: 80_000 }),
  pagination: 'in headers',
  encodings: [],
  isColumnar: false,
  // The bytes are also up to the compressor.
  tagStrength: 'weak',
  bodySchema: () => ({ type: 'string', format: 'binary' }),
  write: writeGzip,
};

/** Measured on pages of ticks and bars: see docs/decisions/rendering.md. */
const COMPRESSION = {
  level: 5,
  memLevel: 9,
  strategy: constants.Z_FILTERED,
  // Ends at a whole byte, ready to be followed by the next block.
  finishFlush: constants.Z_SYNC_FLUSH,
  // Holds what most blocks come to, so that they need no second turn.
  chunkSize: 64 * 1024,
};

const deflate = promisify(deflateRaw);

/**
 * Compressions of all pages that run at once. The engine's calls wait for the same few threads of
 * the runtime, and would wait behind whole pages if these were handed over at once.
 */
const turns = new Semaphore(availableParallelism(), new ArrivalQueue());

async function compress(block: Buffer): Promise<Buffer> {
  try {
    return await turns.run(undefined, () => deflate(block, COMPRESSION));
  } finally {
    releaseBlock(block);
  }
}

/** Magic number, method deflate; no flags, no time, no level; an unknown file system. */
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
/** An empty block that says that it is the last one. */
const LAST_BLOCK = Buffer.from([0x03, 0x00]);

/** Blocks of one body that are in memory, or in compression, at once. */
const BLOCKS_IN_FLIGHT_MAX = 4;

/**
 * A gzip file of blocks that are compressed apart from each other, in the runtime's threads, while
 * the next ones are still being written. They are parts of one member, for readers that know only
 * such files. Blocks end by the bytes alone, so that the same text is the same file, in whichever
 * pieces it comes.
 */
export class GzipBody {
  readonly #write: (bytes: Buffer) => void;
  readonly #compressed: Promise<unknown>[] = [];
  /** The block that is being filled; null: the next one has not begun. */
  #block: Buffer | null = null;
  #filledBytes = 0;
  #checksum = 0;
  #byteCount = 0;

  /** `write` takes the file in pieces; if it throws, `room` or `finish` reject. */
  constructor(write: (bytes: Buffer) => void) {
    this.#write = write;
    write(GZIP_HEADER);
  }

  /** Takes the bytes over. */
  add(bytes: Buffer): void {
    this.#checksum = crc32(bytes, this.#checksum);
    this.#byteCount += bytes.length;
    for (let taken = 0; taken < bytes.length; ) {
      this.#block ??= takeBlock(BLOCK_BYTES);
      const copied = bytes.copy(this.#block, this.#filledBytes, taken);
      this.#filledBytes += copied;
      taken += copied;
      if (this.#filledBytes === BLOCK_BYTES) this.#endBlock();
    }
    releaseBlock(bytes);
  }

  /** Resolves when few enough blocks wait for their compression. */
  async room(): Promise<void> {
    await this.#compressed.at(-BLOCKS_IN_FLIGHT_MAX);
  }

  /** Resolves to the end of the file, when all before it has been written. */
  async finish(): Promise<Buffer> {
    this.#endBlock();
    await this.#compressed.at(-1);
    const trailer = Buffer.alloc(8);
    trailer.writeUInt32LE(this.#checksum, 0);
    trailer.writeUInt32LE(this.#byteCount % 2 ** 32, 4);
    return Buffer.concat([LAST_BLOCK, trailer]);
  }

  /** Instead of `finish`, where something has failed; resolves when nothing more is written. */
  async discard(): Promise<void> {
    if (this.#block) releaseBlock(this.#block);
    this.#block = null;
    await Promise.allSettled(this.#compressed);
  }

  #endBlock(): void {
    if (!this.#block) return;
    const compressed = compress(this.#block.subarray(0, this.#filledBytes));
    const before = this.#compressed.at(-1);
    const written = Promise.all([compressed, before]).then(([bytes]) => this.#write(bytes));
    // A failure is met in `room` or `finish`.
    written.catch(() => undefined);
    this.#compressed.push(written);
    this.#block = null;
    this.#filledBytes = 0;
  }
}
