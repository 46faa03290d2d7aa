/**
 * Thrift's compact protocol, in which the footers of Parquet files are written: bytes -> tree ->
 * bytes. Values that nobody changes keep the bytes they had, so a tree that is written again says
 * exactly what was read.
 */

/** The protocol's numbers of types. Those that are missing here do not occur in footers. */
export const BOOLEAN_TRUE = 1;
const BOOLEAN_FALSE = 2;
const BYTE = 3;
const INT32 = 5;
const INT64 = 6;
const DOUBLE = 7;
const BINARY = 8;
export const LIST = 9;
const SET = 10;
export const STRUCT = 12;

const DOUBLE_BYTES = 8;
/** Integers of 16, 32 and 64 bits. */
const VARINTS: readonly number[] = [4, INT32, INT64];

export interface ThriftScalar {
  readonly type: number;
  /** The encoded value; text without its length, and nothing for a boolean, whose type says all. */
  readonly bytes: Buffer;
}

export interface ThriftList {
  readonly type: number;
  readonly elementType: number;
  readonly elements: readonly ThriftValue[];
}

export interface ThriftStruct {
  readonly type: typeof STRUCT;
  /** By field number, in ascending order. */
  readonly fields: ReadonlyMap<number, ThriftValue>;
}

export type ThriftValue = ThriftScalar | ThriftList | ThriftStruct;

const zigzag = (value: number) => varint(value < 0 ? -2 * value - 1 : 2 * value);

/** A scalar of 32 bits. */
export function int32(value: number): ThriftScalar {
  return { type: INT32, bytes: zigzag(value) };
}

/** A scalar of 64 bits; the value is a safe integer whose double is one, too. */
export function int64(value: number): ThriftScalar {
  return { type: INT64, bytes: zigzag(value) };
}

/** The number in a scalar, which is exact up to 52 bits. */
export function numberOf({ bytes }: ThriftScalar): number {
  const value = bytes.reduceRight((higher, byte) => higher * 128 + (byte & 127), 0);
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

export function binary(text: string): ThriftScalar {
  return { type: BINARY, bytes: Buffer.from(text) };
}

export function boolean(value: boolean): ThriftScalar {
  return { type: value ? BOOLEAN_TRUE : BOOLEAN_FALSE, bytes: Buffer.alloc(0) };
}

/** A struct of the fields that have a value. */
export function structWith(
  fields: Readonly<Record<number, ThriftValue | undefined>>,
): ThriftStruct {
  return withFields({ type: STRUCT, fields: new Map() }, fields);
}

export function structList(elements: readonly ThriftStruct[]): ThriftList {
  return { type: LIST, elementType: STRUCT, elements };
}

export function textList(texts: readonly string[]): ThriftList {
  return { type: LIST, elementType: BINARY, elements: texts.map(binary) };
}

/** The struct with other values for some fields; undefined takes a field away. */
export function withFields(
  { fields }: ThriftStruct,
  changes: Readonly<Record<number, ThriftValue | undefined>>,
): ThriftStruct {
  const all = new Map<number, ThriftValue | undefined>(fields);
  for (const [field, value] of Object.entries(changes)) all.set(Number(field), value);
  const kept = [...all].filter((entry): entry is [number, ThriftValue] => entry[1] !== undefined);
  return { type: STRUCT, fields: new Map(kept.sort(([a], [b]) => a - b)) };
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Buffer.from([...bytes, rest]);
}

class Writer {
  readonly #parts: Buffer[] = [];

  struct({ fields }: ThriftStruct): void {
    let previous = 0;
    for (const [field, value] of fields) {
      const distance = field - previous;
      const isNear = distance >= 1 && distance <= 15;
      this.#parts.push(Buffer.from([isNear ? (distance << 4) | value.type : value.type]));
      if (!isNear) this.#parts.push(int32(field).bytes);
      this.#value(value);
      previous = field;
    }
    this.#parts.push(Buffer.from([0]));
  }

  bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }

  #value(value: ThriftValue): void {
    if ('fields' in value) this.struct(value);
    else if ('elements' in value) this.#list(value);
    else {
      if (value.type === BINARY) this.#parts.push(varint(value.bytes.length));
      this.#parts.push(value.bytes);
    }
  }

  #list({ elementType, elements }: ThriftList): void {
    const size = elements.length;
    this.#parts.push(Buffer.from([(Math.min(size, 15) << 4) | elementType]));
    if (size >= 15) this.#parts.push(varint(size));
    for (const element of elements) this.#value(element);
  }
}

/** Throws where the bytes are cut off or hold a type that no footer has. */
export function decodeThrift(bytes: Buffer): ThriftStruct {
  return new ThriftScanner(bytes).decodeStruct();
}

export function encodeThrift(struct: ThriftStruct): Buffer {
  const writer = new Writer();
  writer.struct(struct);
  return writer.bytes();
}

/**
 * Looks through encoded values without decoding what nobody asks for: a footer of thousands of
 * chunks takes a hundredth of the time.
 */
export class ThriftScanner {
  readonly #bytes: Buffer;
  #at: number;

  /** Begins with the value that begins at `at`. */
  constructor(bytes: Buffer, at = 0) {
    this.#bytes = bytes;
    this.#at = at;
  }

  /** Offset of the next value. */
  get at(): number {
    return this.#at;
  }

  /**
   * Passes a struct. `read` is called at each of its fields' values, and says whether it has passed
   * it.
   */
  struct(read: (field: number, type: number) => boolean): void {
    let field = 0;
    for (;;) {
      const header = this.#byte();
      if (header === 0) return;
      field = header >> 4 === 0 ? this.number() : field + (header >> 4);
      if (!read(field, header & 15)) this.#skip(header & 15);
    }
  }

  /** Passes a struct and decodes all of it. */
  decodeStruct(): ThriftStruct {
    const fields = new Map<number, ThriftValue>();
    this.struct((field, type) => {
      fields.set(field, this.#decode(type));
      return true;
    });
    return { type: STRUCT, fields };
  }

  /** Passes a list of structs. `read` is called at each of them and passes it. */
  structs(read: () => void): void {
    const { size } = this.#listHeader();
    for (let i = 0; i < size; i++) read();
  }

  skipStruct(): void {
    this.struct(() => false);
  }

  /** Passes a number, which is exact up to 52 bits. */
  number(): number {
    const value = this.#varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  #decode(type: number): ThriftValue {
    if (type === STRUCT) return this.decodeStruct();
    if (type === LIST || type === SET) return this.#decodeList(type);
    // Text comes without its length.
    const length = type === BINARY ? this.#varint() : null;
    const start = this.#at;
    if (length === null) this.#skip(type);
    else this.#pass(length);
    return { type, bytes: this.#bytes.subarray(start, this.#at) };
  }

  #decodeList(type: number): ThriftList {
    const { elementType, size } = this.#listHeader();
    const elements = Array.from({ length: size }, (): ThriftValue => {
      if (elementType > BOOLEAN_FALSE) return this.#decode(elementType);
      // In a list a boolean is a byte of its own.
      this.#pass(1);
      return { type: elementType, bytes: this.#bytes.subarray(this.#at - 1, this.#at) };
    });
    return { type, elementType, elements };
  }

  #skip(type: number): void {
    if (type <= BOOLEAN_FALSE) return;
    if (type === STRUCT) this.skipStruct();
    else if (type === LIST || type === SET) this.#skipList();
    else if (type === BINARY) this.#pass(this.#varint());
    else if (type === BYTE) this.#pass(1);
    else if (type === DOUBLE) this.#pass(DOUBLE_BYTES);
    else if (VARINTS.includes(type)) this.#varint();
    else throw new Error(`the footer has a field of unknown type ${type}`);
  }

  #skipList(): void {
    const { elementType, size } = this.#listHeader();
    // In a list a boolean is a byte of its own.
    if (elementType <= BOOLEAN_FALSE) this.#pass(size);
    else for (let i = 0; i < size; i++) this.#skip(elementType);
  }

  #listHeader(): { readonly elementType: number; readonly size: number } {
    const header = this.#byte();
    const size = header >> 4 === 15 ? this.#varint() : header >> 4;
    return { elementType: header & 15, size };
  }

  #varint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#byte();
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }

  #byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new Error('the footer is cut off');
    this.#at++;
    return byte;
  }

  #pass(size: number): void {
    this.#at += size;
    if (this.#at > this.#bytes.length) throw new Error('the footer is cut off');
  }
}
