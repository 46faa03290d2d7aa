/**
 * The client of an object store. It is loaded when it is first used: a lake in a folder needs none.
 */

import { open } from 'node:fs/promises';
import type { CompletedPart, S3 } from '@aws-sdk/client-s3';
import { atEnd } from '../../../base/at-end.ts';
import { eachAtOnce } from '../../../base/each-at-once.ts';
import { objectFailure } from './object-failures.ts';

interface ObjectClientOptions {
  readonly bucket: string;
  /** Origin of the store; null: that of AWS. */
  readonly endpoint: string | null;
  /** Null: what the environment or the profile says. */
  readonly region: string | null;
  /**
   * Sends no sums that a store does not ask for: one that copies pieces has none for them, or wrong
   * ones.
   */
  readonly omitsSums?: boolean;
}

/** Stores that have no regions take this one. */
const ANY_REGION = 'us-east-1';
const CONNECTION_TIMEOUT_MS = 5000;
/**
 * Without a byte in either direction. A store that stands still is given up after all attempts, in
 * 20 s.
 */
const SILENCE_MAX_MS = 10_000;
export const ATTEMPTS_MAX = 2;

async function openS3({ endpoint, region, omitsSums }: ObjectClientOptions): Promise<S3> {
  const client = await import('@aws-sdk/client-s3');
  const chosen = region ?? (endpoint === null ? null : ANY_REGION);
  return new client.S3({
    ...(endpoint !== null && { endpoint, forcePathStyle: true }),
    ...(chosen !== null && { region: chosen }),
    ...(omitsSums && { requestChecksumCalculation: 'WHEN_REQUIRED' as const }),
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      socketTimeout: SILENCE_MAX_MS,
    },
    maxAttempts: ATTEMPTS_MAX,
  });
}

export interface ObjectCredentials {
  readonly keyId: string;
  readonly secret: string;
  readonly sessionToken: string | null;
  /** Null: they stay. */
  readonly expiresAtMs: number | null;
}

export class ObjectClient {
  readonly bucket: string;
  readonly endpoint: string | null;
  readonly #options: ObjectClientOptions;
  #s3: Promise<S3> | undefined;

  constructor(options: ObjectClientOptions) {
    this.#options = options;
    this.bucket = options.bucket;
    this.endpoint = options.endpoint;
  }

  urlOf(key: string): string {
    return `s3://${this.bucket}/${key}`;
  }

  /** The key of an object by its URL, which is one of the bucket. */
  keyOf(url: string): string {
    return url.slice(this.urlOf('').length);
  }

  /** Rejects with an error for the operator, of code `ENOENT` where the object does not exist. */
  async send<T>(key: string, use: (s3: S3) => Promise<T>): Promise<T> {
    try {
      return await use(await this.#open());
    } catch (error) {
      throw objectFailure(this.urlOf(key), error);
    }
  }

  /**
   * By how much the clock of the store is ahead, in ms, where the last answer told of a great
   * difference.
   */
  async clockOffsetMs(): Promise<number> {
    return (await this.#open()).config.systemClockOffset;
  }

  async region(): Promise<string> {
    return await this.send('', (s3) => s3.config.region());
  }

  /** The valid ones: what expires is fetched again in time. */
  async credentials(): Promise<ObjectCredentials> {
    return await this.send('', async (s3) => {
      const found = await s3.config.credentials();
      return {
        keyId: found.accessKeyId,
        secret: found.secretAccessKey,
        sessionToken: found.sessionToken ?? null,
        expiresAtMs: found.expiration?.getTime() ?? null,
      };
    });
  }

  async #open(): Promise<S3> {
    this.#s3 ??= openS3(this.#options);
    return await this.#s3;
  }
}

interface ListedObject {
  readonly key: string;
  readonly byteCount: number;
}

/** The most that a store lists, or removes, at once. */
const OBJECTS_MAX = 1000;
/** Whoever uploads for so long is dead. */
const UPLOAD_AGE_MAX_MS = 24 * 3_600_000;

export async function* listObjects(
  client: ObjectClient,
  prefix: string,
): AsyncGenerator<ListedObject> {
  let from: { readonly ContinuationToken?: string } = {};
  for (;;) {
    const question = { Bucket: client.bucket, Prefix: prefix, MaxKeys: OBJECTS_MAX, ...from };
    const page = await client.send(prefix, (s3) => s3.listObjectsV2(question));
    for (const { Key = '', Size = 0 } of page.Contents ?? []) yield { key: Key, byteCount: Size };
    if (!page.NextContinuationToken) return;
    from = { ContinuationToken: page.NextContinuationToken };
  }
}

export async function removeObjects(
  client: ObjectClient,
  objects: AsyncIterable<ListedObject>,
): Promise<void> {
  const keys = await Array.fromAsync(objects, ({ key }) => key);
  for (let first = 0; first < keys.length; first += OBJECTS_MAX) {
    const some = keys.slice(first, first + OBJECTS_MAX).map((Key) => ({ Key }));
    await client.send(keys[first] as string, async (s3) => {
      const removal = { Bucket: client.bucket, Delete: { Objects: some, Quiet: true } };
      const { Errors = [] } = await s3.deleteObjects(removal);
      const [failed] = Errors;
      if (failed) throw Object.assign(new Error(failed.Message), { name: failed.Code });
    });
  }
}

/**
 * Gives up uploads below a prefix whose process must have died, however many there are beside them.
 * `pageSize`: how many are listed at once.
 */
export async function abandonOldUploads(
  client: ObjectClient,
  prefix: string,
  nowMs: number,
  pageSize = OBJECTS_MAX,
): Promise<void> {
  const { bucket: Bucket } = client;
  const question = { Bucket, Prefix: `${prefix}/`, MaxUploads: pageSize };
  await client.send(prefix, async (s3) => {
    let from: { readonly KeyMarker?: string } = {};
    for (;;) {
      const page = await s3.listMultipartUploads({ ...question, ...from });
      for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
        if (nowMs - (Initiated?.getTime() ?? nowMs) < UPLOAD_AGE_MAX_MS) continue;
        // Another server may have been quicker; that must not keep this one from the rest.
        await s3.abortMultipartUpload({ Bucket, Key, UploadId }).catch(unlessGone);
      }
      if (!page.IsTruncated || !page.NextKeyMarker) return;
      // The key alone says where to go on: each has one upload, which may be gone by then.
      from = { KeyMarker: page.NextKeyMarker };
    }
  });
}

function unlessGone(error: unknown): void {
  if ((error as Error).name !== 'NoSuchUpload') throw error;
}

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
interface PiecePlace extends Place {
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

/**
 * Makes an object of pieces, some of them at the same time. `checks`: the sums that come with all
 * of them.
 */
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
    // An upload that cannot be given up now is swept by its age.
    await s3.abortMultipartUpload(upload).catch(() => undefined);
    throw error;
  }
}

/**
 * Uploads the file of a path. Rejects with the name `PreconditionFailed` where there is an object.
 */
export async function uploadFile(client: ObjectClient, path: string, key: string): Promise<void> {
  const handle = await open(path);
  await using _handle = atEnd(() => handle.close());
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
}
