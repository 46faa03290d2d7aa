/** A data request is judged when it gets its turn, not only when it arrives. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { DAILY_PATH, openContractService } from '../contract/fixture.ts';
import type { TestService } from '../harness.ts';
import { writing } from '../writing.ts';

let service: TestService;
beforeAll(async () => {
  service = await openContractService({ queriesMax: 1, pageCacheBytes: 0 });
});
afterAll(() => service.close());

const OPEN = { startDate: '1900-01-01', endDate: null, universe: [] };

let caller: { accountId: number; key: string };
let ruleId: number;
let serial = 0;
beforeEach(async () => {
  serial += 1;
  caller = await service.addAccount(`waiting ${serial}`);
  ruleId = await addRule(OPEN);
});

async function addRule(rule: {
  startDate: string;
  endDate: string | null;
  universe: string[];
}): Promise<number> {
  const { datasetId } = service.dataset('eq_daily_ohlc');
  return await writing(service.services.store).rules.add({
    accountId: caller.accountId,
    datasetId,
    ...rule,
  });
}

/** The answer to a request that waits for its turn while something else happens. */
async function askAndWait(meanwhile: () => unknown) {
  const { gate } = service.services;
  let finish = () => {};
  const busy = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const turn = gate.run(service.accountId, new AbortController().signal, () => busy);
  const headers = { 'x-api-key': caller.key };
  const asked = service.app.inject({ url: `${DAILY_PATH}?columns=Ticker`, headers });
  await expect.poll(() => gate.waitingCount).toBe(1);
  await meanwhile();
  finish();
  await turn;
  return asked;
}

it('refuses a waiting request whose key is deleted meanwhile', async () => {
  const { store } = service.services;
  const answer = await askAndWait(async () => {
    for (const { keyId } of await store.keys.listOf(caller.accountId)) {
      await writing(store).keys.delete(keyId);
    }
  });
  expect([answer.statusCode, answer.json()]).toEqual([401, { detail: 'Invalid API key' }]);
});

it('refuses a waiting request whose account is deactivated meanwhile', async () => {
  const { accounts } = writing(service.services.store);
  const answer = await askAndWait(() => accounts.update(caller.accountId, { isActive: false }));
  expect([answer.statusCode, answer.json()]).toEqual([
    410,
    { detail: 'The account is deactivated' },
  ]);
});

it('refuses a waiting request whose contract ends meanwhile', async () => {
  const { accounts } = writing(service.services.store);
  const contractEndsAtMs = service.clock.now();
  const answer = await askAndWait(() => accounts.update(caller.accountId, { contractEndsAtMs }));
  expect([answer.statusCode, answer.json()]).toEqual([
    410,
    { detail: "The account's contract has ended" },
  ]);
});

it('refuses a waiting request whose last rule is deleted meanwhile, and scans nothing', async () => {
  const answer = await askAndWait(() => writing(service.services.store).rules.delete(ruleId));
  expect(answer.statusCode).toBe(403);
  expect(answer.json().detail).toMatch(/^The account is not authorized to access the dataset /);
  expect((await service.services.usage.counters.read(caller.accountId)).month.scannedBytes).toBe(0);
});

it('answers a waiting request by the rules that hold when its turn comes', async () => {
  const answer = await askAndWait(async () => {
    await writing(service.services.store).rules.delete(ruleId);
    await addRule({ ...OPEN, universe: ['AAA'] });
  });
  expect(answer.statusCode).toBe(200);
  expect(answer.json().data).toEqual([{ Ticker: 'AAA' }, { Ticker: 'AAA' }]);
  const url = `${DAILY_PATH}?columns=Ticker`;
  const asked = await service.app.inject({ url, headers: { 'x-api-key': caller.key } });
  expect(asked.headers.etag).toBe(answer.headers.etag);
});

it('answers a waiting request whose account did not change', async () => {
  const answer = await askAndWait(() => {});
  expect(answer.json().data).toHaveLength(4);
});
