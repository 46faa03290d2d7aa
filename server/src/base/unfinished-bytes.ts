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

export class UnfinishedBytes {
  /** About as many as there will be. */
  readonly byteCountEstimate: number;
  readonly #release: () => void;
  readonly #pieces: Buffer[] = [];
  #owners: (() => void)[] = [];
  #untakenBytes = 0;
  #state: State = 'being written';
  #isReleased = false;
  /** Resolves when any of the above changes. */
  #change = Promise.withResolvers<void>();
  readonly #written = Promise.withResolvers<void>();

  /** `release` is called once, when nobody reads them any more. */
  constructor(byteCountEstimate: number, release: () => void) {
    this.byteCountEstimate = byteCountEstimate;
    this.#release = release;
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

  /** Resolves when no more is in memory than was to be expected of the whole. */
  async room(): Promise<void> {
    while (this.#untakenBytes > this.byteCountEstimate && !this.#isReleased) {
      await this.#change.promise;
    }
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
    this.#release();
  }

  #changed(): void {
    const { resolve } = this.#change;
    this.#change = Promise.withResolvers();
    resolve();
  }
}
