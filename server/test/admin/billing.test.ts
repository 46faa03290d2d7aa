/** Data for invoices: usage by account and month, and the ledger, over HTTP and by commands. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../command-line/run-command.ts';
import { writing } from '../writing.ts';
import { type AdminService, openAdminService } from './admin-service.ts';

let service: AdminService;
let account: { accountId: number; key: string };
const DAILY = '/v1/data/us-equity/eq-daily-ohlc';

beforeAll(async () => {
  service = await openAdminService();
  await service.publish('eq_daily_ohlc', []);
  account = await service.addAccount('=Billed, "Inc"');
  const { accountId } = account;
  const terms = { startDate: '2000-01-01', endDate: null, universe: [] };
  const { datasetId } = service.dataset('eq_daily_ohlc');
  await writing(service.services.store).rules.add({ accountId, datasetId, ...terms });
  const headers = { 'x-api-key': account.key };
  const statuses: number[] = [];
  const noTicker = 'X'.repeat(9000);
  for (const query of [
    'Ticker=AAPL',
    `Ticker.in=AAPL,${noTicker},MSFT`,
    'Ticker.like=A*',
    'Nope=X&Ticker=Z',
  ]) {
    statuses.push((await service.get(`${DAILY}?${query}`, headers)).statusCode);
  }
  expect(statuses).toEqual([200, 200, 200, 422]);
  await service.services.usage.flush();
});
afterAll(() => service.close());

interface Month {
  identity_id: number;
  requests: number;
  row_count: number;
  symbol_count: number;
}

const ofAccount = (months: { data: Month[] }) =>
  months.data.filter(({ identity_id }) => identity_id === account.accountId);

describe('usage by month', () => {
  it('counts requests, bytes, rows and the different identifiers that answered requests named', async () => {
    const months = await service.done<{ data: Month[] }>('/usage-by-month?from=2025-06&to=2025-06');
    expect(ofAccount(months)).toMatchObject([
      { month: '2025-06', name: '=Billed, "Inc"', requests: 4, row_count: 0, symbol_count: 2 },
    ]);
    expect(await service.done('/usage-by-month')).toMatchObject({ from: '2025-06', to: '2025-06' });
    const none = await service.done('/usage-by-month?from=2024-01&to=2025-05');
    expect(none).toEqual({ from: '2024-01', to: '2025-05', data: [] });
  });

  it('is a file for spreadsheets where that is asked, which takes no name for a formula', async () => {
    const path = `/usage-by-month?response_format=csv&identity_id=${account.accountId}`;
    const answer = await service.ask(path);
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(answer.headers['content-disposition']).toContain('showUsageByMonth.csv');
    const [titles, row] = answer.body.split('\r\n');
    expect(titles).toBe(
      'month,identity_id,name,requests,data_scanned,data_returned,row_count,symbol_count',
    );
    const id = account.accountId;
    expect(row).toMatch(new RegExp(`^2025-06,${id},"'=Billed, ""Inc""",4,\\d+,\\d+,0,2$`));
  });

  it.each([
    ['from=2025-07', 'from', 'should not be after the last month, 2025-06'],
    ['from=1990-01', 'from', 'should be less than 120 months before 2025-06'],
    ['from=2025-6', 'from', 'should be a month such as 2026-10'],
    ['response_format=xls', 'response_format', 'should be one of json, csv'],
  ])('refuses %s', async (query, field, text) => {
    const answer = await service.ask(`/usage-by-month?${query}`);
    expect(answer.statusCode).toBe(422);
    expect(answer.json().detail).toMatchObject([
      { loc: ['query', field], msg: expect.stringContaining(text) },
    ]);
  });

  it('for an unknown account is not found', async () => {
    expect((await service.ask('/usage-by-month?identity_id=999999')).statusCode).toBe(404);
  });
});

interface Ledger {
  data: { ledger_id: number; status: number; symbols: string[]; dataset_id: string }[];
  pagination: { next_after: number | null };
}

describe('the usage ledger', () => {
  it('has a row for each request, with what it named, page by page', async () => {
    const path = `/usage-ledger?identity_id=${account.accountId}`;
    const all = await service.done<Ledger>(path);
    expect(all.data.map(({ status, symbols }) => [status, symbols])).toEqual([
      [200, ['AAPL']],
      [200, ['AAPL', 'MSFT']],
      [200, []],
      [422, []],
    ]);
    const first = await service.done<Ledger>(`${path}&limit=3`);
    const next = await service.done<Ledger>(`${path}&after=${first.pagination.next_after}`);
    expect([...first.data, ...next.data]).toEqual(all.data);
    expect((await service.done<Ledger>(`${path}&to=2025-06-20`)).data).toEqual([]);
    const csv = await service.ask(`${path}&response_format=csv`);
    expect(csv.body.split('\r\n')[2]).toContain(',AAPL MSFT');
    expect(csv.headers.link).toBeUndefined();
    const page = await service.ask(`${path}&response_format=csv&limit=3`);
    expect(page.headers.link).toMatch(
      new RegExp(`limit=3&after=${first.pagination.next_after}>; rel="next"$`),
    );
  });
});

it('the commands print the same, as JSON or as CSV', async () => {
  const { home } = service.services.config;
  for (const [words, path] of [
    [
      ['usage-by-month', '--from', '2025-06', '--to', '2025-06'],
      '/usage-by-month?from=2025-06&to=2025-06',
    ],
    [
      ['usage-ledger', '--identity', `${account.accountId}`],
      `/usage-ledger?identity_id=${account.accountId}`,
    ],
  ] as const) {
    // Compares one account only: the administrator's own requests count in between.
    const { stdout } = await runCommand(home, ...words, '--json');
    const printed = JSON.parse(stdout);
    const asked = await service.done<{ data: Month[] }>(path);
    expect(ofAccount(printed)).toEqual(ofAccount(asked));
    const csv = await runCommand(home, ...words, '--csv');
    expect(csv.exitCode).toBe(0);
    expect(csv.stdout.split('\n')[0]).toBe(Object.keys(asked.data[0] ?? {}).join(','));
  }
});

it('the command prints the whole ledger as CSV, and so many rows as it is told to', async () => {
  const { services } = service;
  const { accountId } = await service.addAccount('busy');
  const record = {
    ...{ answeredAtMs: services.clock.now(), requestId: 'x', accountId, keyId: 0, datasetId: '' },
    ...{ datasetVersion: null, countsInMinute: true, rowCount: 0, scannedBytes: 0 },
    ...{ returnedBytes: 0, durationMs: 1, status: 200 },
  };
  const records = Array.from({ length: 2001 }, () => record);
  await services.store.transaction(({ usage }) => usage.add(records));
  const words = ['usage-ledger', '--identity', `${accountId}`, '--csv'];
  const linesOf = async (...more: string[]) => {
    const { stdout } = await runCommand(services.config.home, ...words, ...more);
    return stdout.trimEnd().split('\n');
  };
  const all = await linesOf();
  expect(all).toHaveLength(1 + 2001);
  expect(new Set(all).size).toBe(1 + 2001);
  expect(await linesOf('--limit', '2')).toEqual(all.slice(0, 3));
});
