/**
 * Parquet marks a time column as UTC or as local, and in which unit it counts. The engine reads
 * nanoseconds that are marked as UTC as microseconds, and so loses digits; unmarked ones it reads
 * whole. Hence such a file is read from a copy in which that mark is taken off.
 *
 * The mark lies in the file's footer, which is written in Thrift's compact protocol: a field is one
 * byte of type and distance to the field before, then its value. Booleans have two types instead of
 * a value, so taking the mark off changes one byte.
 */
import { constants } from 'node:fs';
import { copyFile, type FileHandle, open } from 'node:fs/promises';

const TRUE = 1;
const FALSE = 2;
const TRAILER_BYTES = 8;
const MAX_FOOTER_BYTES = 268_435_456;

// Field numbers from the file's metadata down: schema, logical type, timestamp, then its fields.
const IS_UTC = '2.10.8.1';
const UNIT_NANOS = '2.10.8.2.3';

class CompactWalker {
  readonly #bytes: Buffer;
  readonly #onField: (path: string, headerAt: number) => void;
  #at = 0;

  constructor(bytes: Buffer, onField: (path: string, headerAt: number) => void) {
    this.#bytes = bytes;
    this.#onField = onField;
  }

  walk(): void {
    this.#struct('');
  }

  #byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new Error('the footer is cut off');
    this.#at += 1;
    return byte;
  }

  #integer(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#byte();
      value += (byte & 0x7f) * factor;
      if (byte < 128) return value;
    }
  }

  #struct(path: string): void {
    let field = 0;
    for (;;) {
      const headerAt = this.#at;
      const header = this.#byte();
      if (header === 0) return;
      const zigzag = header >> 4 === 0 ? this.#integer() : 0;
      field = header >> 4 === 0 ? (zigzag >>> 1) ^ -(zigzag & 1) : field + (header >> 4);
      const fieldPath = path === '' ? `${field}` : `${path}.${field}`;
      this.#onField(fieldPath, headerAt);
      this.#value(header & 15, fieldPath);
    }
  }

  #value(type: number, path: string): void {
    const read = this.#readers[type];
    if (!read) throw new Error(`the footer has a field of unknown type ${type}`);
    read(path);
  }

  #list(path: string): void {
    const header = this.#byte();
    const size = header >> 4 === 15 ? this.#integer() : header >> 4;
    for (let i = 0; i < size; i++) {
      // In a list a boolean is a byte of its own.
      if ((header & 15) <= FALSE) this.#byte();
      else this.#value(header & 15, path);
    }
  }

  #skipBytes(size: number): void {
    this.#at += size;
  }

  /** By the protocol's type numbers; maps do not occur in a footer. */
  readonly #readers: Readonly<Record<number, (path: string) => void>> = {
    [TRUE]: () => {},
    [FALSE]: () => {},
    3: () => this.#skipBytes(1),
    4: () => this.#integer(),
    5: () => this.#integer(),
    6: () => this.#integer(),
    7: () => this.#skipBytes(8),
    8: () => this.#skipBytes(this.#integer()),
    9: (path) => this.#list(path),
    10: (path) => this.#list(path),
    12: (path) => this.#struct(path),
  };
}

/** Takes the mark off every column of UTC nanoseconds; changes `footer` in place. */
function unmarkUtcNanos(footer: Buffer): void {
  let markAt = -1;
  new CompactWalker(footer, (path, headerAt) => {
    if (path === IS_UTC) markAt = headerAt;
    if (path !== UNIT_NANOS || markAt < 0) return;
    const header = footer[markAt] as number;
    if ((header & 15) === TRUE) footer[markAt] = (header & 0xf0) | FALSE;
    markAt = -1;
  }).walk();
}

async function readExactly(file: FileHandle, size: number, position: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(size), 0, size, position);
  if (bytesRead !== size) throw new Error('the file is cut off');
  return buffer;
}

/** Copies a Parquet file to `target`, the copy's UTC nanoseconds unmarked. */
export async function copyWithUnmarkedUtcNanos(source: string, target: string): Promise<void> {
  await copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  const file = await open(target, 'r+');
  try {
    const { size } = await file.stat();
    const trailer = await readExactly(file, TRAILER_BYTES, size - TRAILER_BYTES);
    const footerBytes = trailer.readUInt32LE(0);
    if (footerBytes > MAX_FOOTER_BYTES) throw new Error('the footer is too long');
    const footerAt = size - TRAILER_BYTES - footerBytes;
    const footer = await readExactly(file, footerBytes, footerAt);
    unmarkUtcNanos(footer);
    await file.write(footer, 0, footer.length, footerAt);
  } finally {
    await file.close();
  }
}
