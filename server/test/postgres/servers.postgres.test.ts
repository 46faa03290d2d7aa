/** Servers that share a store in PostgreSQL, while it is there, away, back, and another one. */

import { hash } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openControlStore } from '../../src/open-home.ts';
import { daysOf, utcMonth } from '../../src/quota/quota-excess.ts';
import { addressOf } from '../../src/store/postgres/address.ts';
import { runCommandNow } from '../command-line/run-command.ts';
import { ledgerOf } from '../ledger-of.ts';
import {
  type Home,
  makeHome,
  ROWS_PATH,
  type ServerProcess,
  startServer,
  withLimits,
} from '../operation/server-process.ts';
import { useStore } from '../place-of-tests.ts';
import { writing } from '../writing.ts';
import { isPostgresMissing, TestPostgres } from './start-postgres.ts';

const UNAVAILABLE = { status: 503, body: { detail: 'Service unavailable' } };
const GRACE_MS = 3000;
/** Longer than any test. */
const LONG_GRACE_MS = 86_400_000;
/** The demo's account, an administrator. */
const KEYS = '/v1/identities/1/api-keys';

describe.skipIf(isPostgresMissing())('servers that share a store in PostgreSQL', () => {
  let postgres: TestPostgres;
  let database: string;
  let homes: Home[];
  const servers: ServerProcess[] = [];

  /** Two homes with the same lake and the same store. */
  beforeAll(async () => {
    postgres = await TestPostgres.start();
    database = await postgres.newDatabase();
    useStore(postgres.url(database));
    const home = await makeHome(20, 10);
    const path = mkdtempSync(join(tmpdir(), 'ticklake-second-home-'));
    cpSync(home.path, path, { recursive: true });
    // Parts lie where both can read them, as on a share of the network.
    rmSync(join(path, 'lake'), { recursive: true });
    symlinkSync(join(home.path, 'lake'), join(path, 'lake'));
    homes = [home, { path, remove: () => rmSync(path, { recursive: true }) }];
    const store = await openStore();
    for (const { accountId } of await store.accounts.list(0, 10)) {
      await writing(store).accounts.update(accountId, { isAdmin: true, maxActiveApiKeys: 100 });
    }
    await store.close();
  });

  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.child.kill('SIGKILL');
      await server.ended;
    }
  });

  afterAll(async () => {
    for (const home of homes ?? []) home.remove();
    await postgres?.remove();
  });

  const openStore = () => {
    const store = addressOf(process.env.TICKLAKE_TEST_STORE ?? '');
    return openControlStore({ home: (homes[0] as Home).path, store: store ?? null });
  };

  const decisionTime = () => ({ nowMs: Date.now(), month: daysOf(utcMonth(Date.now())) });

  const start = async (at: number, graceMs: number) => {
    const settings = withLimits({ storeGraceMs: graceMs });
    const server = await startServer(homes[at] as Home, settings);
    servers.push(server);
    return server;
  };

  const ask = async (server: ServerProcess, path: string, body?: object, key = server.key) => {
    const answer = await fetch(`${server.url}${path}`, {
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    });
    // biome-ignore lint/suspicious/noExplicitAny: answers of any endpoint
    return { status: answer.status, body: (await answer.json()) as any };
  };

  const statusOf = async (server: ServerProcess, key?: string) =>
    (await ask(server, ROWS_PATH, undefined, key)).status;

  const readiness = async (server: ServerProcess) => {
    const answer = await fetch(`${server.operationUrl}/readyz`);
    const { problems, warnings } = (await answer.json()) as Record<string, string[]>;
    return { status: answer.status, problems, warnings };
  };

  it('keep no accounts in their homes, and count a change by one at the next request of the other', async () => {
    const [first, second] = [await start(0, 0), await start(1, 0)];
    for (const { path } of homes) expect(existsSync(join(path, 'control.db'))).toBe(false);
    for (let round = 0; round < 10; round++) {
      const made = await ask(first, KEYS, {
        name: `key ${round}`,
        expires_in: '1d',
      });
      expect(made.status).toBeLessThan(300);
      const { api_key: key, key_id: id } = made.body;
      expect(await statusOf(second, key)).toBe(200);
      expect((await ask(second, `/v1/api-keys/${id}/delete`, {})).status).toBeLessThan(300);
      const statuses = await Promise.all(Array.from({ length: 8 }, () => statusOf(first, key)));
      expect(new Set(statuses)).toEqual(new Set([401]));
    }
  });

  it('serve at once what was published from another home, in turn, and one version of it', async () => {
    const running = [await start(0, 0), await start(1, 0)];
    for (let round = 0; round < 4; round++) {
      const file = join((homes[0] as Home).path, `halts-${round}.csv`);
      const rows = Array.from(
        { length: 5 + round },
        (_, at) => `2025-06-19,R${round},2025-06-19T10:00:0${at}`,
      );
      writeFileSync(file, ['TradeDate,Ticker,HaltDateTime', ...rows, ''].join('\n'));
      const { path } = homes[round % 2] as Home;
      const words = ['ingest', 'eq_trading_halts', '--replace', 'identifiers'];
      const { exitCode, stderr } = await runCommandNow(path, ...words, file);
      expect(exitCode, stderr).toBe(0);
      const answers = await Promise.all(
        running.map((server) => ask(server, `${ROWS_PATH}?Ticker=R${round}&TradeDate=2025-06-19`)),
      );
      for (const { status, body } of answers) {
        expect(status).toBe(200);
        expect(body.data.map(({ Ticker }: { Ticker: string }) => Ticker)).toEqual(
          rows.map(() => `R${round}`),
        );
      }
    }
  });

  it('let together exactly as many requests pass as the limit allows, however they are mixed', async () => {
    const store = await openStore();
    // Reservations of killed servers, also those made ahead, would count for another minute.
    await postgres.execute(database, 'DELETE FROM ticklake.usage_server');
    await store.maintain();
    const [first, second] = [await start(0, 0), await start(1, 0)];
    const [account] = await store.accounts.list(0, 10);
    if (!account) throw new Error('the demo has an account');
    const { accountId, limits } = account;
    const recent = await store.sharedUsage?.read(accountId, decisionTime());
    const left = 300;
    // The month's: what was asked before stays in it.
    const month = { ...limits.month, requests: (recent?.month.requests ?? 0) + left };
    await writing(store).accounts.update(accountId, { limits: { ...limits, month } });
    const statuses: number[] = [];
    const asking = async (server: ServerProcess) => {
      for (let at = 0; at < 25; at++) statuses.push(await statusOf(server));
    };
    // Enough of them for requests to be reserved ahead.
    const clients = Array.from({ length: 16 }, (_, at) => asking(at % 2 ? first : second));
    await Promise.all(clients);
    await writing(store).accounts.update(accountId, { limits });
    await store.close();
    const countOf = (status: number) => statuses.filter((each) => each === status).length;
    // A reservation not answered in time, as on a stalled machine, counts until its server ends.
    const unansweredCount = countOf(503);
    expect(countOf(200)).toBeLessThanOrEqual(left);
    expect(countOf(200)).toBeGreaterThanOrEqual(left - unansweredCount);
    expect(countOf(200) + countOf(429) + unansweredCount).toBe(400);
  });

  it('open links to files that another one made, and publish the key of its receipts', async () => {
    const [first, second] = [await start(0, 0), await start(1, 0)];
    const manifest = await ask(first, ROWS_PATH.replace('/data/', '/bulk/'));
    expect(manifest.status).toBe(200);
    const { pathname } = new URL(manifest.body.files[0].url, first.url);
    const file = await fetch(new URL(pathname, second.url));
    expect(file.status).toBe(200);
    const bytes = Buffer.from(await file.arrayBuffer());
    expect(hash('sha256', bytes)).toBe(manifest.body.files[0].sha256);

    const rows = await fetch(`${first.url}${ROWS_PATH}?limit=10&receipt=true`, {
      headers: { 'x-api-key': first.key },
    });
    expect(rows.status).toBe(200);
    const [header] = String(rows.headers.get('x-receipt')).split('.');
    const { kid } = JSON.parse(Buffer.from(String(header), 'base64url').toString());
    const published = await ask(second, '/v1/receipts/keys');
    expect(published.body.keys.map((key: { kid: string }) => key.kid)).toContain(kid);
  });

  it('know of a backup of the database that was noted from any home', async () => {
    const server = await start(1, 0);
    const age = async () =>
      /^ticklake_backup_age_seconds .*$/m.exec(
        await (await fetch(`${server.operationUrl}/metrics`)).text(),
      );
    expect(await age()).toBeNull();
    const { exitCode, stderr } = await runCommandNow((homes[0] as Home).path, 'backup', 'note');
    expect(exitCode, stderr).toBe(0);
    await expect.poll(age).not.toBeNull();
  });

  describe('while it is away', () => {
    beforeEach(async () => {
      await postgres.start();
    });

    it('answer known callers for the time that is set, refuse changes and strangers, and say so', async () => {
      const [server, hasty] = [await start(0, LONG_GRACE_MS), await start(1, GRACE_MS)];
      for (const each of [server, hasty]) expect(await statusOf(each)).toBe(200);
      await postgres.kill();
      await expect.poll(() => statusOf(hasty)).toBe(503);
      expect(await statusOf(server)).toBe(200);
      const change = { name: 'new', expires_in: '1d' };
      expect(await ask(server, KEYS, change)).toEqual(UNAVAILABLE);
      expect(await ask(server, ROWS_PATH, undefined, 'stranger')).toEqual(UNAVAILABLE);
      const person = { email: 'owner@demo.localhost', password: 'any password of theirs' };
      const signIn = await fetch(`${server.url}/v1/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: server.url },
        body: JSON.stringify(person),
      });
      expect(signIn.status).toBe(503);
      await expect
        .poll(() => readiness(server))
        .toEqual({
          status: 200,
          problems: [],
          warnings: [
            expect.stringMatching(
              /^store: the database server is away; requests of known callers go on for \d+ s, /,
            ),
          ],
        });
      await expect
        .poll(() => readiness(hasty))
        .toEqual({
          status: 503,
          problems: ['store: the database server is away', 'lake: its index cannot be read'],
          warnings: [],
        });
      for (const each of [server, hasty]) {
        expect(each.stderr()).toContain('the database server is away');
      }
      await postgres.start();
      for (const each of [server, hasty]) {
        expect(await statusOf(each)).toBe(200);
        expect((await ask(each, KEYS, change)).status).toBeLessThan(300);
        await expect.poll(() => readiness(each)).toMatchObject({ status: 200, problems: [] });
      }
    });

    it('do not hang where it does not answer at all', async () => {
      const server = await start(0, LONG_GRACE_MS);
      expect(await statusOf(server)).toBe(200);
      await expect.poll(() => readiness(server)).toMatchObject({ status: 200, warnings: [] });
      postgres.freeze();
      try {
        // The last known state is reported to every caller; the freeze outlasts these calls.
        expect(await readiness(server)).toMatchObject({
          ...{ status: 200, problems: [] },
          warnings: [
            'store: it does not answer; so far it was all right',
            'lake: it does not answer; so far it was all right',
          ],
        });
        const metrics = async () => await (await fetch(`${server.operationUrl}/metrics`)).text();
        await expect.poll(metrics).toMatch(/^ticklake_old_readings [1-9]/m);
        expect((await fetch(`${server.operationUrl}/healthz`)).status).toBe(200);
        expect(await statusOf(server)).toBe(200);
        await expect
          .poll(() => readiness(server))
          .toMatchObject({
            status: 200,
            warnings: [expect.stringMatching(/requests of known callers go on for \d+ s/)],
          });
        const answers = await Promise.all(Array.from({ length: 10 }, () => statusOf(server)));
        expect(new Set(answers)).toEqual(new Set([200]));
        expect(await ask(server, KEYS, { name: 'new', expires_in: '1d' })).toEqual(UNAVAILABLE);
      } finally {
        postgres.thaw();
      }
      await expect.poll(() => readiness(server)).toMatchObject({ status: 200, warnings: [] });
      const change = { name: 'after', expires_in: '1d' };
      expect((await ask(server, KEYS, change)).status).toBeLessThan(300);
    });

    it('refuse everybody at once where no time is set', async () => {
      const server = await start(0, 0);
      expect(await statusOf(server)).toBe(200);
      await postgres.kill();
      expect(await ask(server, ROWS_PATH)).toEqual(UNAVAILABLE);
      await postgres.start();
      expect(await statusOf(server)).toBe(200);
    });

    it('lose no request that they have counted meanwhile, and count none twice', async () => {
      const store = await openStore();
      const stored = async (fromMs?: number) => (await ledgerOf(store.usage, 1, fromMs)).length;
      // The database may still write the last counts of a server that was killed.
      const beganMs = Date.now();
      const server = await start(0, LONG_GRACE_MS);
      // The server has to look the key up once to know it while the database is away.
      await statusOf(server);
      for (let round = 0; round < 3; round++) {
        const asking = Array.from({ length: 20 }, () => statusOf(server));
        await postgres.kill();
        expect(new Set(await Promise.all(asking))).toEqual(new Set([200]));
        for (let at = 0; at < 5; at++) expect(await statusOf(server)).toBe(200);
        await postgres.start();
      }
      server.child.kill('SIGTERM');
      expect(await server.ended).toBe(0);
      const total = await store.usage.total(1, { firstDay: '2000-01-01', lastDay: '2999-01-01' });
      expect([await stored(beganMs), total.requests]).toEqual([76, await stored()]);
      await store.close();
    });
  });

  it('go on with a standby that took over, which they find under the same address', async () => {
    const [first, second] = [await start(0, LONG_GRACE_MS), await start(1, LONG_GRACE_MS)];
    const standby = await postgres.newStandby();
    const change = { name: 'before', expires_in: '1d' };
    const { api_key: before } = (await ask(first, KEYS, change)).body;
    // Who noticed that the database was stopped for the copy may take one look to know the key.
    await expect.poll(() => statusOf(second, before)).toBe(200);
    await postgres.kill();
    const former = postgres;
    postgres = standby;
    await standby.start();
    // A standby takes no changes, and what it knows may be old.
    expect(await ask(first, KEYS, change)).toEqual(UNAVAILABLE);
    expect(await statusOf(second)).toBe(200);
    await expect
      .poll(async () => (await readiness(second)).warnings)
      .toEqual([expect.stringContaining('store: the database server is a standby')]);
    await standby.promote();
    const { status, body } = await ask(first, KEYS, change);
    expect(status).toBeLessThan(300);
    await expect.poll(() => statusOf(second, body.api_key)).toBe(200);
    // Made after the copy, and never sent to the standby: nobody has it any more.
    expect([await statusOf(first, before), await statusOf(second, before)]).toEqual([401, 401]);
    await former.remove();
  });
});
