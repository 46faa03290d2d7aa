import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestService } from '../harness.ts';
import { writing } from '../writing.ts';
import { openContractService } from './fixture.ts';

let service: TestService;
beforeAll(async () => {
  service = await openContractService();
});
afterAll(() => service.close());

const json = async (url: string, key?: string) => {
  const answer = await service.get(url, key ? { 'x-api-key': key } : {});
  expect(answer.statusCode, answer.body).toBe(200);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  return answer.json();
};

describe('status', () => {
  it('needs no key', async () => {
    const answer = await service.app.inject('/v1/status');
    expect(answer.json()).toEqual({ status: 'ok', version: '0.1.0' });
  });
});

describe('account/my', () => {
  it('shows the account of the key, and nothing else', async () => {
    expect(await json('/v1/account/my')).toEqual({
      identity_id: service.accountId,
      name: 'everything',
      max_active_api_keys: 3,
      ip_subnets: [],
    });
  });

  it('lists keys by what may be shown of them, with their state', async () => {
    const { key, accountId } = await service.addAccount('with keys');
    const keys = await json('/v1/account/my/api-keys', key);
    expect(keys).toEqual([
      {
        key_id: (await service.services.store.keys.listOf(accountId))[0]?.keyId,
        name: 'key of with keys',
        reference: key.slice(-4),
        created_at: '2025-06-20T16:00:00Z',
        expires_at: '2025-09-18T16:00:00Z',
        last_used_at: '2025-06-20T16:00:00Z',
        is_active: true,
        status: 'active',
      },
    ]);
    expect(JSON.stringify(keys)).not.toContain(key);
  });

  it('lists the access rules with their windows', async () => {
    const { key, accountId } = await service.addAccount('with rules');
    await writing(service.services.store).rules.add({
      accountId,
      datasetId: 'US1032',
      startDate: '2024-01-01',
      endDate: null,
      universe: ['AAA', 'BBB'],
    });
    expect(await json('/v1/account/my/data-access-rules', key)).toEqual([
      {
        dataset_id: 'US1032',
        dataset_name: 'US Equities Trade and Quote',
        dataset_text_id: 'eq_taq',
        dataset_version: 'latest',
        start_date: '2024-01-01',
        end_date: null,
        universe_identifiers: ['AAA', 'BBB'],
      },
    ]);
  });
});

describe('meta/datasets', () => {
  it('lists all datasets to every key', async () => {
    const { key } = await service.addAccount('no rules');
    const rows = await json('/v1/meta/datasets', key);
    expect(rows).toContainEqual({
      dataset_id: 'US1032',
      dataset_name: 'US Equities Trade and Quote',
      data_group: 'Equity',
      vendor: 'Test',
      dataset_text_id: 'eq_taq',
    });
    const ids = rows.map((row: { dataset_id: string }) => row.dataset_id);
    expect(ids).toEqual(service.services.catalog.datasets.map(({ datasetId }) => datasetId));
  });

  it('lists only entitled datasets under my', async () => {
    const { key, accountId } = await service.addAccount('one rule');
    const rule = { startDate: '2024-01-01', endDate: null, universe: [] };
    await writing(service.services.store).rules.add({ accountId, datasetId: 'US6011', ...rule });
    const rows = await json('/v1/meta/datasets/my', key);
    expect(rows.map((row: { dataset_id: string }) => row.dataset_id)).toEqual(['US6011']);
  });
});

describe('meta/datasets/{id}', () => {
  it('describes a dataset under info, its coverage from what is published', async () => {
    const info = await json('/v1/meta/datasets/US1020/info');
    expect(info).toMatchObject({
      dataset_id: 'US1020',
      dataset_name: 'US Equities Daily OHLC',
      data_group: 'Equity',
      vendor: 'Test',
      dataset_text_id: 'eq_daily_ohlc',
      dataset_class: 'Equity',
      dataset_format: 'Market Data',
      time_granularity: 'Daily',
      start_date: '2025-06-17',
      end_date: null,
      is_time_series: true,
      universe_identifier: 'symbol',
    });
    expect(info.description.length).toBeGreaterThan(40);
    expect(info.creation_date).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(Object.keys(info)).toHaveLength(15);
  });

  it('links to a place of the OpenAPI document that exists', async () => {
    const document = (await service.app.inject('/v1/openapi.json')).json();
    for (const { dataset_id: id } of await json('/v1/meta/datasets')) {
      const { documentation_link: link } = await json(`/v1/meta/datasets/${id}/info`);
      expect(link).toMatch(/^[!#-;=?-Z_a-z~]+$/);
      const url = new URL(link);
      expect(url.pathname).toBe('/v1/openapi.json');
      const [, , path] = decodeURIComponent(url.hash).split('/') as [string, string, string];
      const pointed = path.replaceAll('~1', '/').replaceAll('~0', '~');
      expect(document.paths[pointed]?.get?.description, pointed).toContain(id);
    }
  });

  it('lists the columns by the names that filters, projection and sort use', async () => {
    const columns = await json('/v1/meta/datasets/US1032/columns');
    expect(columns.map((column: { name: string }) => column.name)).toEqual(
      service.dataset('eq_taq').columns.map(({ name }) => name),
    );
    expect(columns[1]).toMatchObject({ name: 'EventDateTime', data_type: 'date-time' });
    for (const column of columns) expect(column.description).not.toBe('');
  });

  it('tells the values that a column is known to have, and none of others', async () => {
    const columns = await json('/v1/meta/datasets/US1032/columns');
    const { columns: asked } = await json('/v1/meta/datasets/US1032/query');
    for (const told of [columns, asked]) {
      const valuesOf = (name: string) =>
        told.find((column: { name: string }) => column.name === name).values;
      expect(valuesOf('Exchange')).toContain('FINRA');
      expect(valuesOf('EventType')).toContain('QUOTE BID NB');
      expect(valuesOf('Ticker')).toBeUndefined();
    }
  });

  it('tells the column of roots where rows are contracts', async () => {
    const rootOf = async (id: string) => (await json(`/v1/meta/datasets/${id}/query`)).root_column;
    expect([await rootOf('US6014'), await rootOf('US1032')]).toEqual(['BaseSymbol', null]);
  });

  it('tells the status of a published and of an empty dataset', async () => {
    expect(await json('/v1/meta/datasets/US1020/status')).toEqual({
      dataset_id: 'US1020',
      status_code: 'current',
      last_update: '2025-06-20T16:00:00Z',
      next_expected_update: '2025-06-21T02:00:00Z',
      last_trade_date: '2025-06-18',
      version: 1,
      row_count: 4,
    });
    expect(await json('/v1/meta/datasets/US1003/status')).toMatchObject({
      status_code: 'empty',
      last_update: null,
      last_trade_date: null,
      version: 0,
      row_count: 0,
    });
  });
});
