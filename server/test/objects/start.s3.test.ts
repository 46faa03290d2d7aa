/** A home that cannot use its lake in object storage says why at start-up, in one line. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { UsageError } from '../../src/base/errors.ts';
import { INSTALLED_ENGINE, tryLockFile } from '../../src/installed.ts';
import { readConfig } from '../../src/settings/config.ts';
import { runCommand, runWithSettings } from '../command-line/run-command.ts';
import { objectStoreProblem, TestObjectStore } from './start-object-store.ts';

const HOUR_MS = 3_600_000;

describe.skipIf(objectStoreProblem() !== null)('a lake in object storage', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ticklake-start-'));
  let store: TestObjectStore;

  beforeAll(async () => {
    store = await TestObjectStore.start();
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllEnvs();
  });
  afterAll(async () => {
    await store.stop();
    rmSync(folder, { recursive: true });
  });

  function configOf(home: string, changes: Record<string, string> = {}) {
    const environment = { ...store.environment('start/lake'), ...changes };
    return readConfig({ ...environment, TICKLAKE_HOME: join(folder, home) });
  }

  async function problemOf(work: () => Promise<unknown> | undefined): Promise<string> {
    const error = await Promise.resolve(work()).then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(UsageError);
    const { message } = error as UsageError;
    expect(message).not.toContain('\n');
    return message;
  }

  const ready = (home: string, changes?: Record<string, string>) =>
    INSTALLED_ENGINE.openStorage(configOf(home, changes), tryLockFile).ready?.();
  const problem = (home: string, changes?: Record<string, string>) =>
    problemOf(() => ready(home, changes));

  it('is used by the homes of one deployment', async () => {
    await ready('first');
    await ready('first');
    expect(await problem('second')).toBe(
      's3://lake/start/lake holds the parts of another deployment; choose another prefix, ' +
        'or give this home the file deployment-id of a home of that deployment',
    );
    await ready('second', { TICKLAKE_LAKE: 's3://lake/start/other' });
  });

  it('says that there is no such bucket', async () => {
    expect(await problem('first', { TICKLAKE_LAKE: 's3://nothing/lake' })).toBe(
      's3://nothing/lake cannot be used: there is no such bucket; create it, or correct TICKLAKE_LAKE',
    );
  });

  it('says that credentials are wrong, and never what they are', async () => {
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'one-that-is-wrong');
    expect(await problem('first')).toBe(
      's3://lake/start/lake cannot be used: it does not accept the credentials; ' +
        'check the access key and its secret',
    );
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'nobody');
    expect(await problem('first')).toContain('does not accept the credentials');
  });

  it('says that the clock is off', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + HOUR_MS });
    expect(await problem('first')).toBe(
      's3://lake/start/lake cannot be used: the clock of this machine is off; have it set by a time server',
    );
  });

  it('says that the store cannot be reached, with the exit code of what may pass', async () => {
    const settings = {
      ...store.environment('start/lake'),
      TICKLAKE_S3_ENDPOINT: 'http://127.0.0.1:9',
    };
    const words = ['ingest', 'eq_taq', '-'];
    const { exitCode, stderr } = await runWithSettings(join(folder, 'first'), settings, ...words);
    expect([exitCode, stderr]).toEqual([
      1,
      'ticklake: s3://lake/start/lake cannot be used: it cannot be reached; ' +
        'check the network and TICKLAKE_S3_ENDPOINT\n',
    ]);
  });

  it('is no place to restore to', async () => {
    vi.stubEnv('TICKLAKE_LAKE', 's3://lake/start/lake');
    const { exitCode, stderr } = await runCommand(join(folder, 'new'), 'restore', folder);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('unset TICKLAKE_LAKE');
  });

  it('says that the extension is missing, or none for this engine', async () => {
    const open = (extensions: string) =>
      problemOf(() =>
        INSTALLED_ENGINE.openReader(configOf('first', { TICKLAKE_EXTENSIONS: extensions })),
      );
    const empty = mkdtempSync(join(folder, 'empty-'));
    expect(await open(empty)).toMatch(
      /there is no httpfs.duckdb_extension in .*; run ticklake init/,
    );
    const other = mkdtempSync(join(folder, 'other-'));
    writeFileSync(join(other, 'httpfs.duckdb_extension'), 'not one');
    expect(await open(other)).toContain('is not an extension of DuckDB');
  });
});
