/** Uploads local files. An object is there whole, with checked sums, or not at all. */
import { open } from 'node:fs/promises';
import type { CompletedPart, S3 } from '@aws-sdk/client-s3';
import { eachAtOnce } from './each-at-once.ts';
import type { ObjectClient } from './object-client.ts';

/** A store takes at most 10,000 pieces of an object. */
const PIECE_BYTES = 16 * 1024 * 1024;
const PIECES_AT_ONCE = 4;
/** No key is ever used again. */
const ONLY_NEW = { IfNoneMatch: '*' } as const;

interface Place {
  readonly Bucket: string;
  readonly Key: string;
}

/** Names an upload that has begun, and one of its pieces. */
export interface PiecePlace extends Place {
  readonly UploadId: string;
  /** From 1 on. */
  readonly PartNumber: number;
}

/** Has a piece stored; resolves to what the store says of it. */
export type SendPiece = (s3: S3, place: PiecePlace) => Promise<CompletedPart>;

const CHECKED = { ChecksumAlgorithm: 'CRC32' } as const;

const sendBytes =
  (readPiece: (number: number) => Promise<Buffer>): SendPiece =>
  async (s3, place) => {
    const Body = await readPiece(place.PartNumber - 1);
    const { ETag, ChecksumCRC32 } = await s3.uploadPart({ ...place, Body, ...CHECKED });
    return { ETag, ChecksumCRC32 };
  };

/** Makes an object of pieces, some of them at the same time. `checks`: the sums that come with all of them. */
export async function uploadPieces(
  s3: S3,
  place: Place,
  pieces: readonly SendPiece[],
  checks: Partial<typeof CHECKED> = {},
): Promise<void> {
  const { UploadId = '' } = await s3.createMultipartUpload({ ...place, ...checks });
  const upload = { ...place, UploadId };
  try {
    const parts: CompletedPart[] = [];
    await eachAtOnce([...pieces.entries()], PIECES_AT_ONCE, async ([number, send]) => {
      const PartNumber = number + 1;
      parts[number] = { PartNumber, ...(await send(s3, { ...upload, PartNumber })) };
    });
    await s3.completeMultipartUpload({ ...upload, ...ONLY_NEW, MultipartUpload: { Parts: parts } });
  } catch (error) {
    // What cannot be given up now is swept by its age.
    await s3.abortMultipartUpload(upload).catch(() => undefined);
    throw error;
  }
}

/** Uploads the file of a path. Rejects with the name `PreconditionFailed` where there is an object. */
export async function uploadFile(client: ObjectClient, path: string, key: string): Promise<void> {
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    const readPiece = async (number: number) => {
      const start = number * PIECE_BYTES;
      const buffer = Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, size - start));
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, start);
      if (bytesRead < buffer.length) throw new Error(`${path} has become shorter`);
      return buffer;
    };
    const place = { Bucket: client.bucket, Key: key };
    await client.send(key, async (s3) => {
      if (size > PIECE_BYTES) {
        const pieceCount = Math.ceil(size / PIECE_BYTES);
        await uploadPieces(s3, place, Array(pieceCount).fill(sendBytes(readPiece)), CHECKED);
      } else await s3.putObject({ ...place, ...ONLY_NEW, Body: await readPiece(0) });
    });
  } finally {
    await handle.close();
  }
}
