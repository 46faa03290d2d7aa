/**
 * Pieces of at least so many bytes, but for the last one, whatever the network makes of them. What has come before
 * a failure is passed on before the failure is.
 */
export async function* inPieces(
  chunks: AsyncIterable<Buffer>,
  bytesMin: number,
): AsyncGenerator<Buffer> {
  let gathered: Buffer[] = [];
  let byteCount = 0;
  const take = () => {
    const piece = Buffer.concat(gathered);
    gathered = [];
    byteCount = 0;
    return piece;
  };
  try {
    for await (const chunk of chunks) {
      gathered.push(chunk);
      byteCount += chunk.length;
      if (byteCount >= bytesMin) yield take();
    }
  } finally {
    // Whoever stops early does so when nothing is gathered.
    if (byteCount > 0) yield take();
  }
}
