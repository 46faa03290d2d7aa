/** Growing buffers in reused memory, and validity bits. */
import { BUFFER_LIMITS } from '../../base/budgets.ts';

const NOTHING = Buffer.from(new ArrayBuffer(0));

/** Bytes that are written one after the other and grow as they need. */
export class GrownBytes {
  bytes: Buffer = NOTHING;
  /** A view of this memory in units of four bytes. */
  ints: Int32Array = new Int32Array(NOTHING.buffer);
  view: DataView = new DataView(NOTHING.buffer);
  /** Bytes that have been written. */
  length = 0;
  /** Room that was needed last time. */
  #usualBytes = 0;

  /** After this, so many bytes more fit; the memory may be another one, with the same bytes. */
  makeRoom(byteCount: number): void {
    const needed = this.length + byteCount;
    if (needed <= this.bytes.length) return;
    const grown = lendMemory(Math.max(needed, this.#usualBytes));
    grown.set(this.bytes.subarray(0, this.length));
    returnMemory(this.bytes);
    this.#use(grown);
  }

  /** Into room that has been made. */
  write(bytes: Uint8Array): void {
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** Hands over the bytes, whose memory the caller returns, and begins anew. */
  take(): Buffer {
    const taken = this.bytes.subarray(0, this.length);
    this.#usualBytes = this.bytes.length;
    this.#use(NOTHING);
    this.length = 0;
    return taken;
  }

  #use(bytes: Buffer): void {
    this.bytes = bytes;
    this.ints = new Int32Array(bytes.buffer);
    this.view = new DataView(bytes.buffer);
  }
}

const LENT_BYTES_MIN = 1024;

/**
 * Memory that is not lent, by size. New memory for every record batch would make the runtime
 * collect all of its garbage several times a page, which took longer than everything else.
 */
const idle = new Map<number, ArrayBuffer[]>();
let idleBytes = 0;

/** Memory of at least so many bytes, with anything in it. Sizes are powers of two. */
function lendMemory(byteCount: number): Buffer {
  const size = Math.max(LENT_BYTES_MIN, 2 ** Math.ceil(Math.log2(byteCount)));
  const memory = idle.get(size)?.pop();
  if (memory) idleBytes -= size;
  return Buffer.from(memory ?? new ArrayBuffer(size));
}

/** Gives back memory that nobody reads any more. */
export function returnMemory({ buffer }: Buffer): void {
  const size = buffer.byteLength;
  if (size === 0 || idleBytes + size > BUFFER_LIMITS.columns) return;
  idleBytes += size;
  idle.getOrInsertComputed(size, () => []).push(buffer as ArrayBuffer);
}

const BIT_COUNTS = Uint8Array.from({ length: 256 }, (_, byte) => {
  return byte.toString(2).replaceAll('0', '').length;
});

const NO_BYTES = new Uint8Array(0);
const BYTES_MIN = 256;

/** Which rows have a value, as bits: 1 where there is one, of each byte the lowest first. */
export class ValidBits {
  /** Nothing as long as every row has a value. */
  #bytes = NO_BYTES;
  #count = 0;
  #nullCount = 0;

  get nullCount(): number {
    return this.#nullCount;
  }

  appendValid(count: number): void {
    if (this.#bytes.length > 0) {
      this.#makeRoom(count);
      this.#setAll(this.#count, this.#count + count);
    }
    this.#count += count;
  }

  /** Takes the bits from `first` up to `end`. */
  appendBits(bits: Uint8Array, first: number, end: number): void {
    this.#begin(end - first);
    const bytes = this.#bytes;
    const inSource = first & 7;
    const inTarget = this.#count & 7;
    let source = first >> 3;
    let target = this.#count >> 3;
    for (let left = end - first; left > 0; left -= 8, source++, target++) {
      let byte = (bits[source] as number) >> inSource;
      if (inSource > 0) byte |= (bits[source + 1] ?? 0) << (8 - inSource);
      byte &= left < 8 ? (1 << left) - 1 : 0xff;
      this.#nullCount += Math.min(8, left) - (BIT_COUNTS[byte] as number);
      bytes[target] = (bytes[target] as number) | (byte << inTarget);
      if (inTarget > 0) bytes[target + 1] = byte >> (8 - inTarget);
    }
    this.#count += end - first;
  }

  /** Takes validity from values: null where there is none. */
  appendNulls(isNull: (row: number) => boolean, first: number, end: number): void {
    this.#begin(end - first);
    for (let row = first; row < end; row++, this.#count++) {
      if (isNull(row)) this.#nullCount++;
      else this.#set(this.#count);
    }
  }

  /** The bits so far, also if all are set; then begins anew. */
  takeAll(): Uint8Array {
    this.#begin(0);
    const bytes = this.#bytes.subarray(0, (this.#count + 7) >> 3);
    this.take();
    return bytes;
  }

  /** The bits so far, none if every row has a value; then begins anew. */
  take(): { bytes: Uint8Array; nullCount: number } {
    const nullCount = this.#nullCount;
    const bytes = nullCount > 0 ? this.#bytes.subarray(0, (this.#count + 7) >> 3) : NO_BYTES;
    this.#bytes = NO_BYTES;
    this.#count = 0;
    this.#nullCount = 0;
    return { bytes, nullCount };
  }

  #set(bit: number): void {
    const at = bit >> 3;
    this.#bytes[at] = (this.#bytes[at] as number) | (1 << (bit & 7));
  }

  /** Whole bytes at once, where there are any. */
  #setAll(first: number, end: number): void {
    const [firstByte, endByte] = [(first + 7) >> 3, end >> 3];
    if (firstByte < endByte) this.#bytes.fill(0xff, firstByte, endByte);
    for (let bit = first; bit < Math.min(end, firstByte * 8); bit++) this.#set(bit);
    for (let bit = Math.max(first, endByte * 8); bit < end; bit++) this.#set(bit);
  }

  /** Rows may have no value from here on. */
  #begin(count: number): void {
    if (this.#bytes.length > 0) {
      this.#makeRoom(count);
      return;
    }
    const before = this.#count;
    this.#count = 0;
    this.#bytes = new Uint8Array(BYTES_MIN);
    this.#makeRoom(before + count);
    this.appendValid(before);
  }

  /** One byte more than the bits need, which `appendBits` may write. */
  #makeRoom(count: number): void {
    const needed = ((this.#count + count) >> 3) + 2;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    grown.set(this.#bytes);
    this.#bytes = grown;
  }
}
