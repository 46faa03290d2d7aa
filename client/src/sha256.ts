/**
 * SHA-256 piece by piece (FIPS 180-4), for runtimes that have none: `crypto.subtle` takes only
 * whole bodies, and is missing on pages over plain HTTP.
 */
import { builtinModule } from './runtime.ts';

export interface Hash {
  update(bytes: Uint8Array): void;
  /** 32 bytes; nothing can be added afterwards. */
  digest(): Uint8Array;
}

const BLOCK_BYTES = 64;
const LENGTH_BYTES = 8;

/** The first 32 bits behind the point of a root of the first primes. */
function rootBits(count: number, root: (prime: number) => number): number[] {
  const primes: number[] = [];
  for (let n = 2; primes.length < count; n++) {
    if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  }
  return primes.map((prime) => ((root(prime) % 1) * 2 ** 32) | 0);
}

const ROUNDS = Int32Array.from(rootBits(64, Math.cbrt));
const START = rootBits(8, Math.sqrt);

function turned(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

export class PlainSha256 implements Hash {
  readonly #state = Int32Array.from(START);
  readonly #words = new Int32Array(64);
  readonly #block = new Uint8Array(BLOCK_BYTES);
  #held = 0;
  #byteCount = 0;

  update(bytes: Uint8Array): void {
    this.#byteCount += bytes.length;
    let at = 0;
    while (at < bytes.length) {
      const taken = Math.min(BLOCK_BYTES - this.#held, bytes.length - at);
      this.#block.set(bytes.subarray(at, at + taken), this.#held);
      this.#held += taken;
      at += taken;
      if (this.#held === BLOCK_BYTES) this.#compress();
    }
  }

  digest(): Uint8Array {
    const bitCount = BigInt(this.#byteCount) * 8n;
    const zeros = (2 * BLOCK_BYTES - 1 - LENGTH_BYTES - this.#held) % BLOCK_BYTES;
    const end = new Uint8Array(1 + zeros + LENGTH_BYTES);
    end[0] = 0x80;
    new DataView(end.buffer).setBigUint64(1 + zeros, bitCount);
    this.update(end);
    const digest = new DataView(new ArrayBuffer(32));
    this.#state.forEach((word, i) => {
      digest.setInt32(4 * i, word);
    });
    return new Uint8Array(digest.buffer);
  }

  #expand(): void {
    const words = this.#words;
    const block = new DataView(this.#block.buffer);
    for (let i = 0; i < 16; i++) words[i] = block.getInt32(4 * i);
    for (let i = 16; i < 64; i++) {
      const [early, late] = [words[i - 15] as number, words[i - 2] as number];
      const first = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
      const second = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
      words[i] = ((words[i - 16] as number) + first + (words[i - 7] as number) + second) | 0;
    }
  }

  #compress(): void {
    this.#held = 0;
    this.#expand();
    const state = this.#state;
    let [a, b, c, d, e, f, g, h] = state as unknown as [
      ...[number, number, number, number],
      ...[number, number, number, number],
    ];
    for (let i = 0; i < 64; i++) {
      const mixed = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
      const chosen = (e & f) ^ (~e & g);
      const round = (ROUNDS[i] as number) + (this.#words[i] as number);
      const first = (h + mixed + chosen + round) | 0;
      const most = (a & b) ^ (a & c) ^ (b & c);
      const second = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + most) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => {
      state[i] = ((state[i] as number) + word) | 0;
    });
  }
}

/** The runtime's own where it has one. */
export function sha256(): Hash {
  return builtinModule('node:crypto')?.createHash('sha256') ?? new PlainSha256();
}

export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function base64Of(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
