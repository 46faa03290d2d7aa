/** Files that an engine can reach with its lake in object storage, and with which credentials. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLockedInstance } from '../../src/engine/duckdb/locked-instance.ts';
import { EngineAccess } from '../../src/engine/duckdb/objects/engine-access.ts';
import { ObjectClient, uploadFile } from '../../src/engine/duckdb/objects/object-client.ts';
import { BUCKET, objectStoreProblem, TestObjectStore } from './start-object-store.ts';

const MINUTE_MS = 60_000;
const CLOSED = /file system operations are disabled by configuration/;

describe.skipIf(objectStoreProblem() !== null)('an engine over object storage', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ticklake-access-'));
  const opened: DuckDBInstance[] = [];
  let store: TestObjectStore;
  let client: ObjectClient;
  let connection: DuckDBConnection;

  beforeAll(async () => {
    store = await TestObjectStore.start();
    client = clientOf();
    const file = join(folder, 'text');
    writeFileSync(file, 'inside or outside');
    for (const key of ['a/lake/inside', 'a/outside', 'a/lake-two/outside']) {
      await uploadFile(client, file, key);
    }
    connection = await open(new EngineAccess(accessOf(client)));
  });
  afterAll(async () => {
    for (const instance of opened) instance.closeSync();
    await store.stop();
    rmSync(folder, { recursive: true });
  });

  const clientOf = () =>
    new ObjectClient({ bucket: BUCKET, endpoint: store.endpoint, region: null });
  const accessOf = (from: ObjectClient) => ({
    ...{ client: from, root: `s3://${BUCKET}/a/lake` },
    extensions: process.env.TICKLAKE_EXTENSIONS as string,
  });

  async function open(access: EngineAccess): Promise<DuckDBConnection> {
    const spillDirectory = join(folder, 'spill');
    const instance = await openLockedInstance({
      ...{ directory: `s3://${BUCKET}/a/lake`, otherDirectories: [spillDirectory] },
      ...{ access, spillDirectory, memoryLimitMegabytes: 128, threadCount: 1 },
    });
    opened.push(instance);
    return await instance.connect();
  }

  async function textsOf(sql: string, on = connection): Promise<string> {
    return JSON.stringify((await on.runAndReadAll(sql)).getRowsJson());
  }

  const read = (file: string) => textsOf(`SELECT content FROM read_text('${file}')`);

  it('reads below its prefix, and nothing else anywhere', async () => {
    expect(await read(`s3://${BUCKET}/a/lake/inside`)).toContain('inside');
    const others = [
      `s3://${BUCKET}/a/outside`,
      `s3://${BUCKET}/a/lake-two/outside`,
      's3://other/a/lake/inside',
      `${store.endpoint}/${BUCKET}/a/lake/inside`,
      join(folder, 'text'),
      '/etc/hostname',
    ];
    for (const file of others) await expect(read(file), file).rejects.toThrow(CLOSED);
    await expect(textsOf(`SELECT * FROM glob('s3://${BUCKET}/*')`)).rejects.toThrow(CLOSED);
    await expect(textsOf('INSTALL json')).rejects.toThrow(CLOSED);
    await expect(textsOf('SET http_timeout = 1')).rejects.toThrow('configuration has been locked');
  });

  it('shows its credentials to no query', async () => {
    const secrets = await textsOf('FROM duckdb_secrets()');
    expect(secrets).toContain('secret=redacted');
    await expect(textsOf('FROM duckdb_secrets(redact = false)')).rejects.toThrow('disabled');
    const { secret, keyId } = await client.credentials();
    const settings = await textsOf('SELECT name, value FROM duckdb_settings()');
    for (const shown of [secrets, settings]) expect(shown).not.toContain(secret);
    expect(settings).not.toContain(keyId);
  });

  it('takes new credentials before those it has expire', async () => {
    const { keyId, secret } = await client.credentials();
    const file = join(folder, 'credentials.json');
    const profile = join(folder, 'profile');
    let nowMs = Date.now();
    const give = (SecretAccessKey: string, minutes: number) => {
      const Expiration = new Date(Date.now() + minutes * MINUTE_MS).toISOString();
      const given = { Version: 1, AccessKeyId: keyId, SecretAccessKey, Expiration };
      writeFileSync(file, JSON.stringify(given));
    };
    writeFileSync(profile, `[profile tests]\ncredential_process = cat ${file}\n`);
    const before = { ...process.env };
    Object.assign(process.env, { AWS_CONFIG_FILE: profile, AWS_PROFILE: 'tests' });
    delete process.env.AWS_ACCESS_KEY_ID;
    delete process.env.AWS_SECRET_ACCESS_KEY;
    try {
      give('one that is wrong', 4);
      const clock = { now: () => nowMs };
      const access = new EngineAccess({ ...accessOf(clientOf()), clock });
      const other = await open(access);
      const query = `SELECT content FROM read_text('s3://${BUCKET}/a/lake/inside')`;
      await expect(textsOf(query, other)).rejects.toThrow('403');
      give(secret, 60);
      // The client hands out the old ones until it has fetched the new ones.
      await expect
        .poll(async () => {
          nowMs += MINUTE_MS;
          await access.renew(opened.at(-1) as DuckDBInstance);
          return await textsOf(query, other).catch(({ message }) => message);
        })
        .toContain('inside');
    } finally {
      Object.assign(process.env, before);
      delete process.env.AWS_CONFIG_FILE;
      delete process.env.AWS_PROFILE;
    }
  });
});
