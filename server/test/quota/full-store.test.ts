import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  type OperationListener,
  openOperationListener,
} from '../../src/routes/operation-listener.ts';
import { UNLIMITED } from '../../src/store/accounts.ts';
import { DAILY_PATH } from '../contract/fixture.ts';
import { openQuotaService, type QuotaService } from './quota-service.ts';

const PENDING_MAX = 20_000;

let service: QuotaService;
let operation: OperationListener;
let other: DatabaseSync;
beforeEach(async () => {
  service = await openQuotaService({ operationPort: 0 });
  operation = (await openOperationListener(service.services, () => 'ok')) as OperationListener;
  other = new DatabaseSync(join(service.services.config.home, 'control.db'));
});
afterEach(async () => {
  other.close();
  await operation.close();
  await service.close();
});

/** Counts requests as if they had been answered, until no more may wait. */
async function fillPending(): Promise<void> {
  const { usage } = service.services;
  await service.get('/v1/account/my');
  await usage.flush();
  const reservation = await usage.counters.reserve({ ...service, limits: UNLIMITED }, true);
  const [request] = await service.ledger();
  if (!request) throw new Error('no request was counted');
  other.exec('BEGIN IMMEDIATE');
  for (let at = 0; at < PENDING_MAX; at++) usage.count(request, reservation);
}

const readiness = async () => {
  const answer = await fetch(`${operation.url}/readyz`);
  return { status: answer.status, ...((await answer.json()) as { store: string }) };
};

it('refuses requests, uncounted, while the store takes none, and loses nothing', async () => {
  await fillPending();
  for (let round = 0; round < 3; round++) {
    for (const path of [DAILY_PATH, '/v1/account/my']) {
      const refused = await service.get(path);
      expect([refused.statusCode, refused.json()]).toEqual([
        503,
        { detail: 'Service unavailable' },
      ]);
    }
  }
  expect((await service.get('/v1/account/my', { 'x-api-key': 'no' })).statusCode).toBe(401);
  expect((await service.used()).month.requests).toBe(PENDING_MAX + 1);
  await expect.poll(readiness).toMatchObject({ status: 503, ready: false, store: 'failed' });

  other.exec('ROLLBACK');
  await expect.poll(async () => (await service.get('/v1/account/my')).statusCode).toBe(200);
  await service.services.usage.flush();
  expect(await service.ledger()).toHaveLength((await service.used()).month.requests);
  expect((await service.ledger()).filter(({ status }) => status === 503)).toEqual([]);
  await expect.poll(readiness).toMatchObject({ status: 200, ready: true, store: 'ok' });
});
