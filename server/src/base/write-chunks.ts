/** Chunks on their way into a stream, one at a time. */
import type { Writable } from 'node:stream';

/** Whether the stream has passed a chunk on; false when it is closed before. */
function passOn(target: Writable, chunk: Buffer, closed: Promise<false>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  target.write(chunk, (error) => resolve(!error));
  // A socket that is closed meanwhile leaves what was written to it without an answer.
  return Promise.race([promise, closed]);
}

/**
 * Writes the chunks until their end, or until the stream is closed: then resolves with false. Asks for each one when
 * the one before has been passed on, so that its memory can be used again, and tells the length of each that was.
 * Does not end the stream.
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
