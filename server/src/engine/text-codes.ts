/**
 * Numbers of texts: each text that is met for the first time gets the next one, from 0. Short ones
 * are looked up as the four words that engines keep them in, without a string for each row.
 */

/** UTF-8 bytes of a short text: one word has its length, three the bytes. */
export const SHORT_TEXT_BYTES_MAX = 12;

const WORDS = 4;
const SLOTS_MIN = 256;
/** So many slots for each code, so that few have to be looked at. */
const SLOTS_PER_CODE = 2;

/** The code of a row that has no text. */
export const NO_CODE = -1;

function hashOf(w0: number, w1: number, w2: number, w3: number): number {
  let hash = Math.imul(w1 ^ (w0 << 27), 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 15) ^ w2, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13) ^ w3, 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

export class TextCodes {
  /** The bytes of each code. */
  readonly #texts: Uint8Array[] = [];
  /** Words of each code; a long text has a length that no short one has. */
  #words = new Int32Array((SLOTS_MIN / SLOTS_PER_CODE) * WORDS);
  /** Codes by hash, one more than they are; 0: free. */
  #slots = new Int32Array(SLOTS_MIN);
  /** Codes of texts that came as strings. */
  readonly #byText = new Map<string, number>();
  #byteCount = 0;

  get count(): number {
    return this.#texts.length;
  }

  /** Bytes of all texts. */
  get byteCount(): number {
    return this.#byteCount;
  }

  /** In the order of their codes, as UTF-8. */
  get texts(): readonly Uint8Array[] {
    return this.#texts;
  }

  codeOf(text: string): number {
    const known = this.#byText.get(text);
    if (known !== undefined) return known;
    const bytes = Buffer.from(text);
    const code = bytes.length > SHORT_TEXT_BYTES_MAX ? this.#add(bytes) : this.#shortCode(bytes);
    this.#byText.set(text, code);
    return code;
  }

  #shortCode(bytes: Uint8Array): number {
    const words = new Int32Array(WORDS);
    words[0] = bytes.length;
    new Uint8Array(words.buffer).set(bytes, Int32Array.BYTES_PER_ELEMENT);
    const [w0, w1, w2, w3] = words as unknown as [number, number, number, number];
    return this.codeOfWords(w0, w1, w2, w3);
  }

  /** The code of a short text. */
  codeOfWords(w0: number, w1: number, w2: number, w3: number): number {
    const words = this.#words;
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = hashOf(w0, w1, w2, w3) & mask;
    for (; ; slot = (slot + 1) & mask) {
      const code = (slots[slot] as number) - 1;
      if (code === NO_CODE) break;
      const at = code * WORDS;
      if (
        words[at] === w0 &&
        words[at + 1] === w1 &&
        words[at + 2] === w2 &&
        words[at + 3] === w3
      ) {
        return code;
      }
    }
    const bytes = new Uint8Array(Int32Array.of(w1, w2, w3).buffer, 0, w0);
    const code = this.#add(bytes);
    this.#words.set([w0, w1, w2, w3], code * WORDS);
    this.#keep(code);
    return code;
  }

  #add(bytes: Uint8Array): number {
    const code = this.#texts.push(bytes) - 1;
    this.#byteCount += bytes.length;
    if (this.count * SLOTS_PER_CODE > this.#slots.length) this.#grow();
    this.#words[code * WORDS] = bytes.length;
    return code;
  }

  #grow(): void {
    const words = new Int32Array(this.#words.length * 2);
    words.set(this.#words);
    this.#words = words;
    this.#slots = new Int32Array(this.#slots.length * 2);
    for (let code = 0; code < this.count - 1; code++) this.#keep(code);
  }

  /** Notes a short text's code by its hash. */
  #keep(code: number): void {
    const words = this.#words;
    const at = code * WORDS;
    const w0 = words[at] as number;
    if (w0 > SHORT_TEXT_BYTES_MAX) return;
    const mask = this.#slots.length - 1;
    const hash = hashOf(w0, words[at + 1]!, words[at + 2]!, words[at + 3]!);
    let slot = hash & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = code + 1;
  }
}
