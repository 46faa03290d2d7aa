/**
 * The bytes of a block of records, copied into parts that hold whole records each. Large parts are used
 * again for later blocks: to allocate and collect them would cost more than to fill them.
 */

/** From so many bytes on a block is full. */
const BLOCK_BYTES = 33_554_432;
/** Parts double from here on up to there, so that a block of one record costs little memory. */
const PART_BYTES_MIN = 65_536;
const PART_BYTES_MAX = 4_194_304;

/** Large parts that no block uses. */
export class SpareParts {
  readonly #parts: Buffer[] = [];

  get isEmpty(): boolean {
    return this.#parts.length === 0;
  }

  take(): Buffer {
    return this.#parts.pop() ?? Buffer.allocUnsafeSlow(PART_BYTES_MAX);
  }

  give(parts: readonly Buffer[]): void {
    this.#parts.push(...parts);
  }
}

export class BlockBytes {
  readonly #spare: SpareParts;
  readonly #large: Buffer[] = [];
  readonly #full: Buffer[] = [];
  #fullBytes = 0;
  #part: Buffer = Buffer.alloc(0);
  #used = 0;

  constructor(spare: SpareParts) {
    this.#spare = spare;
  }

  get length(): number {
    return this.#fullBytes + this.#used;
  }

  get isFull(): boolean {
    return this.length >= BLOCK_BYTES;
  }

  /** Room for `byteCount` bytes in one part: write them at `at` of `part`. They count as written. */
  reserve(byteCount: number): { readonly part: Buffer; readonly at: number } {
    if (this.#used + byteCount > this.#part.length) {
      this.#closePart();
      this.#part = this.#newPart(byteCount);
    }
    const at = this.#used;
    this.#used += byteCount;
    return { part: this.#part, at };
  }

  append(buffer: Buffer, start: number, end: number): void {
    const { part, at } = this.reserve(end - start);
    buffer.copy(part, at, start, end);
  }

  parts(): readonly Buffer[] {
    this.#closePart();
    return this.#full;
  }

  /** Lets later blocks overwrite the parts. */
  release(): void {
    this.#spare.give(this.#large.splice(0));
  }

  #newPart(byteCount: number): Buffer {
    const usualBytes = Math.max(this.length, PART_BYTES_MIN);
    const isSmall = usualBytes < PART_BYTES_MAX && this.#spare.isEmpty;
    if (isSmall || byteCount > PART_BYTES_MAX) {
      return Buffer.allocUnsafe(Math.max(byteCount, usualBytes));
    }
    const part = this.#spare.take();
    this.#large.push(part);
    return part;
  }

  #closePart(): void {
    if (this.#used > 0) this.#full.push(this.#part.subarray(0, this.#used));
    this.#fullBytes += this.#used;
    this.#part = Buffer.alloc(0);
    this.#used = 0;
  }
}
