/**
 * Files of whole parts as objects of their own. The store puts each together from bytes that it has, so that the
 * file does not pass through this server: only its footer is sent.
 */
import type { StoredBytes } from '../../../base/stored-bytes.ts';
import type { ObjectClient } from './object-client.ts';
import { type SendPiece, uploadPieces } from './object-upload.ts';

/** Stores take no smaller piece of an object, but for the last one. */
export const COPIED_BYTES_MIN = 5 * 1024 * 1024;
const PIECE_BYTES = 64 * 1024 * 1024;

/** The first bytes of an object, behind which a file goes on with others. */
export interface CopiedStart {
  /** URL of the object. */
  readonly source: string;
  /** Exclusive. */
  readonly end: number;
}

/**
 * The object below `root` that a file begins as and has all of its rows from; null where it lies in several, in
 * another place or in the middle of one, or is too small to be copied there.
 */
export function copiedStartOf({ stretches }: StoredBytes, root: string): CopiedStart | null {
  const [mark, rows, footer, ...others] = stretches;
  if (!mark || !rows || !footer || others.length > 0 || 'bytes' in rows) return null;
  // Before the rows of any Parquet file stands the same mark.
  const markBytes = 'bytes' in mark ? mark.bytes.length : mark.end - mark.start;
  if (rows.start !== markBytes || !rows.file.startsWith(`${root}/`)) return null;
  return rows.end < COPIED_BYTES_MIN ? null : { source: rows.file, end: rows.end };
}

/** Pieces that are about equal, so that none of them is too small. */
function copies({ bucket }: ObjectClient, key: string, end: number): SendPiece[] {
  const count = Math.ceil(end / PIECE_BYTES);
  const byteCount = Math.ceil(end / count);
  const CopySource = `${bucket}/${encodeURIComponent(key)}`;
  return Array.from({ length: count }, (_, number): SendPiece => {
    const [first, last] = [number * byteCount, Math.min(end, (number + 1) * byteCount) - 1];
    return async (s3, place) => {
      const range = { CopySource, CopySourceRange: `bytes=${first}-${last}` };
      const { CopyPartResult: copied } = await s3.uploadPartCopy({ ...place, ...range });
      return { ETag: copied?.ETag };
    };
  });
}

/** Makes the object of a key, unless there is one. The client is one that omits sums. */
export async function composeObject(
  client: ObjectClient,
  key: string,
  { source, end }: CopiedStart,
  bytes: StoredBytes,
): Promise<void> {
  const place = { Bucket: client.bucket, Key: key };
  try {
    await client.send(key, (s3) => s3.headObject(place));
    return;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const sendRest: SendPiece = async (s3, piece) => {
    const Body = Buffer.concat(await Array.fromAsync(bytes.chunks(end)));
    return { ETag: (await s3.uploadPart({ ...piece, Body })).ETag };
  };
  const pieces = [...copies(client, client.keyOf(source), end), sendRest];
  try {
    await client.send(key, (s3) => uploadPieces(s3, place, pieces));
  } catch (error) {
    // Another server was quicker, with the same bytes.
    if ((error as Error).name !== 'PreconditionFailed') throw error;
  }
}
