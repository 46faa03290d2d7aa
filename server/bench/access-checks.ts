/**
 * Cost of letting a caller in. First all checks of a request for data (key, account, source, quota,
 * entitlement) with 10,000 accounts and 50,000 keys; then how many requests for `account/my` are
 * answered in a second, next to a bare Fastify route with the same body, in turns in one run. `npm
 * run bench:access` prints a table; with `-- --json`, JSON instead. `-- --small` only shows that it
 * works.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { generateKey, hashKey, keyReference } from '../src/access/api-key.ts';
import { requireAccount } from '../src/access/authenticate.ts';
import { systemClock } from '../src/base/clock.ts';
import { type OpenServices, openServices } from '../src/open-services.ts';
import { admit, claimOf } from '../src/routes/admit.ts';
import { buildApp } from '../src/routes/app.ts';
import { beginTally, requireQuota } from '../src/routes/count-request.ts';
import { ENDPOINTS } from '../src/routes/endpoints.ts';
import { readConfig } from '../src/settings/config.ts';
import type { QuotaLimits } from '../src/store/accounts.ts';

const KEYS_EACH = 5;
const DATASETS_EACH = 5;

const CONNECTIONS = 16;
const TURN_MS = 500;
const { values: OPTIONS } = parseArgs({
  options: { json: { type: 'boolean' }, small: { type: 'boolean' } },
});
const { ACCOUNTS, CHECKS, TURNS, WARM_UP_MS } = OPTIONS.small
  ? { ACCOUNTS: 100, CHECKS: 1000, TURNS: 1, WARM_UP_MS: 100 }
  : { ACCOUNTS: 10_000, CHECKS: 200_000, TURNS: 20, WARM_UP_MS: 3000 };

const DAY_MS = 86_400_000;
const LIMITS: QuotaLimits = {
  month: { requests: 1e12, scannedBytes: 1e15, returnedBytes: 1e15 },
  minute: { requests: 1e9, scannedBytes: 1e12, returnedBytes: 1e12 },
};

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] as number;

/** Accounts with keys, rules, limits and a subnet; all keys. */
async function fillStore({ store, catalog }: OpenServices): Promise<string[]> {
  const keys: string[] = [];
  const createdAtMs = systemClock.now();
  const expiresAtMs = createdAtMs + 30 * DAY_MS;
  await store.transaction(async (tx) => {
    for (let i = 0; i < ACCOUNTS; i++) {
      const accountId = await tx.accounts.create({
        name: `identity ${i}`,
        isAdmin: false,
        maxActiveApiKeys: KEYS_EACH,
        ipSubnets: ['10.0.0.0/8', '127.0.0.0/8'],
        limits: LIMITS,
        createdAtMs,
      });
      for (let j = 0; j < KEYS_EACH; j++) {
        const key = generateKey();
        keys.push(key);
        const reference = keyReference(key);
        const name = `key ${j}`;
        await tx.keys.create({
          accountId,
          name,
          hash: hashKey(key),
          reference,
          createdAtMs,
          expiresAtMs,
        });
      }
      for (const { datasetId } of catalog.datasets.slice(0, DATASETS_EACH)) {
        const window = { startDate: '2020-01-01', endDate: null };
        await tx.rules.add({
          accountId,
          datasetId,
          ...window,
          universe: ['AAA', 'BBB'],
        });
      }
    }
  });
  return keys;
}

/** Nothing is refused here. */
const NO_REPLY = {} as FastifyReply;

/** Microseconds of the checks of one request, each for another key. */
async function timeChecks(services: OpenServices, keys: readonly string[]) {
  const endpoint = ENDPOINTS.find((each) => !each.isPublic && each.servesRows);
  const [dataset] = services.catalog.datasets;
  if (!endpoint || endpoint.isPublic || !dataset) throw new Error('nothing to ask for');
  const check = async (key: string) => {
    const request = {
      headers: { 'x-api-key': key },
      socket: { remoteAddress: '127.0.0.1' },
      raw: { socket: { remoteAddress: '127.0.0.1' } },
    } as unknown as FastifyRequest;
    await services.store.catchUp();
    const claim = claimOf(services, request, endpoint);
    const caller = admit(services, request, claim);
    const account = requireAccount(caller, services.clock.now());
    const { accountId } = account;
    const reservation = await services.usage.counters.reserve(account, true);
    const tally = beginTally({ caller, claim, account, reservation, endpoint });
    await requireQuota(services, tally, endpoint, NO_REPLY);
    reservation.release();
    services.store.replica.rulesOfDataset(accountId, dataset.datasetId);
  };
  for (const key of keys) await check(key);
  const micros: number[] = [];
  for (let i = 0; i < CHECKS; i++) {
    const key = keys[(i * 7919) % keys.length] as string;
    const start = process.hrtime.bigint();
    await check(key);
    micros.push(Number(process.hrtime.bigint() - start) / 1000);
  }
  const sorted = micros.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.floor(sorted.length * part)] as number;
  return { medianMicros: at(0.5), p99Micros: at(0.99), p999Micros: at(0.999) };
}

interface Load {
  readonly port: number;
  readonly keys: readonly string[];
  readonly durationMs: number;
}

/** Asks on one connection, one request after the other; the number of answers. */
async function askOn({ port, durationMs }: Load, key: string): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { 'x-api-key': key };
  const options = { host: '127.0.0.1', port, path: '/v1/account/my', agent, headers };
  const endMs = performance.now() + durationMs;
  let count = 0;
  while (performance.now() < endMs) {
    await new Promise<void>((resolve, reject) => {
      const sent = get(options, (answer) => {
        if (answer.statusCode !== 200) reject(new Error(`status ${answer.statusCode}`));
        answer.resume().once('end', resolve);
      });
      sent.once('error', reject);
    });
    count++;
  }
  agent.destroy();
  return count;
}

async function measureRate(load: Load): Promise<{ perSecond: number; count: number }> {
  const startMs = performance.now();
  const counts = await Promise.all(load.keys.map((key) => askOn(load, key)));
  const seconds = (performance.now() - startMs) / 1000;
  const count = counts.reduce((sum, each) => sum + each, 0);
  return { perSecond: count / seconds, count };
}

/** Answers in a second, and processor time of the server for each, on its own thread. */
interface Rate {
  readonly perSecond: number;
  readonly cpuMicros: number;
}

/** Asks in a thread of its own, so that asking does not take the server's time. */
async function rateOf(client: Worker, load: Load): Promise<Rate> {
  const before = process.threadCpuUsage();
  client.postMessage(load);
  const [{ perSecond, count }] = await once(client, 'message');
  const { user, system } = process.threadCpuUsage(before);
  return { perSecond, cpuMicros: (user + system) / count };
}

async function compareRates(services: OpenServices, keys: readonly string[]) {
  const app = buildApp(services);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const headers = { 'x-api-key': keys[0] };
  const body = (await app.inject({ url: '/v1/account/my', headers })).json();
  const bare = fastify();
  bare.get('/v1/account/my', async () => body);
  await bare.listen({ host: '127.0.0.1', port: 0 });
  const [servicePort, barePort] = [app, bare].map(
    ({ server }) => (server.address() as AddressInfo).port,
  ) as [number, number];
  const client = new Worker(new URL(import.meta.url));
  const turns: { ofService: Rate; ofBare: Rate }[] = [];
  for (let turn = -1; turn < TURNS; turn++) {
    const load = { keys: keys.slice(0, CONNECTIONS), durationMs: turn < 0 ? WARM_UP_MS : TURN_MS };
    const ofBare = await rateOf(client, { ...load, port: barePort });
    const ofService = await rateOf(client, { ...load, port: servicePort });
    if (turn >= 0) turns.push({ ofService, ofBare });
  }
  await client.terminate();
  await Promise.all([app.close(), bare.close()]);
  return {
    serviceRate: median(turns.map(({ ofService }) => ofService.perSecond)),
    bareRate: median(turns.map(({ ofBare }) => ofBare.perSecond)),
    rateRatio: median(turns.map(({ ofService, ofBare }) => ofService.perSecond / ofBare.perSecond)),
    serviceCpuMicros: median(turns.map(({ ofService }) => ofService.cpuMicros)),
    bareCpuMicros: median(turns.map(({ ofBare }) => ofBare.cpuMicros)),
  };
}

async function main(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'ticklake-bench-'));
  const config = { ...readConfig({ TICKLAKE_LOG_LEVEL: 'silent' }), home };
  const services = await openServices(config, systemClock);
  try {
    const keys = await fillStore(services);
    const result = {
      ...(await timeChecks(services, keys)),
      ...(await compareRates(services, keys)),
    };
    report(result);
  } finally {
    await services.close();
    rmSync(home, { recursive: true, force: true });
  }
}

function report(result: Record<string, number>): void {
  if (OPTIONS.json) {
    console.log(JSON.stringify({ machine: cpus()[0]?.model, cores: cpus().length, ...result }));
    return;
  }
  console.log(`${cpus().length} × ${cpus()[0]?.model}`);
  console.table(
    Object.fromEntries(Object.entries(result).map(([name, value]) => [name, value.toFixed(2)])),
  );
}

if (isMainThread) await main();
else parentPort?.on('message', async (load) => parentPort?.postMessage(await measureRate(load)));
