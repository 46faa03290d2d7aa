/**
 * Cost of letting callers in, 64 at once: with the store in PostgreSQL, which is asked before each
 * request, next to the store in files. Each waits for a look at the log of changes and for the
 * reservation of the request. Left out where PostgreSQL is not installed.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { generateKey, hashKey, keyReference } from '../../src/access/api-key.ts';
import { requireAccount } from '../../src/access/authenticate.ts';
import { systemClock } from '../../src/base/clock.ts';
import { type OpenServices, openServices } from '../../src/open-services.ts';
import { admit, claimOf, reserve } from '../../src/routes/admit.ts';
import { beginTally, requireQuota } from '../../src/routes/count-request.ts';
import { ENDPOINTS } from '../../src/routes/endpoints.ts';
import { readConfig } from '../../src/settings/config.ts';
import type { QuotaLimits } from '../../src/store/accounts.ts';
import type { UsageRecord } from '../../src/store/usage.ts';
import { isPostgresMissing, TestPostgres } from '../../test/postgres/start-postgres.ts';
import { type Benchmark, ms } from '../finding.ts';
import { median, race, timed } from '../measure.ts';

const AT_ONCE = 64;
const ACCOUNTS = 16;
/** Pause between turns, so that writing the usage of some thousand requests is not measured. */
const PAUSE_MS = 5;
const DAY_MS = 86_400_000;
/** Limits of every kind, so that all are judged; none is reached. */
const LIMITS: QuotaLimits = {
  month: { requests: 1e9, scannedBytes: 1e15, returnedBytes: 1e15 },
  minute: { requests: 1e7, scannedBytes: 1e12, returnedBytes: 1e12 },
};
const NO_REPLY = {} as FastifyReply;

const ENDPOINT = ENDPOINTS.find((each) => !each.isPublic && each.servesRows);

async function addKeys({ store }: OpenServices): Promise<string[]> {
  const createdAtMs = systemClock.now();
  const keys = Array.from({ length: ACCOUNTS }, generateKey);
  await store.transaction(async (tx) => {
    for (const [at, key] of keys.entries()) {
      const account = { isAdmin: false, maxActiveApiKeys: 1, ipSubnets: [], limits: LIMITS };
      const accountId = await tx.accounts.create({ name: `${at}`, createdAtMs, ...account });
      const hashed = { hash: hashKey(key), reference: keyReference(key) };
      const life = { createdAtMs, expiresAtMs: createdAtMs + DAY_MS };
      await tx.keys.create({ accountId, name: 'key', ...hashed, ...life });
    }
  });
  return keys;
}

/** The usage counted for an admitted request. */
function recordOf(accountId: number, answeredAtMs: number): UsageRecord {
  return {
    ...{ answeredAtMs, accountId, requestId: 'request', keyId: 1, status: 200, durationMs: 1 },
    ...{ datasetId: '', datasetVersion: null, countsInMinute: true },
    ...{ rowCount: 0, scannedBytes: 0, returnedBytes: 0 },
  };
}

/** Every step of an admission that reads or writes the store. */
async function letIn(services: OpenServices, key: string): Promise<void> {
  if (!ENDPOINT || ENDPOINT.isPublic) throw new Error('nothing to ask for');
  const request = {
    headers: { 'x-api-key': key },
    socket: { remoteAddress: '127.0.0.1' },
    raw: { socket: { remoteAddress: '127.0.0.1' } },
  } as unknown as FastifyRequest;
  const claim = claimOf(services, request, ENDPOINT);
  const reservation = await reserve(services, ENDPOINT, request, claim);
  const caller = admit(services, request, claim);
  const account = requireAccount(caller, services.clock.now());
  const tally = beginTally({ caller, claim, account, reservation, endpoint: ENDPOINT });
  await requireQuota(services, tally, ENDPOINT, NO_REPLY);
  if (!reservation) throw new Error('nothing was reserved');
  services.usage.count(recordOf(account.accountId, services.clock.now()), reservation);
}

/** The median of what each waits, of all at once. */
async function allAtOnce(work: (at: number) => Promise<unknown>): Promise<number> {
  return median(
    await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => timed(() => work(at)))),
  );
}

async function openPlace(home: string, env: NodeJS.ProcessEnv) {
  const services = await openServices({ ...readConfig(env), home }, systemClock);
  const keys = await addKeys(services);
  const waits: number[] = [];
  return {
    close: () => services.close(),
    waits,
    turn: async () => {
      await wait(PAUSE_MS);
      waits.push(await allAtOnce((at) => letIn(services, keys[at % ACCOUNTS] as string)));
    },
    lookAtOnce: () => allAtOnce(() => services.store.catchUp()),
  };
}

export const ADMISSION: Benchmark = {
  name: 'admission',
  reads: [],
  run: async ({ turns }) => {
    if (isPostgresMissing()) return [];
    const folder = mkdtempSync(join(tmpdir(), 'ticklake-admission-'));
    const postgres = await TestPostgres.start({ settings: { fsync: 'on' } });
    const files = await openPlace(join(folder, 'files'), {});
    const url = postgres.url(await postgres.newDatabase());
    const database = await openPlace(join(folder, 'database'), { TICKLAKE_STORE: url });
    try {
      const all = { warmUps: turns.warmUps * 10, runs: turns.runs * 10 };
      await race(all, { files: files.turn, database: database.turn });
      const looks: number[] = [];
      for (let turn = 0; turn < all.runs; turn++) looks.push(await database.lookAtOnce());
      const [inFiles, inDatabase] = [files, database].map(({ waits }) =>
        median(waits.slice(all.warmUps)),
      ) as [number, number];
      return [
        {
          work: `letting callers in, ${AT_ONCE} at once, store in PostgreSQL`,
          measured: ms(inDatabase),
          compared: `${ms(inFiles)} with the store in files; the look alone takes ${ms(median(looks))}`,
          figure: inDatabase - inFiles,
          unit: ' ms',
          target: { is: 'at most', value: 0.5 },
          details: { databaseMs: inDatabase, filesMs: inFiles, lookMs: median(looks) },
        },
      ];
    } finally {
      await files.close();
      await database.close();
      await postgres.remove();
      rmSync(folder, { recursive: true });
    }
  },
};
