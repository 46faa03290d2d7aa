/**
 * The texts of a column, as the stream has them. A dictionary is written before the rows that need it, and again,
 * whole, where these have new texts: readers differ in what they make of dictionaries that only grow.
 */
import { TextCodes } from '../../engine/text-codes.ts';
import { GrownBytes } from './grown-bytes.ts';
import { type BatchBody, dictionaryBatch } from './messages.ts';

/** A larger one is not written again for a few new texts: the next rows begin a dictionary of their own. */
const AGAIN_BYTES_MAX = 256 * 1024;

const NO_VALID_BITS = new Uint8Array(0);

/** The texts in the order of their codes, as the rows of a dictionary. */
function rowsOf({ texts, count: length, byteCount }: TextCodes): BatchBody {
  const offsets = new GrownBytes();
  offsets.makeRoom(4 * (length + 1));
  let end = 0;
  offsets.ints[0] = end;
  for (const [code, text] of texts.entries()) {
    end += text.length;
    offsets.ints[code + 1] = end;
  }
  offsets.length = 4 * (length + 1);
  const nodes = [{ length, nullCount: 0 }];
  return {
    length,
    nodes,
    buffers: [NO_VALID_BITS, offsets.take(), Buffer.concat(texts, byteCount)],
  };
}

export class Dictionary {
  readonly #id: number;
  #codes = new TextCodes();
  /** Texts that the stream has; null: it has no dictionary. */
  #writtenCount: number | null = null;

  constructor(id: number) {
    this.#id = id;
  }

  /** Those of the rows up to the next `take`. */
  get codes(): TextCodes {
    return this.#codes;
  }

  /** The message that has to come before the rows since the last one, in pieces; none where they need none. */
  take(): Uint8Array[] {
    const codes = this.#codes;
    if (codes.count === this.#writtenCount) return [];
    this.#writtenCount = codes.count;
    if (codes.byteCount > AGAIN_BYTES_MAX) {
      this.#codes = new TextCodes();
      this.#writtenCount = null;
    }
    return dictionaryBatch(this.#id, rowsOf(codes));
  }
}
