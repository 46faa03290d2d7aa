import { afterAll, beforeAll, expect, it } from 'vitest';
import { openContractService } from '../contract/fixture.ts';
import type { TestService } from '../harness.ts';
import { writing } from '../writing.ts';

const HEAVY_REQUESTS = 64;

let service: TestService;
beforeAll(async () => {
  const queue = { queriesMax: 2, queueMax: 100, queuePerAccountMax: 100, pageCacheBytes: 0 };
  service = await openContractService(queue);
});
afterAll(() => service.close());

/** Another account that may read the rows. */
async function addReader(): Promise<string> {
  const { key, accountId } = await service.addAccount('light');
  const { datasetId } = service.dataset('eq_trading_halts');
  const rule = { accountId, datasetId, startDate: '2020-01-01', endDate: null, universe: [] };
  await writing(service.services.store).rules.add(rule);
  return key;
}

/** The status of rows of a question that nobody else asks. */
async function statusOf(number: number, key = service.key): Promise<number> {
  const url = `/v1/data/us-equity-ref/eq-trading-halts?limit=${number}`;
  return (await service.get(url, { 'x-api-key': key })).statusCode;
}

it('an account that asks for little has the next turn, however much another one waits for', async () => {
  const { gate } = service.services;
  const { signal } = new AbortController();
  const turns = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  const held = turns.map(({ promise }) => gate.run(service.accountId, signal, () => promise));
  let answeredCount = 0;
  const heavy = Array.from({ length: HEAVY_REQUESTS }, async (_, at) => {
    const status = await statusOf(at + 1);
    answeredCount++;
    return status;
  });
  await expect.poll(() => gate.waitingCount).toBe(HEAVY_REQUESTS);
  const light = statusOf(HEAVY_REQUESTS + 1, await addReader());
  await expect.poll(() => gate.waitingCount).toBe(HEAVY_REQUESTS + 1);
  turns[0].resolve();
  expect(await light).toBe(200);
  expect(answeredCount).toBe(0);
  turns[1].resolve();
  expect(new Set(await Promise.all(heavy))).toEqual(new Set([200]));
  await Promise.all(held);
});
