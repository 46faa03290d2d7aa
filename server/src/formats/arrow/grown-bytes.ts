/** Bytes that are written one after the other and grow as they need. */
import { lendMemory, returnMemory } from './lent-memory.ts';

const NOTHING = Buffer.from(new ArrayBuffer(0));

export class GrownBytes {
  bytes: Buffer = NOTHING;
  /** The same memory in units of four bytes. */
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

  /** What has been written, in memory that is to be returned; then begins anew, with other memory. */
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
