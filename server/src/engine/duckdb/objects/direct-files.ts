/**
 * Files that clients fetch from the object store itself, at URLs that are signed for a short time.
 * Each is an object below a folder of its day, and used on that day alone, so that what is swept
 * later is in nobody's use.
 */

import { createHash, createHmac } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../base/clock.ts';
import { nullIfMissing } from '../../../base/if-there.ts';
import { soon } from '../../../base/last-known.ts';
import type { StoredBytes } from '../../../base/stored-bytes.ts';
import type { DirectFile } from '../../engine.ts';
import {
  listObjects,
  type ObjectClient,
  type ObjectCredentials,
  removeObjects,
  type SendPiece,
  uploadPieces,
} from './object-client.ts';

/**
 * URLs of objects that need no credentials until they expire: AWS Signature Version 4 in the query.
 * Each is for a GET of one object. It holds no secret, but whoever has it can read the object.
 * Pure.
 */

const ALGORITHM = 'AWS4-HMAC-SHA256';

export interface PresignedGet {
  /** The object's URL as clients reach it, without a query; its path is encoded. */
  readonly url: string;
  readonly region: string;
  readonly credentials: Pick<ObjectCredentials, 'keyId' | 'secret' | 'sessionToken'>;
  readonly atMs: number;
  readonly lifetimeSeconds: number;
  /** Parameters of the store's own, such as `response-content-type`. */
  readonly parameters?: Readonly<Record<string, string>>;
}

interface ObjectPlace {
  /** Origin of the store; null: AWS. */
  readonly endpoint: string | null;
  readonly region: string;
  readonly bucket: string;
  /** Made of characters that need no encoding in URLs. */
  readonly key: string;
}

/** The URL of an object as clients reach it. */
export function objectUrl({ endpoint, region, bucket, key }: ObjectPlace): string {
  if (endpoint !== null) return `${endpoint}/${bucket}/${key}`;
  const host = `s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  // A name with dots is no single label, as certificates need it.
  return bucket.includes('.')
    ? `https://${host}/${bucket}/${key}`
    : `https://${bucket}.${host}/${key}`;
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** As RFC 3986 has it: everything but letters, digits and `-_.~`. */
function encoded(text: string): string {
  const hexOf = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, hexOf);
}

export function presignedUrl(get: PresignedGet): string {
  const { region, credentials, parameters } = get;
  const { origin, host, pathname } = new URL(get.url);
  // `20130524T000000Z`.
  const time = new Date(get.atMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const scope = [time.slice(0, 8), region, 's3', 'aws4_request'];
  const query = Object.entries({
    ...parameters,
    'X-Amz-Algorithm': ALGORITHM,
    'X-Amz-Credential': [credentials.keyId, ...scope].join('/'),
    'X-Amz-Date': time,
    'X-Amz-Expires': `${get.lifetimeSeconds}`,
    ...(credentials.sessionToken !== null && { 'X-Amz-Security-Token': credentials.sessionToken }),
    'X-Amz-SignedHeaders': 'host',
  })
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join('&');
  const request = ['GET', pathname, query, `host:${host}`, '', 'host', 'UNSIGNED-PAYLOAD'];
  const digest = createHash('sha256').update(request.join('\n')).digest('hex');
  const key = scope.reduce<string | Buffer>(hmac, `AWS4${credentials.secret}`);
  const signature = hmac(key, [ALGORITHM, time, scope.join('/'), digest].join('\n')).toString(
    'hex',
  );
  return `${origin}${pathname}?${query}&X-Amz-Signature=${signature}`;
}

/**
 * Files of whole parts as objects of their own. The store puts each together from bytes that it
 * has, so that the file does not pass through this server: only its footer is sent.
 */

/** Stores take no smaller piece of an object, but for the last one. */
export const COPIED_BYTES_MIN = 5 * 1024 * 1024;
const PIECE_BYTES = 64 * 1024 * 1024;

/** The first bytes of an object, behind which a file goes on with others. */
interface CopiedStart {
  /** URL of the object. */
  readonly source: string;
  /** Exclusive. */
  readonly end: number;
}

/**
 * The object below `root` that a file begins as and has all of its rows from; null where it lies in
 * several, in another place or in the middle of one, or is too small to be copied there.
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
  if (await client.send(key, (s3) => s3.headObject(place)).catch(nullIfMissing)) return;
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

const FOLDER = '.files';
/** The store has to have begun to send by then. */
const URL_LIFETIME_SECONDS = 60;
/** A client waits no longer for an object to be made; it gets the file from the server instead. */
const WAIT_MS = 5000;
/** After a failure, the server sends the file itself for so long. */
const RETRY_AFTER_MS = 60_000;
/** Objects made at once; the server itself sends further files. */
const MADE_AT_ONCE = 8;
const KNOWN_OBJECTS_MAX = 20_000;
/** Then it is looked whether an object is still there, should somebody have removed it. */
const LOOK_AFTER_MS = 600_000;
const DAY_MS = 86_400_000;

interface DirectFilesOptions {
  /** One that omits sums. */
  readonly client: ObjectClient;
  /** The lake's prefix. */
  readonly prefix: string;
  /** Origin of the store, as clients reach it; null: AWS. */
  readonly endpoint: string | null;
}

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

export class DirectFiles {
  readonly #client: ObjectClient;
  readonly #folder: string;
  readonly #root: string;
  readonly #endpoint: string | null;
  /** By key: whether there is an object, once that is known. */
  readonly #objects = new LRUCache<string, Promise<boolean>>({
    max: KNOWN_OBJECTS_MAX,
    ttl: LOOK_AFTER_MS,
  });
  #makingCount = 0;

  constructor({ client, prefix, endpoint }: DirectFilesOptions) {
    this.#client = client;
    this.#root = client.urlOf(prefix);
    this.#folder = `${prefix}/${FOLDER}`;
    this.#endpoint = endpoint;
  }

  /** As `EngineReader.directUrl` has it. */
  async urlOf(file: DirectFile, clock: Clock): Promise<string | null> {
    const start = copiedStartOf(file.bytes, this.#root);
    if (start === null) return null;
    const key = `${this.#folder}/${dayOf(clock.now())}/${file.sha256}.parquet`;
    const ensured = this.#ensure(key, start, file);
    // When it fails, nobody may be waiting for it any more.
    ensured.catch(() => undefined);
    const isThere = await soon(ensured, WAIT_MS, null);
    return isThere ? await this.#sign(key, file, clock.now()) : null;
  }

  /** Removes the objects of days before yesterday. */
  async sweep(nowMs: number): Promise<void> {
    const kept = `${this.#folder}/${dayOf(nowMs - DAY_MS)}`;
    const client = this.#client;
    const listed = listObjects(client, `${this.#folder}/`);
    await removeObjects(client, until(listed, kept));
  }

  /** True once the object exists; made once for all who ask for it. */
  async #ensure(key: string, start: CopiedStart, { bytes }: DirectFile): Promise<boolean> {
    const known = this.#objects.get(key);
    if (known) return await known;
    if (this.#makingCount === MADE_AT_ONCE) return false;
    this.#makingCount++;
    const making = composeObject(this.#client, key, start, bytes).then(() => true);
    this.#objects.set(key, making);
    try {
      return await making;
    } catch (error) {
      this.#objects.set(key, Promise.resolve(false), { ttl: RETRY_AFTER_MS });
      throw error;
    } finally {
      this.#makingCount--;
    }
  }

  async #sign(key: string, { name, contentType }: DirectFile, nowMs: number) {
    const client = this.#client;
    const credentials = await client.credentials();
    const endsAtMs = nowMs + URL_LIFETIME_SECONDS * 1000;
    // The URL would end with them.
    if (credentials.expiresAtMs !== null && credentials.expiresAtMs < endsAtMs) return null;
    const region = await client.region();
    return presignedUrl({
      url: objectUrl({ endpoint: this.#endpoint, region, bucket: client.bucket, key }),
      ...{ region, credentials, atMs: nowMs, lifetimeSeconds: URL_LIFETIME_SECONDS },
      parameters: {
        'response-content-type': contentType,
        'response-content-disposition': `attachment; filename="${name}"`,
        'response-cache-control': 'no-store',
      },
    });
  }
}

/** Listed objects with keys before `end`. */
async function* until<T extends { readonly key: string }>(objects: AsyncIterable<T>, end: string) {
  for await (const object of objects) {
    if (object.key >= end) return;
    yield object;
  }
}
