/**
 * Blocks of columns out of a stream in ClickHouse's format Native. Names and types of the columns have to
 * be those that were asked for: a message in the middle of the stream, which tells of a failure, is no block.
 */
import { ENCODING_TYPES, type Encoding, unitsOfBytes } from './encodings.ts';

/** What a server has written into a stream instead of rows. */
export class BrokenStreamError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BrokenStreamError';
  }
}

/** The block goes on beyond the bytes that are there. */
const MORE = Symbol('more bytes');

const VARINT_BITS = 7;
/** From here on, a size has more than one byte. */
const LONG = 0x80;
const TEXT_SHOWN = 500;

class BlockCursor {
  readonly bytes: Buffer;
  at = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  take(count: number): number {
    const at = this.at;
    if (at + count > this.bytes.length) throw MORE;
    this.at += count;
    return at;
  }

  size(): number {
    let [size, shift] = [0, 0];
    for (;;) {
      const byte = this.bytes[this.take(1)] as number;
      size += (byte & 0x7f) * 2 ** shift;
      if (byte < LONG) return size;
      shift += VARINT_BITS;
    }
  }

  /** The bytes of a text, which the cursor passes. */
  textLength(): number {
    const byte = this.bytes[this.at] ?? LONG;
    // Nearly all are short: their length is one byte.
    const length = byte < LONG ? byte : this.size();
    this.at += byte < LONG ? 1 + length : length;
    if (this.at > this.bytes.length) throw MORE;
    return length;
  }

  text(): string {
    const length = this.textLength();
    return this.bytes.toString('utf8', this.at - length, this.at);
  }

  /** A copy, since numbers have to lie at multiples of their size. */
  copied(count: number): ArrayBuffer {
    const at = this.take(count) + this.bytes.byteOffset;
    return this.bytes.buffer.slice(at, at + count) as ArrayBuffer;
  }
}

const HASH_FACTOR = 31;
/** Texts of a column that are remembered: a power of two. */
const REMEMBERED = 256;
const SLOT_MASK = REMEMBERED - 1;

function isEqual(bytes: Buffer, a: number, b: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (bytes[a + i] !== bytes[b + i]) return false;
  return true;
}

/** Where an equal text may be remembered: by its length and by bytes at its ends and in its middle. */
function slotOf(bytes: Buffer, at: number, length: number): number {
  if (length === 0) return 0;
  const first = bytes[at] as number;
  const middle = bytes[at + (length >> 1)] as number;
  const last = bytes[at + length - 1] as number;
  return (((length * HASH_FACTOR + first) * HASH_FACTOR + middle) * HASH_FACTOR + last) & SLOT_MASK;
}

/** Few texts of a column differ: an equal one that was met shortly before is the same string. */
function readTexts(cursor: BlockCursor, count: number): string[] {
  const texts: string[] = new Array(count);
  const { bytes } = cursor;
  const [ats, lengths] = [new Uint32Array(REMEMBERED), new Uint32Array(REMEMBERED)];
  const met: string[] = new Array(REMEMBERED).fill('');
  for (let i = 0; i < count; i++) {
    const length = cursor.textLength();
    const at = cursor.at - length;
    const slot = slotOf(bytes, at, length);
    if (lengths[slot] !== length || !isEqual(bytes, ats[slot] as number, at, length)) {
      met[slot] = bytes.toString('utf8', at, at + length);
      lengths[slot] = length;
    }
    ats[slot] = at;
    texts[i] = met[slot] as string;
  }
  return texts;
}

function readUnits(cursor: BlockCursor, nulls: Uint8Array | null, count: number) {
  return Array.from({ length: count }, (_, row) => {
    const length = cursor.size();
    const at = cursor.take(length);
    return nulls?.[row] === 1 ? null : unitsOfBytes(cursor.bytes.subarray(at, at + length));
  });
}

/** Values of a column as they are stored, and where there is none. */
export interface StoredValues {
  readonly values: ArrayLike<unknown>;
  readonly nulls: Uint8Array | null;
}

function readNulls(cursor: BlockCursor, count: number): Uint8Array | null {
  const at = cursor.take(count);
  const nulls = cursor.bytes.subarray(at, at + count);
  return nulls.includes(1) ? new Uint8Array(nulls) : null;
}

type ReadItems = (cursor: BlockCursor, count: number) => ArrayLike<unknown>;

const readIntegers: ReadItems = (cursor, count) => new BigInt64Array(cursor.copied(8 * count));
const readNumbers: ReadItems = (cursor, count) => new Float64Array(cursor.copied(8 * count));

function nullable(read: ReadItems) {
  return (cursor: BlockCursor, count: number): StoredValues => {
    const nulls = readNulls(cursor, count);
    return { values: read(cursor, count), nulls };
  };
}

/** Whole numbers of 64 bits, none of them beyond those that a number holds exactly. */
function readEnds(cursor: BlockCursor, count: number): number[] {
  const halves = new Uint32Array(cursor.copied(8 * count));
  const ends: number[] = new Array(count);
  for (let i = 0; i < count; i++) {
    ends[i] = (halves[2 * i] as number) + (halves[2 * i + 1] as number) * 2 ** 32;
  }
  return ends;
}

/** Arrays in arrays: the outer one has an item where there is a value. */
function nested(read: ReadItems) {
  return (cursor: BlockCursor, count: number): StoredValues => {
    const outer = readEnds(cursor, count);
    const inner = readEnds(cursor, outer.at(-1) ?? 0);
    const items = Array.from(read(cursor, inner.at(-1) ?? 0));
    const values = outer.map((end, row) => {
      if (end === (outer[row - 1] ?? 0)) return null;
      return items.slice(inner[end - 2] ?? 0, inner[end - 1]);
    });
    return { values, nulls: null };
  };
}

type ReadValues = (cursor: BlockCursor, count: number) => StoredValues;

const READ: Readonly<Record<Encoding, ReadValues>> = {
  integer: nullable(readIntegers),
  number: nullable(readNumbers),
  days: nullable((cursor, count) => new Int32Array(cursor.copied(4 * count))),
  flag: nullable((cursor, count) => new Uint8Array(cursor.copied(count))),
  text: nullable(readTexts),
  units: (cursor, count) => {
    const nulls = readNulls(cursor, count);
    return { values: readUnits(cursor, nulls, count), nulls };
  },
  texts: nested(readTexts),
  integers: nested(readIntegers),
  numbers: nested(readNumbers),
};

/** A column of an answer: stored values, or a whole number that is never null. */
export type BlockColumn = Encoding | 'count';

const COUNT_TYPE = 'UInt64';

function readColumn(cursor: BlockCursor, column: BlockColumn, rowCount: number): StoredValues {
  cursor.text();
  const type = cursor.text();
  const due = column === 'count' ? COUNT_TYPE : ENCODING_TYPES[column];
  if (type !== due) throw new BrokenStreamError(`a column of ${type}, where ${due} is due`);
  if (column !== 'count') return READ[column](cursor, rowCount);
  return { values: readEnds(cursor, rowCount), nulls: null };
}

export interface NativeBlock {
  readonly rowCount: number;
  readonly columns: readonly StoredValues[];
}

const BLOCK_BYTES_MAX = 1024 ** 3;
/** A page of some thousand rows is read once, when all of it is there. */
const STEP_BYTES = 1024 ** 2;

function readHead(cursor: BlockCursor, columnsDue: number): number {
  const columnCount = cursor.size();
  if (columnCount !== columnsDue) {
    const text = cursor.bytes.toString('utf8', 0, TEXT_SHOWN);
    throw new BrokenStreamError(`the server broke off: ${text}`);
  }
  return cursor.size();
}

/** Bytes of a stream that are no block yet. Columns that are whole are not read again. */
class Gathered {
  readonly #columns: readonly BlockColumn[];
  readonly #stepBytes: number;
  #chunks: Buffer[] = [];
  #byteCount = 0;
  /** Fewer bytes are not looked at, so that none is looked at often. */
  #dueBytes: number;
  /** Of the block that has begun; null: none has. */
  #rowCount: number | null = null;
  #read: StoredValues[] = [];

  constructor(columns: readonly BlockColumn[], stepBytes: number) {
    this.#columns = columns;
    this.#stepBytes = stepBytes;
    this.#dueBytes = stepBytes;
  }

  get isBetweenBlocks(): boolean {
    return this.#byteCount === 0 && this.#rowCount === null;
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#byteCount += chunk.length;
    if (this.#byteCount > BLOCK_BYTES_MAX) throw new BrokenStreamError('a block is too large');
  }

  /** Takes the whole blocks; `isEnd`: nothing follows. */
  *taken(isEnd: boolean): Generator<NativeBlock> {
    if (this.#byteCount === 0 || (this.#byteCount < this.#dueBytes && !isEnd)) return;
    const bytes =
      this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
    const cursor = new BlockCursor(bytes);
    let taken = 0;
    while (taken < bytes.length && this.#takePiece(cursor)) {
      taken = cursor.at;
      if (this.#rowCount === null || this.#read.length < this.#columns.length) continue;
      if (this.#rowCount > 0) yield { rowCount: this.#rowCount, columns: this.#read };
      this.#rowCount = null;
      this.#read = [];
    }
    const rest = bytes.subarray(taken);
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#byteCount = rest.length;
    this.#dueBytes = Math.max(rest.length + this.#stepBytes, rest.length * GROWTH);
  }

  /** The head of a block, or its next column; false: the bytes are not all of it. */
  #takePiece(cursor: BlockCursor): boolean {
    try {
      if (this.#rowCount === null) this.#rowCount = readHead(cursor, this.#columns.length);
      else {
        const column = this.#columns[this.#read.length] as BlockColumn;
        this.#read.push(readColumn(cursor, column, this.#rowCount));
      }
      return true;
    } catch (error) {
      if (error === MORE) return false;
      throw error;
    }
  }
}

const GROWTH = 1.5;

/** The blocks of a stream whose columns are of these kinds. So many bytes more are waited for before it is looked at. */
export async function* nativeBlocks(
  stream: AsyncIterable<Buffer>,
  columns: readonly BlockColumn[],
  stepBytes = STEP_BYTES,
): AsyncGenerator<NativeBlock> {
  const gathered = new Gathered(columns, stepBytes);
  for await (const chunk of stream) {
    gathered.add(chunk);
    yield* gathered.taken(false);
  }
  yield* gathered.taken(true);
  if (!gathered.isBetweenBlocks) throw new BrokenStreamError('the answer ends within a block');
}
