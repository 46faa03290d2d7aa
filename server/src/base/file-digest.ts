/** Digests of files. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

const READ_BYTES = 1_048_576;

async function* bytesOf(paths: readonly string[]): AsyncGenerator<Buffer> {
  for (const path of paths) yield* createReadStream(path, { highWaterMark: READ_BYTES });
}

/** SHA-256 of all bytes of a file, in hexadecimal. Aborting the signal rejects with its reason. */
export async function digestOfFile(path: string, signal?: AbortSignal): Promise<string> {
  return await digestOfFiles([path], signal);
}

/** The same of the bytes of several files, one after the other. */
export async function digestOfFiles(
  paths: readonly string[],
  signal?: AbortSignal,
): Promise<string> {
  return await digestOfChunks(bytesOf(paths), signal);
}

/** The same of bytes from elsewhere. */
export async function digestOfChunks(
  chunks: AsyncIterable<Buffer>,
  signal?: AbortSignal,
): Promise<string> {
  const hash = createHash('sha256');
  try {
    await pipeline(chunks, hash, { ...(signal && { signal }) });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
  return hash.digest('hex');
}
