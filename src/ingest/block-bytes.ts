/** The bytes of a block of records, copied into parts that hold whole records each. */

/** From so many bytes on a block is full. */
const BLOCK_BYTES = 33_554_432;
/** Parts double from here on up to there, so that a block of one record costs little memory. */
const PART_BYTES_MIN = 65_536;
const PART_BYTES_MAX = 4_194_304;

export class BlockBytes {
  readonly #full: Buffer[] = [];
  #fullBytes = 0;
  #part = Buffer.alloc(0);
  #used = 0;

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
      const partBytes = Math.min(Math.max(this.length, PART_BYTES_MIN), PART_BYTES_MAX);
      this.#part = Buffer.allocUnsafe(Math.max(byteCount, partBytes));
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

  #closePart(): void {
    if (this.#used > 0) this.#full.push(this.#part.subarray(0, this.#used));
    this.#fullBytes += this.#used;
    this.#part = Buffer.alloc(0);
    this.#used = 0;
  }
}
