import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { openTestService, type TestService } from '../harness.ts';
import { writing } from '../writing.ts';

let service: TestService;
let other: DatabaseSync;

beforeAll(async () => {
  service = await openTestService();
  other = new DatabaseSync(join(service.services.config.home, 'control.db'));
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});
afterAll(async () => {
  other.close();
  await service.close();
});

it('a store that another process has locked stops changes, not readers', async () => {
  const { key, accountId } = await service.addAccount('owner');
  await writing(service.services.store).accounts.update(accountId, { isAdmin: true });
  other.exec('BEGIN IMMEDIATE');
  const change = () =>
    service.app.inject({
      method: 'POST',
      url: '/v1/identities',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      payload: { name: 'new' },
    });
  vi.useFakeTimers({ toFake: ['performance'] });
  let isRefused = false;
  const refusal = change().finally(() => {
    isRefused = true;
  });
  expect((await service.get('/v1/account/my')).statusCode).toBe(200);
  expect(isRefused).toBe(false);
  // The longest that a change waits; as often as it takes, because it may wait for its turn first.
  await expect
    .poll(() => {
      vi.advanceTimersByTime(100);
      return isRefused;
    })
    .toBe(true);
  const refused = await refusal;
  expect([refused.statusCode, refused.json()]).toEqual([503, { detail: 'Service unavailable' }]);
  other.exec('ROLLBACK');
  expect((await change()).statusCode).toBe(200);
});
