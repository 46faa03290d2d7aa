/** The catalogue as people look through it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openContractService } from '../contract/fixture.ts';
import type { TestService } from '../harness.ts';
import { writing } from '../writing.ts';

const DAILY = 'US1020';

let service: TestService;
let halfKey: string;
beforeAll(async () => {
  service = await openContractService();
  const { accountId, key } = await service.addAccount('half');
  const rule = { startDate: '2025-06-18', endDate: null, universe: ['AAA'] };
  await writing(service.services.store).rules.add({ accountId, datasetId: DAILY, ...rule });
  halfKey = key;
});
afterAll(() => service.close());

interface Entry {
  readonly [name: string]: unknown;
  readonly dataset_id: string;
}

async function catalogueOf(key: string): Promise<readonly Entry[]> {
  const answer = await service.app.inject({
    url: '/v1/meta/catalogue',
    headers: { 'x-api-key': key },
  });
  expect(answer.statusCode).toBe(200);
  return answer.json();
}

describe('/meta/catalogue', () => {
  it('has the datasets of the list, in its order, with what a search looks at', async () => {
    const listed = (await service.get('/v1/meta/datasets')).json() as Entry[];
    const entries = await catalogueOf(service.key);
    expect(entries.map(({ dataset_id: id }) => id)).toEqual(listed.map(({ dataset_id: id }) => id));
    for (const [at, row] of listed.entries()) expect(entries[at]).toMatchObject(row);
    const daily = entries.find(({ dataset_id: id }) => id === DAILY);
    const { datasets } = service.services.catalog;
    const defined = datasets.find(({ datasetId }) => datasetId === DAILY);
    expect(daily).toMatchObject({
      description: defined?.description,
      time_granularity: defined?.timeGranularity,
      column_names: defined?.columns.map(({ name }) => name),
      is_entitled: true,
      first_trade_date: '2025-06-17',
      last_trade_date: '2025-06-18',
      row_count: 4,
    });
  });

  it('tells an account the coverage of what it may read alone', async () => {
    const entries = await catalogueOf(halfKey);
    const entitled = entries.filter((entry) => entry.is_entitled);
    expect(entitled.map(({ dataset_id: id }) => id)).toEqual([DAILY]);
    for (const entry of entries.filter((each) => !each.is_entitled)) {
      const { first_trade_date: first, last_trade_date: last, row_count: rows } = entry;
      expect([first, last, rows], entry.dataset_id).toEqual([null, null, null]);
    }
  });

  it('needs a key', async () => {
    expect((await service.app.inject({ url: '/v1/meta/catalogue' })).statusCode).toBe(401);
  });
});
