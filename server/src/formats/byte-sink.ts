/**
 * Bytes of text written one after the other into blocks. A full block is handed on and not touched
 * again before it is given back; nothing is grown or copied. The writers of cells write to the
 * fields themselves: this is the innermost loop of every page.
 */

import { BUFFER_LIMITS } from '../base/budgets.ts';

/**
 * A text that is written often, in words of eight bytes, because so it is written fastest. They are
 * doubles by name alone: each keeps its bits, because no UTF-8 text has those of a NaN, which would
 * take a byte 255, or 127 within a character.
 */
export interface Text {
  readonly words: Float64Array;
  /** In bytes. */
  readonly length: number;
}

const WORD_BYTES = Float64Array.BYTES_PER_ELEMENT;

/** The text of a string, or of whole characters in UTF-8. */
export function textOf(characters: string | Uint8Array): Text {
  const bytes = typeof characters === 'string' ? Buffer.from(characters) : characters;
  const words = new Float64Array(Math.ceil(bytes.length / WORD_BYTES));
  new Uint8Array(words.buffer).set(bytes);
  return { words, length: bytes.length };
}

function bytesOf({ words, length }: Text): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, length);
}

export const NO_TEXT = textOf('');

export function joinedText(first: Text, second: Text): Text {
  return first.length === 0 ? second : textOf(Buffer.concat([bytesOf(first), bytesOf(second)]));
}

export function isSameText(one: Text, other: Text): boolean {
  return one === other || Buffer.compare(bytesOf(one), bytesOf(other)) === 0;
}

const ASCII_MAX = 127;
/** Longer ones are written faster by the runtime than letter by letter. */
const SHORT_STRING_MAX = 64;
/** UTF-8 bytes that a 16-bit unit of a string needs at most. */
const UTF8_BYTES_MAX = 3;

/** A word may reach that far beyond the text's end. */
const OVERSHOOT_BYTES = WORD_BYTES - 1;

/** Size of a block, except of rows that are known to need much less, or more. */
export const BLOCK_BYTES = 256 * 1024;
/** Rows that need no more get a block of their own size. */
const SMALL_BLOCK_BYTES = 32 * 1024;

const NO_BLOCK = Buffer.alloc(0);

/**
 * Blocks that were given back, for the next pages. New ones for every page would make the runtime
 * collect all of its garbage each second page: see docs/decisions/rendering.md.
 */
const idleBlocks: ArrayBufferLike[] = [];
const lentBlocks = new WeakSet<ArrayBufferLike>();
const IDLE_BLOCKS_MAX = BUFFER_LIMITS.textBlocks / BLOCK_BYTES;

let newMemory: () => ArrayBufferLike | null = () => new ArrayBuffer(BLOCK_BYTES);

/**
 * From now on, new blocks are in memory that threads share. The runtime does not count it and lets
 * it pile up as garbage: so none is dropped, and past a number of them blocks are not used again.
 */
export function shareBlocks(): void {
  let leftCount = BUFFER_LIMITS.sharedBlocks / BLOCK_BYTES;
  newMemory = () => (leftCount-- > 0 ? new SharedArrayBuffer(BLOCK_BYTES) : null);
}

/** A block whose bytes are not initialised. */
export function takeBlock(byteCount: number): Buffer {
  const memory = byteCount === BLOCK_BYTES ? (idleBlocks.pop() ?? newMemory()) : null;
  if (!memory) return Buffer.allocUnsafeSlow(byteCount);
  const block = Buffer.from(memory);
  lentBlocks.add(block.buffer);
  return block;
}

/** A block, or any part of it, whose bytes nobody reads any more; other buffers are left alone. */
export function releaseBlock({ buffer }: Buffer): void {
  if (!lentBlocks.delete(buffer)) return;
  const isKept = buffer instanceof SharedArrayBuffer || idleBlocks.length < IDLE_BLOCKS_MAX;
  if (isKept) idleBlocks.push(buffer);
}

export class ByteSink {
  /** The block being written; whoever writes to it has called `makeRoom` before. */
  bytes: Buffer = NO_BLOCK;
  view: DataView = new DataView(NO_BLOCK.buffer);
  /** Index of the next byte. */
  at = 0;
  #rowBytes = 0;
  #blockBytes = BLOCK_BYTES;
  readonly #onBlock: (block: Buffer) => void;

  constructor(onBlock: (block: Buffer) => void) {
    this.#onBlock = onBlock;
  }

  /** Tells the room that each of the next rows needs, not counting what is asked for besides. */
  expectRows(rowCount: number, rowBytes: number): void {
    this.#rowBytes = rowBytes + OVERSHOOT_BYTES;
    const byteCount = rowCount * rowBytes + OVERSHOOT_BYTES;
    this.#blockBytes = byteCount <= SMALL_BLOCK_BYTES ? byteCount : BLOCK_BYTES;
  }

  /** After this, so many bytes fit from `at` on, and a row. */
  makeRoom(byteCount: number): void {
    const neededBytes = byteCount + this.#rowBytes;
    if (this.at + neededBytes <= this.bytes.length) return;
    this.flush();
    this.bytes = takeBlock(Math.max(neededBytes, this.#blockBytes));
    this.view = new DataView(this.bytes.buffer);
  }

  /** Makes room for a text beside the rows, and writes it. */
  write(text: Text): void {
    this.makeRoom(text.words.byteLength);
    this.copy(text);
  }

  /** Into room that has been made. */
  copy({ words, length }: Text): void {
    const { view } = this;
    let { at } = this;
    this.at = at + length;
    for (let i = 0; i < words.length; i++, at += WORD_BYTES) {
      view.setFloat64(at, words[i] as number, true);
    }
  }

  /** As above, for a text of one-byte characters. */
  copyAscii(text: string): void {
    const { bytes, at } = this;
    for (let i = 0; i < text.length; i++) bytes[at + i] = text.charCodeAt(i);
    this.at = at + text.length;
  }

  /** Makes room for a string and what comes before it, and writes both, the string in UTF-8. */
  copyString(before: Text, text: string): void {
    const isLong = text.length > SHORT_STRING_MAX;
    const byteCount = isLong ? Buffer.byteLength(text) : text.length * UTF8_BYTES_MAX;
    this.makeRoom(before.length + byteCount);
    this.copy(before);
    const { bytes, at } = this;
    if (isLong) {
      this.at += bytes.write(text, at);
      return;
    }
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > ASCII_MAX) {
        this.at += bytes.write(text, at);
        return;
      }
      bytes[at + i] = code;
    }
    this.at = at + text.length;
  }

  /** Makes room for bytes, and copies them. */
  copyBytes(bytes: Uint8Array): void {
    for (let copied = 0; copied < bytes.length; ) {
      this.makeRoom(1);
      const fitting = bytes.subarray(copied, copied + this.bytes.length - this.at);
      this.bytes.set(fitting, this.at);
      this.at += fitting.length;
      copied += fitting.length;
    }
  }

  /** Hands on what has been written of the current block. */
  flush(): void {
    const written = this.bytes.subarray(0, this.at);
    this.bytes = NO_BLOCK;
    this.at = 0;
    if (written.length > 0) this.#onBlock(written);
    else releaseBlock(written);
  }
}
