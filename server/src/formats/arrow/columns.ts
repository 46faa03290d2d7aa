/**
 * Columns of an Arrow stream, filled from batches as the engine hands them out. What the engine has
 * as bytes is copied as bytes. What lies beneath a null is zero, so that the same rows are the same
 * bytes.
 */
import type { Column, DataType } from '../../catalog/dataset.ts';
import { type ColumnVector, writeCodes } from '../../engine/columns.ts';
import { NO_CODE, TextCodes } from '../../engine/text-codes.ts';
import { GrownBytes, ValidBits } from './buffers.ts';
import { type BatchBody, dictionaryBatch, type FieldNode } from './messages.ts';

/** The rows of a column since the last record batch. */
export interface TakenRows {
  readonly nodes: readonly FieldNode[];
  readonly buffers: readonly Uint8Array[];
  /** Buffers whose memory must be returned. */
  readonly lent: readonly Buffer[];
}

export interface ArrowColumn {
  /** Adds the rows from `first` up to `end`. */
  append(vector: ColumnVector, first: number, end: number): void;
  /** Hands over the rows so far, and begins anew. */
  take(): TakenRows;
  /** The dictionary of its codes, if it has codes. */
  readonly dictionary?: Dictionary;
}

const NOTHING = Buffer.alloc(0);

type VectorOf<T extends DataType> = Extract<ColumnVector, { type: T }>;
type FixedVector = VectorOf<'integer' | 'number' | 'date' | 'date-time'>;

function taken(length: number, valid: ValidBits, values: Buffer): TakenRows {
  const { bytes, nullCount } = valid.take();
  return { nodes: [{ length, nullCount }], buffers: [bytes, values], lent: [values] };
}

/** Values of 32 or 64 bits, as they are. */
class FixedColumn implements ArrowColumn {
  readonly #valid = new ValidBits();
  readonly #values = new GrownBytes();
  #rowCount = 0;

  append(vector: ColumnVector, first: number, end: number): void {
    const { values, nulls, validBits } = vector as FixedVector;
    const width = values.BYTES_PER_ELEMENT;
    const size = (end - first) * width;
    this.#values.makeRoom(size);
    const at = this.#values.length;
    this.#values.write(new Uint8Array(values.buffer, values.byteOffset + first * width, size));
    if (validBits) this.#valid.appendBits(validBits, first, end);
    else if (validBits === undefined && nulls)
      this.#valid.appendNulls((r) => nulls[r] === 1, first, end);
    else this.#valid.appendValid(end - first);
    this.#rowCount += end - first;
    if (nulls !== null) this.#clear(nulls, first, end, at, width);
  }

  #clear(nulls: Uint8Array, first: number, end: number, at: number, width: number): void {
    const { ints } = this.#values;
    const words = width / 4;
    let word = at / 4;
    for (let row = first; row < end; row++, word += words) {
      if (nulls[row] === 0) continue;
      ints[word] = 0;
      if (words === 2) ints[word + 1] = 0;
    }
  }

  take(): TakenRows {
    const rowCount = this.#rowCount;
    this.#rowCount = 0;
    return taken(rowCount, this.#valid, this.#values.take());
  }
}

/** Texts as codes. */
class CodeColumn implements ArrowColumn {
  readonly dictionary: Dictionary;
  readonly #valid = new ValidBits();
  readonly #values = new GrownBytes();

  constructor(dictionaryId: number) {
    this.dictionary = new Dictionary(dictionaryId);
  }

  append(vector: ColumnVector, first: number, end: number): void {
    const size = (end - first) * 4;
    this.#values.makeRoom(size);
    const at = this.#values.length / 4;
    const { ints } = this.#values;
    writeCodes(vector as VectorOf<'string'>, this.dictionary.codes, ints, at, first, end);
    this.#values.length += size;
    this.#takeNulls(ints, at, end - first);
  }

  /** The code of no text becomes a bit. */
  #takeNulls(ints: Int32Array, at: number, count: number): void {
    const written = ints.subarray(at, at + count);
    if (!written.includes(NO_CODE)) {
      this.#valid.appendValid(count);
      return;
    }
    this.#valid.appendNulls((row) => written[row] === NO_CODE, 0, count);
    for (let row = 0; row < count; row++) {
      if (written[row] === NO_CODE) written[row] = 0;
    }
  }

  take(): TakenRows {
    const rowCount = this.#values.length / 4;
    return taken(rowCount, this.#valid, this.#values.take());
  }
}

/** Values one by one, or null. */
abstract class ListedColumn<T> implements ArrowColumn {
  protected readonly values = new GrownBytes();
  readonly #valid = new ValidBits();
  #rowCount = 0;

  append(vector: ColumnVector, first: number, end: number): void {
    this.appendValues(vector.values as unknown as readonly (T | null)[], first, end);
  }

  appendValues(values: readonly (T | null)[], first: number, end: number): void {
    for (let row = first; row < end; row++) this.write(values[row] as T | null);
    this.#valid.appendNulls((row) => values[row] === null, first, end);
    this.#rowCount += end - first;
  }

  protected abstract write(value: T | null): void;

  take(): TakenRows {
    const rowCount = this.#rowCount;
    this.#rowCount = 0;
    return taken(rowCount, this.#valid, this.values.take());
  }
}

class IntegerColumn extends ListedColumn<bigint> {
  protected write(value: bigint | null): void {
    this.values.makeRoom(8);
    this.values.view.setBigInt64(this.values.length, value ?? 0n, true);
    this.values.length += 8;
  }
}

class NumberColumn extends ListedColumn<number> {
  protected write(value: number | null): void {
    this.values.makeRoom(8);
    this.values.view.setFloat64(this.values.length, value ?? 0, true);
    this.values.length += 8;
  }
}

class DecimalColumn extends ListedColumn<bigint> {
  protected write(value: bigint | null): void {
    const { values } = this;
    const units = value ?? 0n;
    values.makeRoom(16);
    values.view.setBigUint64(values.length, BigInt.asUintN(64, units), true);
    values.view.setBigInt64(values.length + 8, units >> 64n, true);
    values.length += 16;
  }
}

class BooleanColumn implements ArrowColumn {
  readonly #valid = new ValidBits();
  /** Bits of the values that are true. */
  readonly #values = new ValidBits();
  #rowCount = 0;

  append(vector: ColumnVector, first: number, end: number): void {
    const { values } = vector as VectorOf<'boolean'>;
    this.#values.appendNulls((row) => values[row] !== true, first, end);
    this.#valid.appendNulls((row) => values[row] === null, first, end);
    this.#rowCount += end - first;
  }

  take(): TakenRows {
    const rowCount = this.#rowCount;
    this.#rowCount = 0;
    const { nodes, buffers } = taken(rowCount, this.#valid, NOTHING);
    return { nodes, buffers: [buffers[0] as Uint8Array, this.#values.takeAll()], lent: [] };
  }
}

/** Offsets of each row's items, and of the end. */
class Offsets {
  readonly #offsets = new GrownBytes();
  #end = 0;

  append(itemCount: number): void {
    if (this.#offsets.length === 0) this.#write();
    this.#end += itemCount;
    this.#write();
  }

  #write(): void {
    this.#offsets.makeRoom(4);
    this.#offsets.view.setInt32(this.#offsets.length, this.#end, true);
    this.#offsets.length += 4;
  }

  take(): Buffer {
    if (this.#offsets.length === 0) this.#write();
    this.#end = 0;
    return this.#offsets.take();
  }
}

class TextColumn extends ListedColumn<string> {
  readonly #offsets = new Offsets();

  protected write(value: string | null): void {
    const byteCount = value === null ? 0 : Buffer.byteLength(value);
    this.values.makeRoom(byteCount);
    if (byteCount > 0) this.values.bytes.write(value as string, this.values.length);
    this.values.length += byteCount;
    this.#offsets.append(byteCount);
  }

  override take(): TakenRows {
    const { nodes, buffers, lent } = super.take();
    const [valid, values] = buffers as [Uint8Array, Uint8Array];
    const offsets = this.#offsets.take();
    return { nodes, buffers: [valid, offsets, values], lent: [...lent, offsets] };
  }
}

class ListColumn<T> implements ArrowColumn {
  readonly #valid = new ValidBits();
  readonly #offsets = new Offsets();
  readonly #items: ListedColumn<T>;
  #rowCount = 0;

  constructor(items: ListedColumn<T>) {
    this.#items = items;
  }

  append(vector: ColumnVector, first: number, end: number): void {
    const values = vector.values as unknown as readonly (readonly T[] | null)[];
    for (let row = first; row < end; row++) {
      const items = values[row] ?? [];
      this.#items.appendValues(items, 0, items.length);
      this.#offsets.append(items.length);
    }
    this.#valid.appendNulls((row) => values[row] === null, first, end);
    this.#rowCount += end - first;
  }

  take(): TakenRows {
    const own = taken(this.#rowCount, this.#valid, this.#offsets.take());
    const items = this.#items.take();
    this.#rowCount = 0;
    return {
      nodes: [...own.nodes, ...items.nodes],
      buffers: [...own.buffers, ...items.buffers],
      lent: [...own.lent, ...items.lent],
    };
  }
}

const MAKERS: Readonly<Record<DataType, (dictionaryId: number | null) => ArrowColumn>> = {
  string: (dictionaryId) =>
    dictionaryId === null ? new TextColumn() : new CodeColumn(dictionaryId),
  integer: () => new FixedColumn(),
  number: () => new FixedColumn(),
  date: () => new FixedColumn(),
  'date-time': () => new FixedColumn(),
  decimal: () => new DecimalColumn(),
  boolean: () => new BooleanColumn(),
  'array of string': () => new ListColumn(new TextColumn()),
  'array of integer': () => new ListColumn(new IntegerColumn()),
  'array of number': () => new ListColumn(new NumberColumn()),
};

/** `dictionaryId` is that of the column's field. */
export function arrowColumn({ dataType }: Column, dictionaryId: number | null): ArrowColumn {
  return MAKERS[dataType](dictionaryId);
}

/** Larger dictionaries are replaced by a new one, not written again. */
const AGAIN_BYTES_MAX = 256 * 1024;

const NO_VALID_BITS = new Uint8Array(0);

/** The texts in the order of their codes, as the rows of a dictionary. */
function rowsOf({ texts, count: length, byteCount }: TextCodes): BatchBody {
  const offsets = new GrownBytes();
  offsets.makeRoom(4 * (length + 1));
  let end = 0;
  offsets.ints[0] = end;
  for (const [code, text] of texts.entries()) {
    end += text.length;
    offsets.ints[code + 1] = end;
  }
  offsets.length = 4 * (length + 1);
  const nodes = [{ length, nullCount: 0 }];
  return {
    length,
    nodes,
    buffers: [NO_VALID_BITS, offsets.take(), Buffer.concat(texts, byteCount)],
  };
}

/**
 * The texts of a column, as the stream has them. A dictionary is written before the rows that need
 * it, and again, whole, where these have new texts: readers differ in what they make of
 * dictionaries that only grow.
 */
class Dictionary {
  readonly #id: number;
  #codes = new TextCodes();
  /** Texts that the stream has; null: it has no dictionary. */
  #writtenCount: number | null = null;

  constructor(id: number) {
    this.#id = id;
  }

  /** Codes of the rows up to the next `take`. */
  get codes(): TextCodes {
    return this.#codes;
  }

  /** The message before the rows since the last one; empty if not needed. */
  take(): Uint8Array[] {
    const codes = this.#codes;
    if (codes.count === this.#writtenCount) return [];
    this.#writtenCount = codes.count;
    if (codes.byteCount > AGAIN_BYTES_MAX) {
      this.#codes = new TextCodes();
      this.#writtenCount = null;
    }
    return dictionaryBatch(this.#id, rowsOf(codes));
  }
}
