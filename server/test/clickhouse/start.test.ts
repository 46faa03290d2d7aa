/** A home that cannot use its lake in a cluster says why at start-up, in one line. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { UsageError } from '../../src/base/errors.ts';
import { INSTALLED_ENGINE, tryLockFile } from '../../src/installed.ts';
import { readConfig } from '../../src/settings/config.ts';
import { runCommand } from '../command-line/run-command.ts';
import { ClickHouseCluster, type ClickHouseServer, missingClickHouse } from './cluster.ts';

describe.skipIf(missingClickHouse() !== null)('a lake in a ClickHouse cluster', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ticklake-start-'));
  const cluster = new ClickHouseCluster();

  beforeAll(() => cluster.start(2, 2));
  afterEach(() => vi.unstubAllEnvs());
  afterAll(async () => {
    await cluster.close();
    rmSync(folder, { recursive: true });
  });

  const first = () => cluster.servers[0] as ClickHouseServer;

  function configOf(home: string, changes: Record<string, string> = {}) {
    return readConfig({ ...cluster.environment, ...changes, TICKLAKE_HOME: join(folder, home) });
  }

  async function problemOf(work: Promise<unknown> | undefined): Promise<string> {
    const error = await Promise.resolve(work).then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(UsageError);
    const { message } = error as UsageError;
    expect(message).not.toMatch(/\n|writes|reads/);
    return message;
  }

  type Changes = Record<string, string>;
  const ready = (home: string, changes?: Changes) =>
    INSTALLED_ENGINE.openStorage(configOf(home, changes), tryLockFile).ready?.();
  const problem = (home: string, changes?: Changes) => problemOf(ready(home, changes));
  const lakeOf = (change: (address: string) => string) => ({
    TICKLAKE_LAKE: change(`${cluster.environment.TICKLAKE_LAKE}`),
  });

  it('is used by the homes of one deployment', async () => {
    await INSTALLED_ENGINE.prepare?.(configOf('first'));
    await ready('first');
    expect(await problem('second')).toBe(
      `${first().url} holds the parts of another deployment; choose another database in TICKLAKE_LAKE, ` +
        'or give this home the file deployment-id of a home of that deployment',
    );
    for (const server of cluster.servers) await server.query('CREATE DATABASE other');
    await ready(
      'second',
      lakeOf((address) => address.replace('/lake', '/other')),
    );
  });

  it('keeps each server in the shard that it had first', async () => {
    const swapped = lakeOf((address) =>
      address.replace(/\/\/(.*);(.*)\/lake/, (_, one, two) => `//${two};${one}/lake`),
    );
    expect(await problem('first', swapped)).toMatch(
      /holds shard \d and not shard \d; name the shards in TICKLAKE_LAKE in the order in which they were first named$/,
    );
  });

  it('says that there is no such database', async () => {
    const named = (name: string) => lakeOf((address) => address.replace('/lake', `/${name}`));
    expect(await problem('first', named('missing'))).toBe(
      `${first().url} cannot be used: there is no such database; create it on every server, or correct TICKLAKE_LAKE`,
    );
  });

  it('says whose credentials are wrong, and never what they are', async () => {
    const wrong = 'cannot be used: it does not accept the user or the password';
    const password = 'one-that-is-wrong';
    const texts = [
      await problem('first', { TICKLAKE_CLICKHOUSE_WRITER_PASSWORD: password }),
      await problemOf(
        INSTALLED_ENGINE.openReader(
          configOf('first', { TICKLAKE_CLICKHOUSE_READER_PASSWORD: password }),
        ),
      ),
    ];
    for (const text of texts) {
      expect(text).toContain(wrong);
      expect(text).not.toContain(password);
    }
    const config = configOf('first', { TICKLAKE_CLICKHOUSE_READER_PASSWORD: password });
    expect(`${inspect(config, { depth: 9 })} ${JSON.stringify(config)}`).not.toContain(password);
  });

  it('says that the writer may not write', async () => {
    await Promise.all(
      cluster.servers.map((server) => server.query('DROP TABLE other.ticklake_deployment')),
    );
    const other = lakeOf((address) => address.replace('/lake', '/other'));
    const password = { TICKLAKE_CLICKHOUSE_WRITER_PASSWORD: 'reads' };
    const config = {
      ...configOf('first', { ...password, ...other }),
      clickHouseWriter: 'ticklake_reader',
    };
    const opened = INSTALLED_ENGINE.openStorage(config, tryLockFile);
    expect(await problemOf(opened.ready?.())).toContain(
      'cannot be used: its user may not do that; give the user the rights that docs/clickhouse.md names',
    );
  });

  it('is opened with a replica away, but made with all of them', async () => {
    await first().kill();
    const told = `${first().url} cannot be used: it cannot be reached; start the server, or correct TICKLAKE_LAKE`;
    await ready('first');
    await (await INSTALLED_ENGINE.openReader(configOf('first'))).close();
    const { exitCode, stderr } = await made('first');
    expect([exitCode, stderr]).toEqual([2, `ticklake: ${told}\n`]);
    await cluster.servers[1]?.kill();
    expect(await problem('first')).toBe(told);
    expect(await problemOf(INSTALLED_ENGINE.openReader(configOf('first')))).toBe(told);
    await Promise.all(cluster.servers.slice(0, 2).map((server) => server.start()));
  });

  const stubbed = () => {
    for (const [name, value] of Object.entries(cluster.environment)) vi.stubEnv(name, value);
  };

  function made(home: string) {
    stubbed();
    const words = ['init', '--email', 'a@b.example', '--account', 'A', '--password-file', '-'];
    return runCommand(join(folder, home), ...words);
  }

  it('is no place that backups are made of, or restored to', async () => {
    stubbed();
    for (const [words, page] of [
      [['backup', join(folder, 'backups')], 'clickhouse'],
      [['restore', folder], 'object-storage'],
    ] as const) {
      const { exitCode, stderr } = await runCommand(join(folder, 'first'), ...words);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`docs/${page}.md`)]);
    }
  });
});
