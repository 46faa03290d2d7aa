/** Chunks as a stream; not every browser has `ReadableStream.from`. Cancelling ends the chunks. */
export function streamOf<Chunk extends Uint8Array>(
  chunks: AsyncGenerator<Chunk>,
): ReadableStream<Chunk> {
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => {
      await chunks.return(undefined);
    },
  });
}
