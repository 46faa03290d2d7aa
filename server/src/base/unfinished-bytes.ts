/**
 * A body that is sent while it is written. What is written waits in memory until its reader takes
 * it, and the memory goes back when the answer has been sent.
 */
import type { Writable } from 'node:stream';

const SENT_BYTES_MIN = 64 * 1024;

/** Pieces that are smaller are joined with their neighbours, to be sent as one. */
export function joinSmall(pieces: readonly Uint8Array[]): Buffer[] {
  const joined: Buffer[] = [];
  let small: Uint8Array[] = [];
  const flush = () => {
    if (small.length > 0) joined.push(Buffer.concat(small));
    small = [];
  };
  for (const piece of pieces) {
    if (piece.length < SENT_BYTES_MIN) small.push(piece);
    else {
      flush();
      joined.push(Buffer.from(piece.buffer, piece.byteOffset, piece.length));
    }
  }
  flush();
  return joined;
}

/** Resolves to true when the stream has passed a chunk on, to false when it closes. */
function passOn(target: Writable, chunk: Buffer, closed: Promise<false>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  target.write(chunk, (error) => resolve(!error));
  // A socket that is closed meanwhile leaves what was written to it without an answer.
  return Promise.race([promise, closed]);
}

/**
 * Writes the chunks until their end, or until the stream is closed: then resolves with false. Asks
 * for each one when the one before has been passed on, so that its memory can be used again, and
 * tells the length of each that was. Does not end the stream.
 */
export async function writeChunks(
  target: Writable,
  chunks: AsyncIterable<Buffer>,
  onPassed: (byteCount: number) => void,
): Promise<boolean> {
  const { promise: closed, resolve } = Promise.withResolvers<false>();
  const onClose = () => resolve(false);
  target.once('close', onClose);
  try {
    for await (const chunk of chunks) {
      if (target.destroyed || !(await passOn(target, chunk, closed))) return false;
      onPassed(chunk.length);
    }
    return true;
  } finally {
    target.off('close', onClose);
  }
}

type State = 'being written' | 'whole' | { readonly error: unknown };

/** Memory that bodies share. */
export interface BodyMemory {
  /** True if there is room for so many bytes, which count until they are given back. */
  takeMemory(byteCount: number): boolean;
  giveMemory(byteCount: number): void;
}

export class UnfinishedBytes {
  /** About as many as there will be. */
  readonly byteCountEstimate: number;
  readonly #memory: BodyMemory;
  /** Taken of the memory. */
  #memoryBytes: number;
  readonly #pieces: Buffer[] = [];
  #owners: (() => void)[] = [];
  #untakenBytes = 0;
  #state: State = 'being written';
  #isReleased = false;
  /** Resolves when any of the above changes. */
  #change = Promise.withResolvers<void>();
  readonly #written = Promise.withResolvers<void>();

  /** So many bytes were taken of the memory. */
  constructor(byteCountEstimate: number, memory: BodyMemory) {
    this.byteCountEstimate = byteCountEstimate;
    this.#memoryBytes = byteCountEstimate;
    this.#memory = memory;
  }

  /** Resolves when nothing more is written, be the body whole or not. */
  get written(): Promise<void> {
    return this.#written.promise;
  }

  /** Takes the pieces, which may not change before `release` is called. */
  add(pieces: readonly Uint8Array[], release: () => void = () => undefined): void {
    if (this.#isReleased) {
      release();
      return;
    }
    this.#owners.push(release);
    for (const piece of joinSmall(pieces)) {
      this.#pieces.push(piece);
      this.#untakenBytes += piece.length;
    }
    this.#changed();
  }

  /** Resolves when memory has room for what is not taken: where it has no more, when some is. */
  async room(): Promise<void> {
    while (!this.#isReleased && !this.#takeMore()) await this.#change.promise;
  }

  #takeMore(): boolean {
    const moreBytes = this.#untakenBytes - this.#memoryBytes;
    if (moreBytes <= 0) return true;
    if (!this.#memory.takeMemory(moreBytes)) return false;
    this.#memoryBytes += moreBytes;
    return true;
  }

  /** Nothing more is added: all of it is there, or, with an error, it is not. */
  end(failure?: { readonly error: unknown }): void {
    this.#state = failure ?? 'whole';
    this.#changed();
    this.#written.resolve();
  }

  /** Once: all bytes as they come. Rejects with the error of the one who writes them. */
  async *chunks(): AsyncGenerator<Buffer> {
    for (;;) {
      const piece = this.#pieces.shift();
      if (piece) {
        yield piece;
        this.#untakenBytes -= piece.length;
        this.#changed();
      } else if (this.#state === 'being written') {
        await this.#change.promise;
      } else if (this.#state === 'whole') {
        return;
      } else {
        throw this.#state.error;
      }
    }
  }

  /** When the answer is sent, or its client gone. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    for (const release of this.#owners.splice(0)) release();
    this.#pieces.length = 0;
    this.#changed();
    this.#memory.giveMemory(this.#memoryBytes);
  }

  #changed(): void {
    const { resolve } = this.#change;
    this.#change = Promise.withResolvers();
    resolve();
  }
}
