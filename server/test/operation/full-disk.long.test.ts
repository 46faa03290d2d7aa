import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { generateKey, hashKey, keyReference } from '../../src/access/api-key.ts';
import { Passwords } from '../../src/access/passwords.ts';
import { loadCatalog } from '../../src/catalog/load-catalog.ts';
import { openControlStore } from '../../src/open-home.ts';
import { UNLIMITED } from '../../src/store/accounts.ts';
import type { ControlStore } from '../../src/store/control-store.ts';
import { ledgerOf } from '../ledger-of.ts';
import { Browser, PASSWORD } from '../people/people-service.ts';
import { writing } from '../writing.ts';
import {
  type Home,
  makeHome,
  ROWS_PATH,
  type ServerProcess,
  startServer,
  withLimits,
} from './server-process.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';

const DAY_MS = 86_400_000;
const OWNER = 'owner@disk.example';
const UNAVAILABLE = { detail: 'Service unavailable' };

const probe = mountSmallDisk(1);
probe?.remove();

interface Account {
  readonly accountId: number;
  readonly key: string;
  readonly leakedKey: string;
  readonly leakedKeyId: number;
}

async function addKey(store: ControlStore, accountId: number) {
  const key = generateKey();
  const keyId = await writing(store).keys.create({
    accountId,
    name: 'key',
    hash: hashKey(key),
    reference: keyReference(key),
    createdAtMs: Date.now(),
    expiresAtMs: Date.now() + DAY_MS,
  });
  return { key, keyId };
}

/** An account that administers and may read everything, with two keys, and an owner. */
async function addAccount(home: string): Promise<Account> {
  const store = await openControlStore({ home: home });
  const createdAtMs = Date.now();
  const accountId = await writing(store).accounts.create({
    name: 'all',
    isAdmin: true,
    maxActiveApiKeys: 9,
    ipSubnets: [],
    limits: UNLIMITED,
    createdAtMs,
  });
  const { datasets } = loadCatalog([join(import.meta.dirname, '../../../datasets')]);
  for (const { datasetId } of datasets) {
    const window = { startDate: '1900-01-01', endDate: null };
    await writing(store).rules.add({ accountId, datasetId, ...window, universe: [] });
  }
  const passwordHash = await new Passwords().hash(PASSWORD);
  await writing(store).people.create({
    email: OWNER,
    role: 'owner',
    accountId,
    passwordHash,
    createdAtMs,
  });
  const { key } = await addKey(store, accountId);
  const leaked = await addKey(store, accountId);
  await store.close();
  return { accountId, key, leakedKey: leaked.key, leakedKeyId: leaked.keyId };
}

// Mounting needs root.
describe.skipIf(probe === null)('on a full disk', () => {
  let disk: SmallDisk;
  let home: Home;
  let account: Account;
  const servers: ServerProcess[] = [];
  beforeEach(async () => {
    disk = mountSmallDisk(128) as SmallDisk;
    home = await makeHome(3000, 20, disk.path);
    account = await addAccount(home.path);
  });
  afterEach(async () => {
    for (const { child, ended } of servers.splice(0)) {
      child.kill('SIGKILL');
      await ended;
    }
    disk.remove();
  });

  async function start(settings: Record<string, string> = {}): Promise<ServerProcess> {
    const server = await startServer(home, settings);
    servers.push(server);
    return server;
  }

  const get = async ({ url }: ServerProcess, path: string, key = account.key) => {
    const answer = await fetch(`${url}${path}`, { headers: { 'x-api-key': key } });
    return { status: answer.status, body: await answer.text() };
  };
  const post = async ({ url }: ServerProcess, path: string, body: object = {}) => {
    const headers = { 'x-api-key': account.key, 'content-type': 'application/json' };
    const answer = await fetch(`${url}/v1${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: await answer.json() };
  };
  const ready = async ({ operationUrl }: ServerProcess) => {
    const answer = await fetch(`${operationUrl}/readyz`);
    const { store, problems } = (await answer.json()) as { store: string; problems: string[] };
    return [answer.status, store, problems];
  };
  const metric = async ({ operationUrl }: ServerProcess, name: string) => {
    const text = await (await fetch(`${operationUrl}/metrics`)).text();
    const line = text.split('\n').find((one) => one.startsWith(`${name} `)) ?? '';
    return Number(line.slice(name.length));
  };
  /** Requests of the month before this one. */
  const month = async (server: ServerProcess): Promise<number> =>
    JSON.parse((await get(server, '/v1/account/my/quotas')).body).quotas_usage.month.requests;
  const ledgerCount = async () => {
    const store = await openControlStore({ home: home.path });
    const count = (await ledgerOf(store.usage, account.accountId)).length;
    await store.close();
    return count;
  };
  async function kill({ child, ended }: ServerProcess): Promise<void> {
    child.kill('SIGKILL');
    await ended;
  }

  /** Makes accounts until the disk takes no more: the log has some space until it has to grow. */
  const postUntilRefused = async (server: ServerProcess) => {
    let count = 0;
    await expect
      .poll(() => post(server, '/identities', { name: `filler ${++count}` }))
      .toEqual({ status: 503, body: UNAVAILABLE });
  };

  it('everything goes on in the reserve, also a revocation, and usage is stored before a kill', async () => {
    const server = await start();
    await expect.poll(() => ready(server)).toEqual([200, 'ok', []]);
    expect((await get(server, '/v1/account/my', account.leakedKey)).status).toBe(200);
    disk.fill();

    await expect.poll(() => ready(server)).toEqual([503, 'failed', ['store: the disk is full']]);
    expect(await metric(server, 'ticklake_store_reserve_bytes')).toBeGreaterThan(7 * 2 ** 20);
    expect(await metric(server, 'ticklake_disk_free_bytes')).toBeLessThan(4096);
    const owner = new Browser(server.url);
    expect((await owner.signIn(OWNER)).status).toBe(200);
    const path = `/account/my/api-keys/${account.leakedKeyId}/delete`;
    expect((await owner.post(path)).status).toBe(200);
    expect((await get(server, '/v1/account/my', account.leakedKey)).status).toBe(401);
    for (const query of ['', '?sort=-Ticker&limit=500', '?sort=-Ticker&limit=500&offset=500']) {
      expect((await get(server, `${ROWS_PATH}${query}`)).status).toBe(200);
    }

    const counted = await month(server);
    for (let at = 0; at < 100; at++) {
      expect((await get(server, '/v1/account/my')).status).toBe(200);
    }
    await expect.poll(() => metric(server, 'ticklake_usage_pending_requests')).toBe(0);
    await kill(server);

    // Still full.
    const again = await start();
    await expect.poll(() => ready(again)).toEqual([503, 'failed', ['store: the disk is full']]);
    expect((await get(again, '/v1/account/my', account.leakedKey)).status).toBe(401);
    expect((await get(again, ROWS_PATH)).status).toBe(200);
    expect((await new Browser(again.url).signIn(OWNER)).status).toBe(200);
    await kill(again);
    expect(await ledgerCount()).toBeGreaterThan(counted + 100);
  });

  it('without a reserve, changes are 503 and leave nothing, data is served, usage waits', async () => {
    const server = await start(withLimits({ storeReserveBytes: 0 }));
    const signedIn = new Browser(server.url);
    await signedIn.signIn(OWNER);
    disk.fill();
    await postUntilRefused(server);
    await expect
      .poll(async () => {
        await get(server, '/v1/account/my');
        return metric(server, 'ticklake_usage_pending_seconds');
      })
      .toBeGreaterThan(1);

    const accounts = async () => (await get(server, '/v1/identities?limit=1000')).body;
    const before = await accounts();
    const changes = [
      ['/identities', { name: 'new' }],
      [`/identities/${account.accountId}/update`, { max_active_api_keys: 3 }],
      [`/identities/${account.accountId}/api-keys`, { name: 'new', expires_in: '1d' }],
      [`/api-keys/${account.leakedKeyId}/deactivate`, {}],
      [`/api-keys/${account.leakedKeyId}/delete`, {}],
    ] as const;
    for (const [path, body] of changes) {
      const answer = await post(server, path, body);
      expect([path, answer.status, answer.body]).toEqual([path, 503, UNAVAILABLE]);
    }
    const signIn = await new Browser(server.url).signIn(OWNER);
    expect([signIn.status, signIn.body, signIn.headers['set-cookie']]).toEqual([
      503,
      UNAVAILABLE,
      undefined,
    ]);
    const own = await signedIn.post(`/account/my/api-keys/${account.leakedKeyId}/delete`);
    expect([own.status, own.body]).toEqual([503, UNAVAILABLE]);
    const password = { current_password: PASSWORD, new_password: 'another good password' };
    expect((await signedIn.post('/session/password', password)).status).toBe(503);
    expect((await signedIn.post('/session/end')).status).toBe(503);

    expect(await accounts()).toBe(before);
    expect((await signedIn.get('/session')).body.person.email).toBe(OWNER);
    expect((await get(server, '/v1/account/my', account.leakedKey)).status).toBe(200);
    expect((await get(server, `${ROWS_PATH}?sort=-Ticker&offset=10`)).status).toBe(200);
    await expect.poll(() => ready(server)).toEqual([503, 'failed', ['store: the disk is full']]);
    expect(
      await metric(server, 'ticklake_store_failed_writes_total{kind="change"}'),
    ).toBeGreaterThanOrEqual(changes.length + 4);
    const told = () => server.stderr().split('The control store failed: the disk is full').length;
    await expect.poll(told).toBeGreaterThan(changes.length + 4);
    expect(server.stderr()).not.toContain('database.ts');

    disk.free();
    await expect.poll(() => ready(server)).toEqual([200, 'ok', []]);
    expect((await post(server, `/api-keys/${account.leakedKeyId}/delete`)).status).toBe(200);
    expect((await get(server, '/v1/account/my', account.leakedKey)).status).toBe(401);
    await expect.poll(() => metric(server, 'ticklake_usage_pending_requests')).toBe(0);
  });

  it('without a reserve, a kill loses the requests that the metric says are waiting', async () => {
    const server = await start(withLimits({ storeReserveBytes: 0 }));
    disk.fill();
    await postUntilRefused(server);
    const failed = async () => {
      await get(server, '/v1/account/my');
      return metric(server, 'ticklake_store_failed_writes_total{kind="usage"}');
    };
    await expect.poll(failed).toBeGreaterThan(0);
    for (let at = 0; at < 100; at++) await get(server, '/v1/account/my');
    await expect.poll(failed).toBeGreaterThan(await failed());
    const counted = (await month(server)) + 1;
    const waiting = await metric(server, 'ticklake_usage_pending_requests');
    expect(waiting).toBeGreaterThanOrEqual(100);
    await kill(server);
    disk.free();
    expect(await ledgerCount()).toBe(counted - waiting);
    expect(await month(await start())).toBe(counted - waiting);
  });
});
