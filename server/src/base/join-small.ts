/** Pieces of a body as they are sent. */

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
