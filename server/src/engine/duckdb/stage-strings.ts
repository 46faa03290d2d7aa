/**
 * Writes strings into the engine's vectors. A vector of strings has a header of 16 bytes for each:
 * the length, then up to 12 bytes of text; longer texts lie elsewhere. Market data has few long
 * ones, so headers are made here and copied at once instead of one call a string.
 */
import { DuckDBBigIntVector, type DuckDBVector } from '@duckdb/node-api';

const HEADER_BYTES = 16;
const INLINE_CHARACTERS_MAX = 12;

/** Writes the header of a short ASCII text at `offset`; false when the text is not of that kind. */
function writeHeader(bytes: Uint8Array, offset: number, text: string): boolean {
  if (text.length > INLINE_CHARACTERS_MAX) return false;
  for (let k = 0; k < text.length; k++) {
    const code = text.charCodeAt(k);
    if (code > 0x7f) {
      bytes.fill(0, offset, offset + HEADER_BYTES);
      return false;
    }
    bytes[offset + 4 + k] = code;
  }
  bytes[offset] = text.length;
  return true;
}

/** The fields inside a vector, which its class hides; its release is pinned. */
interface RawVector {
  readonly validity: ConstructorParameters<typeof DuckDBBigIntVector>[1];
  readonly vector: ConstructorParameters<typeof DuckDBBigIntVector>[2];
}

/** Sets the vector's items, from 0 on, to `values` from `start` up to `end`. */
export function setStrings(
  target: DuckDBVector,
  values: readonly (string | null)[],
  start: number,
  end: number,
): void {
  const { vector, validity } = target as unknown as RawVector;
  const bytes = new Uint8Array((end - start) * HEADER_BYTES);
  const others: number[] = [];
  for (let i = start; i < end; i++) {
    const text = values[i] as string | null;
    if (text === null) validity.setItemValid(i - start, false);
    else if (!writeHeader(bytes, (i - start) * HEADER_BYTES, text)) others.push(i);
  }
  // The same memory seen as two 64-bit integers a header: the class copies it as it is.
  const words = new BigInt64Array(bytes.buffer);
  new DuckDBBigIntVector(words, validity, vector).flush();
  if (others.length === 0) return;
  for (const i of others) target.setItem(i - start, values[i] as string);
  target.flush();
}
