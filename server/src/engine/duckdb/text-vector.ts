/** Texts as DuckDB has them in memory -> strings, or codes without a string for each row. */
import type { DuckDBDataChunk, DuckDBVarCharVector } from '@duckdb/node-api';
import type { StringVector } from '../columns.ts';
import { NO_CODE, SHORT_TEXT_BYTES_MAX, type TextCodes } from '../text-codes.ts';
import { nullsOf, validBitsOf } from './masked-vector.ts';

const CACHE_SLOTS = 64;

function dataOf(vector: DuckDBVarCharVector): DataView<ArrayBuffer> {
  return (vector as unknown as { dataView: DataView<ArrayBuffer> }).dataView;
}

/** Four words for each text: its length, then a short text itself, or the beginning of a long one and where it lies. */
function headersOf(vector: DuckDBVarCharVector): Int32Array {
  const dataView = dataOf(vector);
  return new Int32Array(dataView.buffer, dataView.byteOffset, vector.itemCount * 4);
}

/**
 * Reads 16-byte string headers. Strings of up to 12 bytes stand in the header itself; few distinct
 * ones repeat over most rows (tickers, venues, event types), so a small cache saves the decoding.
 */
function stringsOf(vector: DuckDBVarCharVector): (string | null)[] {
  const nulls = nullsOf(validBitsOf(vector), vector.itemCount);
  const words = headersOf(vector);
  const cachedWords = new Int32Array(CACHE_SLOTS * 4).fill(-1);
  const cachedText: string[] = new Array(CACHE_SLOTS);
  const values: (string | null)[] = new Array(vector.itemCount);
  for (let i = 0; i < vector.itemCount; i++) {
    if (nulls !== null && nulls[i] === 1) {
      values[i] = null;
      continue;
    }
    const at = i * 4;
    const w0 = words[at] as number;
    const w1 = words[at + 1] as number;
    const w2 = words[at + 2] as number;
    const w3 = words[at + 3] as number;
    if (w0 > SHORT_TEXT_BYTES_MAX) {
      values[i] = vector.getItem(i);
      continue;
    }
    const slot = ((w0 ^ w1 ^ (w1 >>> 11) ^ (w2 >>> 3) ^ w3) & (CACHE_SLOTS - 1)) * 4;
    const isCached =
      cachedWords[slot] === w0 &&
      cachedWords[slot + 1] === w1 &&
      cachedWords[slot + 2] === w2 &&
      cachedWords[slot + 3] === w3;
    if (!isCached) {
      cachedWords.set(words.subarray(at, at + 4), slot);
      cachedText[slot >> 2] = vector.getItem(i) as string;
    }
    values[i] = cachedText[slot >> 2] as string;
  }
  return values;
}

/** Rows with the same header as the one before them have the same text, long ones as well. */
function writeCodes(
  vector: DuckDBVarCharVector,
  codes: TextCodes,
  target: Int32Array,
  at: number,
  first: number,
  end: number,
): void {
  const validBits = validBitsOf(vector);
  const words = headersOf(vector);
  let [l0, l1, l2, l3] = [NO_CODE, 0, 0, 0];
  let code = NO_CODE;
  for (let i = first; i < end; i++) {
    if (validBits !== null && (((validBits[i >> 3] as number) >> (i & 7)) & 1) === 0) {
      target[at + i - first] = NO_CODE;
      continue;
    }
    const w0 = words[i * 4] as number;
    const w1 = words[i * 4 + 1] as number;
    const w2 = words[i * 4 + 2] as number;
    const w3 = words[i * 4 + 3] as number;
    if (w0 !== l0 || w1 !== l1 || w2 !== l2 || w3 !== l3) {
      code =
        w0 > SHORT_TEXT_BYTES_MAX
          ? codes.codeOf(vector.getItem(i) as string)
          : codes.codeOfWords(w0, w1, w2, w3);
      [l0, l1, l2, l3] = [w0, w1, w2, w3];
    }
    target[at + i - first] = code;
  }
}

/** Texts that become strings when they are first asked for. */
export class TextVector implements StringVector {
  readonly type = 'string';
  readonly #vector: DuckDBVarCharVector;
  /** Has the memory in which long texts lie. */
  readonly chunk: DuckDBDataChunk;
  #values: readonly (string | null)[] | null = null;

  constructor(vector: DuckDBVarCharVector, chunk: DuckDBDataChunk) {
    this.#vector = vector;
    this.chunk = chunk;
  }

  /** That of the words of all rows. */
  get memory(): ArrayBuffer {
    return dataOf(this.#vector).buffer;
  }

  get values(): readonly (string | null)[] {
    this.#values ??= stringsOf(this.#vector);
    return this.#values;
  }

  writeCodes(codes: TextCodes, target: Int32Array, at: number, first: number, end: number): void {
    writeCodes(this.#vector, codes, target, at, first, end);
  }
}
