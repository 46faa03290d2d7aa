/**
 * Files of parts in object storage: the key of each is the prefix of the lake and the part's
 * location.
 */
import { createWriteStream, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { eachAtOnce } from '../../../base/each-at-once.ts';
import { endsEarly, type OpenedFile } from '../../../base/stored-bytes.ts';
import {
  type FileTail,
  fileOfIdentifierFolder,
  filesOfPart,
  identifierFolder,
  type PartFiles,
} from '../part-files.ts';
import { listObjects, type ObjectClient, removeObjects, uploadFile } from './object-client.ts';
import { unreadable } from './object-failures.ts';

const UPLOADS_AT_ONCE = 4;
const EXTENSION = /\.parquet$/;
const CONTENT_RANGE = /\/(\d+)$/;

interface Got {
  readonly body: AsyncIterable<Buffer>;
  /** Bytes of the whole object. */
  readonly byteCount: number;
}

async function get(client: ObjectClient, url: string, range: string): Promise<Got> {
  const key = client.keyOf(url);
  return await client.send(key, async (s3) => {
    const place = { Bucket: client.bucket, Key: key, Range: `bytes=${range}` };
    const { Body, ContentRange, ContentLength = 0 } = await s3.getObject(place);
    const byteCount = Number(CONTENT_RANGE.exec(ContentRange ?? '')?.[1] ?? ContentLength);
    return { body: Body as unknown as AsyncIterable<Buffer>, byteCount };
  });
}

async function size(client: ObjectClient, url: string): Promise<number> {
  const key = client.keyOf(url);
  const place = { Bucket: client.bucket, Key: key };
  const { ContentLength = 0 } = await client.send(key, (s3) => s3.headObject(place));
  return ContentLength;
}

async function tail(client: ObjectClient, url: string, byteCount: number): Promise<FileTail> {
  const got = await get(client, url, `-${byteCount}`);
  return { byteCount: got.byteCount, bytes: Buffer.concat(await Array.fromAsync(got.body)) };
}

async function* chunks(
  client: ObjectClient,
  url: string,
  start: number,
  end: number,
): AsyncGenerator<Buffer> {
  if (start >= end) return;
  try {
    const { body } = await get(client, url, `${start}-${end - 1}`);
    let at = start;
    for await (const chunk of body) {
      at += chunk.length;
      yield chunk;
    }
    if (at !== end) throw endsEarly(url, end);
  } catch (error) {
    throw unreadable(`the file ${url}`, error);
  }
}

/** The objects of a part: of the file and its folder no more begins so. */
function objectsOf(client: ObjectClient, url: string) {
  return listObjects(client, `${client.keyOf(url).replace(EXTENSION, '')}.`);
}

async function filesOf(client: ObjectClient, url: string): Promise<string[]> {
  const folder = `${identifierFolder(url)}/`;
  const urls = (await Array.fromAsync(objectsOf(client, url))).map(({ key }) => client.urlOf(key));
  return [url, ...urls.filter((each) => each.startsWith(folder)).sort()];
}

async function put(client: ObjectClient, written: string, url: string): Promise<void> {
  const [own, ...ordered] = await filesOfPart(written);
  const folder = identifierFolder(url);
  const upload = (path: string, target: string) => uploadFile(client, path, client.keyOf(target));
  try {
    await eachAtOnce(ordered, UPLOADS_AT_ONCE, (path) =>
      upload(path, `${folder}/${path.slice(dirname(path).length + 1)}`),
    );
    await upload(own as string, url);
  } catch (error) {
    if ((error as Error).name === 'PreconditionFailed') throw new Error(`${url} exists`);
    throw error;
  }
}

async function copy(client: ObjectClient, url: string, path: string): Promise<void> {
  if (existsSync(path)) throw new Error(`${path} exists`);
  const body = chunks(client, url, 0, await size(client, url));
  await pipeline(body, createWriteStream(path, { flags: 'wx' }));
}

/** As folders have it: folders of processes, and marks, begin with a dot. */
async function* locations(client: ObjectClient, prefix: string): AsyncGenerator<string> {
  const found = new Set<string>();
  for await (const { key } of listObjects(client, `${prefix}/`)) {
    const [folder = '', file] = key.slice(prefix.length + 1).split('/');
    if (folder.startsWith('.') || file === undefined) continue;
    const location = `${folder}/${fileOfIdentifierFolder(file) ?? file}`;
    if (!found.has(location)) yield location;
    found.add(location);
  }
}

export function objectFiles(client: ObjectClient, prefix: string): PartFiles {
  const opened = (url: string): OpenedFile => ({
    chunks: (start, end) => chunks(client, url, start, end),
    close: async () => undefined,
  });
  const bring = (url: string, path: string) => copy(client, url, path);
  return {
    root: client.urlOf(prefix),
    size: (url) => size(client, url),
    tail: (url, byteCount) => tail(client, url, byteCount),
    read: async (url, start, end) =>
      Buffer.concat(await Array.fromAsync(chunks(client, url, start, end))),
    open: async (url) => opened(url),
    filesOf: (url) => filesOf(client, url),
    locations: () => locations(client, prefix),
    put: (written, url) => put(client, written, url),
    // An object that was accepted is durable.
    flush: async () => undefined,
    copy: bring,
    bring,
    remove: async (url) => {
      await removeObjects(client, objectsOf(client, url));
    },
  };
}
