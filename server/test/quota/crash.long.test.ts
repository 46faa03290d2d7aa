import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { generateKey, hashKey, keyReference } from '../../src/access/api-key.ts';
import { daysOf, utcMonth } from '../../src/quota/utc-month.ts';
import { UNLIMITED } from '../../src/store/identities.ts';
import { ledgerOf } from '../ledger-of.ts';
import { writing } from '../writing.ts';
import { openQuotaService, type QuotaService, sumOf } from './quota-service.ts';

const LOST_MS = 1000;
const ROUNDS = 3;
const program = join(import.meta.dirname, '../../src/cli.ts');
const children: ChildProcess[] = [];

let service: QuotaService;
let key: string;
let identityId: number;
beforeAll(async () => {
  service = await openQuotaService();
  // The server's clock is the real one.
  const { store } = service.services;
  key = generateKey();
  identityId = await writing(store).identities.create({
    name: 'counted',
    isAdmin: false,
    maxActiveApiKeys: 1,
    ipSubnets: [],
    limits: UNLIMITED,
    createdAtMs: Date.now(),
  });
  await writing(store).keys.create({
    identityId,
    name: 'key',
    hash: hashKey(key),
    reference: keyReference(key),
    createdAtMs: Date.now(),
    expiresAtMs: Date.now() + 3_600_000,
  });
});
afterAll(async () => {
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  await service.close();
});

async function startServer(): Promise<{
  readonly child: ChildProcess;
  readonly origin: string;
  readonly ended: Promise<unknown>;
}> {
  const env = { ...process.env, PORT: '0', TICKLAKE_HOME: service.services.config.home };
  const child = spawn(process.execPath, [program, 'serve'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const ended = once(child, 'close');
  let output = '';
  const origin = await new Promise<string>((resolve, reject) => {
    ended.then(() => reject(new Error(`the server ended: ${output}`)));
    child.stdout.on('data', (chunk) => {
      output += chunk;
      const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? [];
      if (found) resolve(found);
    });
  });
  return { child, origin, ended };
}

async function ask(origin: string, path: string): Promise<Response> {
  return fetch(`${origin}/v1${path}`, { headers: { 'x-api-key': key } });
}

/** Asks on several connections until the server is gone; when each answer had come. */
async function askUntilKilled(origin: string): Promise<{ sent: number; answeredAtMs: number[] }> {
  const answeredAtMs: number[] = [];
  let sent = 0;
  const client = async () => {
    try {
      while (true) {
        sent++;
        await (await ask(origin, '/account/my')).arrayBuffer();
        answeredAtMs.push(Date.now());
      }
    } catch {
      // The server was killed.
    }
  };
  await Promise.all([client(), client(), client(), client()]);
  return { sent, answeredAtMs };
}

it('loses at most the last second of counting when the server is killed', async () => {
  const { usage } = service.services.store;
  const ledger = () => ledgerOf(usage, identityId);
  for (let round = 0; round < ROUNDS; round++) {
    const { child, origin, ended } = await startServer();
    const before = (await ledger()).length;
    const shown = (await (await ask(origin, '/account/my/quotas')).json()) as {
      quotas_usage: { month: { requests: number } };
    };
    expect(shown.quotas_usage.month.requests).toBe(before);

    const asking = askUntilKilled(origin);
    await sleep(1500 + round * 170);
    const killedAtMs = Date.now();
    child.kill('SIGKILL');
    const { sent, answeredAtMs } = await asking;
    await ended;

    const atLeast = before + answeredAtMs.filter((atMs) => atMs < killedAtMs - LOST_MS).length;
    const atMost = before + sent + 1;
    const kept = await ledger();
    expect(kept.length).toBeGreaterThan(atLeast);
    expect(kept.length).toBeLessThanOrEqual(atMost);
    expect(await usage.total(identityId, daysOf(utcMonth(Date.now())))).toEqual(sumOf(kept));
  }
});

it('loses nothing when the server is asked to stop', async () => {
  const { usage } = service.services.store;
  const before = (await ledgerOf(usage, identityId)).length;
  const { child, origin, ended } = await startServer();
  for (let i = 0; i < 50; i++) await (await ask(origin, '/account/my')).arrayBuffer();
  child.kill('SIGTERM');
  await ended;
  expect(await ledgerOf(usage, identityId)).toHaveLength(before + 50);
});
