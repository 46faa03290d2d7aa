/**
 * Files that clients fetch from the object store itself, at URLs that are signed for a short time. Each is an object
 * below a folder of its day, and used on that day alone, so that what is swept later is in nobody's use.
 */

import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../base/clock.ts';
import { soon } from '../../../base/soon.ts';
import type { DirectFile } from '../../engine.ts';
import { type CopiedStart, composeObject, copiedStartOf } from './composed-object.ts';
import type { ObjectClient } from './object-client.ts';
import { listObjects, removeObjects } from './object-list.ts';
import { objectUrl, presignedUrl } from './presigned-url.ts';

const FOLDER = '.files';
/** The store has to have begun to send by then. */
const URL_LIFETIME_SECONDS = 60;
/** A client waits no longer for an object to be made; it gets the file from the server instead. */
const WAIT_MS = 5000;
/** After a failure, the server sends the file itself for so long. */
const RETRY_AFTER_MS = 60_000;
/** Of objects; files beyond them are sent by the server. */
const MADE_AT_ONCE = 8;
const KNOWN_OBJECTS_MAX = 20_000;
/** Then it is looked whether an object is still there, should somebody have removed it. */
const LOOK_AFTER_MS = 600_000;
const DAY_MS = 86_400_000;

export interface DirectFilesOptions {
  /** One that omits sums. */
  readonly client: ObjectClient;
  /** Of the lake. */
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

  /** Whether there is the object; made once for all who ask for it. */
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

/** Those that come before a key, of some in the order of their keys. */
async function* until<T extends { readonly key: string }>(objects: AsyncIterable<T>, end: string) {
  for await (const object of objects) {
    if (object.key >= end) return;
    yield object;
  }
}
