/** Reads the bytes of sources as they are stored, and has each chunk summed up on its way. */
import { createReadStream, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { DigestTally } from './source-digest.ts';

const CHUNK_BYTES = 1_048_576;
export const SMALL_BYTES = 65_536;

/** How one file is read. */
export interface ReadFile {
  readonly path: string;
  readonly byteCount: number;
  readonly signal: AbortSignal;
  readonly tally: DigestTally;
  /** Called with the stored bytes of the file that have been read so far. */
  readonly onBytes: (byteCount: number) => void;
}

/** A chunk is overwritten when the next but one is asked for. */
export async function* readPlainFile(file: ReadFile): AsyncGenerator<Buffer> {
  const { path, byteCount, signal, tally, onBytes } = file;
  signal.throwIfAborted();
  // A handle costs more than reading a small file, of which there may be many.
  if (byteCount <= SMALL_BYTES) {
    const bytes = readFileSync(path);
    tally.add(bytes);
    yield bytes;
    return;
  }
  const handle = await open(path);
  const read = (into: Buffer) => handle.read(into, 0, CHUNK_BYTES);
  let reading = read(Buffer.alloc(CHUNK_BYTES));
  let waiting: Buffer = Buffer.alloc(CHUNK_BYTES);
  try {
    for (;;) {
      const { bytesRead, buffer } = await reading;
      signal.throwIfAborted();
      if (bytesRead === 0) return;
      // The next chunk comes while this one is used; the two take turns.
      reading = read(waiting);
      waiting = buffer;
      const chunk = buffer.subarray(0, bytesRead);
      tally.add(chunk);
      yield chunk;
      onBytes(tally.byteCount);
    }
  } finally {
    await reading.catch(() => {});
    await handle.close();
  }
}

/** Chunks that stay as they are. */
export async function* readFileChunks(file: ReadFile): AsyncGenerator<Buffer> {
  const { path, signal, tally, onBytes } = file;
  for await (const chunk of createReadStream(path, { signal, highWaterMark: CHUNK_BYTES })) {
    tally.add(chunk as Buffer);
    yield chunk as Buffer;
    onBytes(tally.byteCount);
  }
}
