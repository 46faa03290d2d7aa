/** Finds and removes objects by what their keys begin with, and uploads that nobody finished. */
import type { ObjectClient } from './object-client.ts';

export interface ListedObject {
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
 * Gives up uploads below a prefix whose process must have died, however many there are beside them. `pageSize`: how many
 * are listed at once.
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
