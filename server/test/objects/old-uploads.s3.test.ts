/** Uploads that nobody finished, in a bucket where others are always under way. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { abandonOldUploads, ObjectClient } from '../../src/engine/duckdb/objects/object-client.ts';
import { BUCKET, objectStoreProblem, TestObjectStore } from './start-object-store.ts';

const PREFIX = 'uploads/lake';
const DAY_MS = 24 * 3_600_000;
const PAGE_SIZE = 2;

describe.skipIf(objectStoreProblem() !== null)('uploads that nobody finished', () => {
  let store: TestObjectStore;
  let client: ObjectClient;

  beforeAll(async () => {
    store = await TestObjectStore.start();
    client = new ObjectClient({ bucket: BUCKET, endpoint: store.endpoint, region: null });
  });
  afterAll(() => store?.stop());

  const begin = (key: string) =>
    client.send(key, (s3) => s3.createMultipartUpload({ Bucket: BUCKET, Key: key }));
  const keys = () =>
    client.send(PREFIX, async (s3) => {
      const { Uploads = [] } = await s3.listMultipartUploads({ Bucket: BUCKET });
      return Uploads.map(({ Key }) => Key);
    });

  it('are all given up after a day, also those that no first page of the list shows', async () => {
    const begun = Array.from({ length: 7 }, (_, at) => `${PREFIX}/part-${at}`);
    for (const key of [...begun, 'uploads/other']) await begin(key);
    await abandonOldUploads(client, PREFIX, Date.now() + DAY_MS / 2, PAGE_SIZE);
    expect(await keys()).toEqual(['uploads/other', ...begun].toSorted());
    const later = Date.now() + DAY_MS + 60_000;
    // Two servers at once: what one has given up is no failure of the other.
    await Promise.all([1, 2].map(() => abandonOldUploads(client, PREFIX, later, PAGE_SIZE)));
    expect(await keys()).toEqual(['uploads/other']);
  });
});
