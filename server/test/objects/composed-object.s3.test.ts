/** Objects that a store puts together from others and a few bytes. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { StoredBytes } from '../../src/base/stored-bytes.ts';
import {
  COPIED_BYTES_MIN,
  composeObject,
  copiedStartOf,
  DirectFiles,
} from '../../src/engine/duckdb/objects/direct-files.ts';
import { ObjectClient } from '../../src/engine/duckdb/objects/object-client.ts';
import { objectFiles } from '../../src/engine/duckdb/objects/object-files.ts';
import { eventually } from '../eventually.ts';
import { BUCKET, objectStoreProblem, TestObjectStore } from './start-object-store.ts';

const PREFIX = 'composed';
const MARK = Buffer.from('PAR1');
const FOOTER = Buffer.from('another footer');
const MEBIBYTE = 1024 * 1024;

describe.skipIf(objectStoreProblem() !== null)('a composed object', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ticklake-composed-'));
  let store: TestObjectStore;
  let client: ObjectClient;
  const root = `s3://${BUCKET}/${PREFIX}`;
  const files = () => objectFiles(client, PREFIX);

  beforeAll(async () => {
    store = await TestObjectStore.start();
    const place = { bucket: BUCKET, endpoint: store.endpoint, region: null };
    client = new ObjectClient({ ...place, omitsSums: true });
  });
  afterAll(async () => {
    await store.stop();
    rmSync(folder, { recursive: true });
  });

  const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

  /** A stored object of random bytes after the mark. */
  async function put(name: string, byteCount: number): Promise<Buffer> {
    const bytes = Buffer.concat([MARK, randomBytes(byteCount - MARK.length)]);
    const path = join(folder, name);
    writeFileSync(path, bytes);
    await files().put(path, `${root}/taq/${name}`);
    return bytes;
  }

  /** A file that has the stored bytes from one to another, and a footer. */
  function fileOf(name: string, start: number, end: number): StoredBytes {
    const { open } = files();
    const rows = { file: `${root}/taq/${name}`, start, end, open };
    return new StoredBytes([{ bytes: MARK }, rows, { bytes: FOOTER }]);
  }

  it.each([
    ['one piece', COPIED_BYTES_MIN + 4096, COPIED_BYTES_MIN],
    ['two pieces', 65 * MEBIBYTE, 64 * MEBIBYTE + 1],
    ['three pieces of odd lengths', 131 * MEBIBYTE, 130 * MEBIBYTE + 7],
  ])('has the bytes of the file in %s', async (name, byteCount, end) => {
    const object = `${name.replaceAll(' ', '-')}.parquet`;
    const stored = await put(object, byteCount);
    const file = fileOf(object, MARK.length, end);
    const start = copiedStartOf(file, root);
    expect(start).toEqual({ source: `${root}/taq/${object}`, end });
    if (start === null) return;
    const key = `${PREFIX}/.files/2026-01-01/${object}`;
    const compose = () => composeObject(client, key, start, file);
    // Two servers at the same time, and one later.
    await Promise.all([compose(), compose()]);
    await compose();
    const made = await files().read(client.urlOf(key), 0, file.byteCount);
    expect(sha256Of(made)).toBe(sha256Of(Buffer.concat([stored.subarray(0, end), FOOTER])));
    expect(await files().size(client.urlOf(key))).toBe(end + FOOTER.length);
    const uploads = await client.send('', (s3) => s3.listMultipartUploads({ Bucket: BUCKET }));
    expect(uploads.Uploads ?? []).toEqual([]);
  });

  it('is none where the file does not begin as a stored one, or is small', () => {
    const end = 2 * COPIED_BYTES_MIN;
    const others = [
      fileOf('a', MARK.length, COPIED_BYTES_MIN - 1),
      fileOf('a', MARK.length + 1, end),
      fileOf('a', 0, end),
      new StoredBytes([{ bytes: randomBytes(9) }]),
      new StoredBytes([...fileOf('a', 4, end).stretches, { bytes: FOOTER }]),
      new StoredBytes(fileOf('a', 4, end).stretches.slice(0, 2)),
      new StoredBytes([{ bytes: MARK }, { bytes: randomBytes(end) }, { bytes: FOOTER }]),
    ];
    expect(others.map((file) => copiedStartOf(file, root))).toEqual(others.map(() => null));
    expect(copiedStartOf(fileOf('a', 4, end), 's3://lake/another')).toBeNull();
    expect(copiedStartOf(fileOf('a', 4, end), 's3://lake/compose')).toBeNull();
  });

  it('rejects, and leaves nothing, where the stored object is gone', async () => {
    const end = COPIED_BYTES_MIN;
    const file = fileOf('gone.parquet', MARK.length, end);
    const start = { source: `${root}/taq/gone.parquet`, end };
    const key = `${PREFIX}/.files/2026-01-01/never.parquet`;
    await expect(composeObject(client, key, start, file)).rejects.toThrow('does not exist');
    const found = readdirSync(store.bucketFolder, { recursive: true }).map(String);
    expect(found.filter((name) => name.includes('never'))).toEqual([]);
  });

  describe('that clients fetch', () => {
    const nowMs = Date.now();
    const clock = { now: () => nowMs };
    const EXPIRES_IN_MS = 60_000;

    class RoleClient extends ObjectClient {
      readonly #expiresAtMs: number;

      constructor(expiresAtMs: number) {
        const place = { bucket: BUCKET, endpoint: store.endpoint, region: null };
        super({ ...place, omitsSums: true });
        this.#expiresAtMs = expiresAtMs;
      }

      override async credentials() {
        const own = await super.credentials();
        return { ...own, sessionToken: 'token/of+the=role', expiresAtMs: this.#expiresAtMs };
      }
    }

    /** A URL that is not given as long as the store is slow to copy the file. */
    function urlOnceCopied(direct: DirectFiles, ...asked: Parameters<DirectFiles['urlOf']>) {
      return eventually(async () => {
        const url = await direct.urlOf(...asked);
        expect(url).not.toBeNull();
        return url ?? '';
      });
    }

    async function fileToFetch() {
      const stored = await put('fetched.parquet', COPIED_BYTES_MIN + 1);
      const bytes = fileOf('fetched.parquet', MARK.length, COPIED_BYTES_MIN);
      const whole = Buffer.concat([stored.subarray(0, COPIED_BYTES_MIN), FOOTER]);
      const own = { name: 'a.parquet', contentType: 'application/vnd.apache.parquet' };
      return { ...own, bytes, sha256: sha256Of(whole) };
    }

    it('is signed with the token of a role, and never for longer than the role is', async () => {
      const file = await fileToFetch();
      const expiringIn = (leftMs: number) => {
        const client = new RoleClient(nowMs + leftMs);
        return new DirectFiles({ client, prefix: PREFIX, endpoint: store.endpoint });
      };
      const lasting = await urlOnceCopied(expiringIn(EXPIRES_IN_MS + 5000), file, clock);
      const { searchParams } = new URL(lasting);
      expect(searchParams.get('X-Amz-Security-Token')).toBe('token/of+the=role');
      expect(searchParams.get('X-Amz-Expires')).toBe(`${EXPIRES_IN_MS / 1000}`);
      expect(await expiringIn(EXPIRES_IN_MS - 1000).urlOf(file, clock)).toBeNull();
      await files().remove(`${root}/taq/fetched.parquet`);
    });

    it('is at the address that clients have, and made once for all of them', async () => {
      const file = await fileToFetch();
      const endpoint = store.endpoint.replace('127.0.0.1', 'localhost');
      const direct = new DirectFiles({ client, prefix: PREFIX, endpoint });
      // The store goes by its own clock: a URL signed by an earlier one might have ended.
      const urls = await Promise.all([1, 2, 3].map(() => urlOnceCopied(direct, file, systemClock)));
      for (const url of urls) {
        expect(url).toContain(`${endpoint}/${BUCKET}/${PREFIX}/.files/`);
        const answer = await fetch(url);
        const bytes = Buffer.from(await answer.arrayBuffer());
        expect(sha256Of(bytes)).toBe(file.sha256);
      }
      await files().remove(`${root}/taq/fetched.parquet`);
    });
  });
});
