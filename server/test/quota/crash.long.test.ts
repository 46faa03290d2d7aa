import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { generateKey, hashKey, keyReference } from '../../src/access/api-key.ts';
import { daysOf, utcMonth } from '../../src/quota/quota-excess.ts';
import { UNLIMITED } from '../../src/store/accounts.ts';
import { anyMoment } from '../any-moment.ts';
import { ledgerOf } from '../ledger-of.ts';
import { PROGRAM } from '../program.ts';
import { sampledRuns } from '../repetitions.ts';
import { drawsOf } from '../seed.ts';
import { writing } from '../writing.ts';
import { openQuotaService, type QuotaService, sumOf } from './quota-service.ts';

const ROUNDS = sampledRuns(4);
const MOMENT_MS = 1000;
const children: ChildProcess[] = [];

let service: QuotaService;
let key: string;
let accountId: number;
beforeAll(async () => {
  service = await openQuotaService();
  // The server's clock is the real one.
  const { store } = service.services;
  key = generateKey();
  accountId = await writing(store).accounts.create({
    name: 'counted',
    isAdmin: false,
    maxActiveApiKeys: 1,
    ipSubnets: [],
    limits: UNLIMITED,
    createdAtMs: Date.now(),
  });
  await writing(store).keys.create({
    accountId,
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
  const child = spawn(process.execPath, [PROGRAM, 'serve'], {
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

/** Asks on several connections until the server is gone. */
function askUntilKilled(origin: string) {
  const counts = { sent: 0, answered: 0 };
  const client = async () => {
    try {
      while (true) {
        counts.sent++;
        await (await ask(origin, '/account/my')).arrayBuffer();
        counts.answered++;
      }
    } catch {
      // The server was killed.
    }
  };
  return { counts, over: Promise.all([client(), client(), client(), client()]) };
}

it('stores what was counted while requests go on, and loses none of that when the server is killed', async () => {
  const draws = drawsOf('killed counting');
  const { usage } = service.services.store;
  const ledger = () => ledgerOf(usage, accountId);
  for (let round = 0; round < ROUNDS; round++) {
    const { child, origin, ended } = await startServer();
    const before = (await ledger()).length;
    const shown = (await (await ask(origin, '/account/my/quotas')).json()) as {
      quotas_usage: { month: { requests: number } };
    };
    expect(shown.quotas_usage.month.requests).toBe(before);

    const { counts, over } = askUntilKilled(origin);
    await expect.poll(() => counts.answered).toBeGreaterThan(0);
    const storedCount = async () => (await ledger()).length;
    await expect.poll(storedCount).toBeGreaterThan(before + counts.answered);
    await anyMoment(draws, MOMENT_MS);
    const stored = await storedCount();
    child.kill('SIGKILL');
    await over;
    await ended;

    const kept = await ledger();
    expect(kept.length).toBeGreaterThanOrEqual(stored);
    expect(kept.length).toBeLessThanOrEqual(before + counts.sent + 1);
    const month = daysOf(utcMonth(Date.now()));
    expect(await usage.total(accountId, month)).toEqual(sumOf(kept));
  }
});

it('loses nothing when the server is asked to stop', async () => {
  const { usage } = service.services.store;
  const before = (await ledgerOf(usage, accountId)).length;
  const { child, origin, ended } = await startServer();
  for (let i = 0; i < 50; i++) await (await ask(origin, '/account/my')).arrayBuffer();
  child.kill('SIGTERM');
  await ended;
  expect(await ledgerOf(usage, accountId)).toHaveLength(before + 50);
});
