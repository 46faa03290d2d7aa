/**
 * Memory for columns that is used again. New memory for every record batch would make the runtime collect all of its
 * garbage several times a page, which took longer than everything else.
 */
import { BUFFER_LIMITS } from '../../base/budgets.ts';

const BYTES_MIN = 1024;

/** Not lent, by size. */
const idle = new Map<number, ArrayBuffer[]>();
let idleBytes = 0;

/** Memory of at least so many bytes, with anything in it. Sizes are powers of two. */
export function lendMemory(byteCount: number): Buffer {
  const size = Math.max(BYTES_MIN, 2 ** Math.ceil(Math.log2(byteCount)));
  const memory = idle.get(size)?.pop();
  if (memory) idleBytes -= size;
  return Buffer.from(memory ?? new ArrayBuffer(size));
}

/** Gives back memory that nobody reads any more. */
export function returnMemory({ buffer }: Buffer): void {
  const size = buffer.byteLength;
  if (size === 0 || idleBytes + size > BUFFER_LIMITS.columns) return;
  idleBytes += size;
  const ofSize = idle.get(size) ?? [];
  idle.set(size, ofSize);
  ofSize.push(buffer as ArrayBuffer);
}
