/** Omissions and substitutions that the client tells beside the rows. */
import { hash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { liftTimeLimits } from '../../server/test/no-time-limits.ts';
import { writing } from '../../server/test/writing.ts';
import {
  MissingIdentifiersError,
  Ticklake,
  type TicklakeOptions,
  TransportError,
} from '../src/index.ts';
import { type ServedRows, serveRows } from './served-rows.ts';

liftTimeLimits();

const DATE = '2025-06-18';
let served: ServedRows;
let key: string;
const told: string[] = [];

/** An account that may read one ticker, of two datasets. */
beforeAll(async () => {
  served = await serveRows(1);
  const account = await served.service.addAccount('of one ticker');
  key = account.key;
  const terms = { startDate: '2024-01-01', endDate: '2025-06-18', universe: ['AAA'] };
  for (const textId of ['eq_daily_ohlc', 'eq_taq']) {
    const { datasetId } = served.service.dataset(textId);
    const rule = { accountId: account.accountId, datasetId, ...terms };
    await writing(served.service.services.store).rules.add(rule);
  }
});
beforeEach(() => {
  told.length = 0;
});
afterAll(() => served.service.close());

const clientOf = (options: Partial<TicklakeOptions> = {}) =>
  new Ticklake({ url: served.url, key, warn: (message) => told.push(message), ...options });

const headersOf = ({ headers }: Response) => Object.fromEntries(headers);

const LIST = ['AAA', 'BBB', 'NOPE'];
const MISSING = { count: 2, of: 3, names: ['BBB', 'NOPE'] };
const SAID = 'No rows of 2 of 3 identifiers: BBB, NOPE';
const DAYS = { from: '2025-06-01', to: DATE };

it('identifiers of a list that have no rows are named, in rows, bytes and files', async () => {
  const query = clientOf().daily(LIST, DAYS);
  expect(query.missing).toBeNull();
  await query.toArray({ limit: 9 });
  await query.toArray({ limit: 9 });
  expect([query.missing, told]).toEqual([MISSING, [SAID]]);
  const bytes = clientOf().daily(LIST, DAYS, { columns: ['OpenPrice'] });
  for await (const _ of bytes.bytes('csv')) expect(bytes.missing).toEqual(MISSING);
  expect((await clientOf().ticks(LIST, DAYS).files()).missing).toEqual(MISSING);
  expect(told).toEqual([SAID, SAID, SAID]);
  const whole = clientOf({ key: served.service.key }).daily(['AAA', 'BBB'], DAYS);
  await whole.toArray({ limit: 9 });
  expect([whole.missing, told.length]).toEqual([{ count: 0, of: 2, names: [] }, 3]);
});

it('a strict read without some of them is an error', async () => {
  for (const read of ['daily', 'ticks'] as const) {
    const query = clientOf()[read](LIST, DAYS, { strict: true });
    const error = await query.toArray({ limit: 9 }).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(MissingIdentifiersError);
    expect(error).toMatchObject({ message: SAID, identifiers: ['BBB', 'NOPE'] });
  }
  const open = clientOf({ key: served.service.key });
  await open.daily(['AAA', 'BBB'], DAYS, { strict: true }).toArray({ limit: 9 });
  await open.ticks(['AAA'], DATE, { strict: true }).toArray({ limit: 9 });
});

it('a strict read by requests for one identifier each ends before its first row', async () => {
  const open = clientOf({ key: served.service.key });
  const asked = (options: object = {}) =>
    open.ticks(['AAA', 'NOPE'], DATE, { strict: true, ...options });
  const read: unknown[] = [];
  const failures: unknown[] = [];
  const reads: AsyncIterable<unknown>[] = [
    asked().pages(),
    asked({ where: { 'Price.gt': 1e9 } }).pages(),
    asked({ limit: 1 }).pages(),
    asked().bytes('csv'),
  ];
  for (const rows of reads) {
    failures.push(
      await Array.fromAsync(rows, (row) => read.push(row)).catch((error) => `${error}`),
    );
  }
  const said = 'MissingIdentifiersError: No rows of 1 of 2 identifiers: NOPE';
  expect([read, failures]).toEqual([[], [said, said, said, said]]);
});

it('a strict read asks who is missing within the look-back period of its pages', async () => {
  const asked: string[] = [];
  const noting: typeof fetch = (input, init) => {
    asked.push(`${input}`);
    return fetch(input, init);
  };
  const open = clientOf({ fetch: noting, key: served.service.key });
  const where = { Ticker: ['AAA', 'BBB'] };
  const read = open.dataset('eq_taq_1min').read({ where, strict: true });
  await read.toArray({ limit: 1 }).catch(() => undefined);
  const manifests = asked.filter((url) => url.includes('/bulk/'));
  expect(manifests).toHaveLength(1);
  expect(manifests[0]).toMatch(/period=\d+[YWD]/);
});

it('a strict read of which nobody tells what it lacks is an error', async () => {
  const silentServer: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init);
    const headers = new Headers(answer.headers);
    headers.delete('x-missing');
    return new Response(answer.body, { headers });
  };
  const read = clientOf({ fetch: silentServer }).daily(['AAA', 'BBB'], DAYS, { strict: true });
  const said = 'Nobody tells which of the identifiers have no rows';
  await expect(read.toArray({ limit: 9 })).rejects.toThrow(said);
});

it('missing identifiers are named even if each has its own request', async () => {
  const query = clientOf({ key: served.service.key }).ticks(['AAA', 'NOPE'], DATE);
  await query.toArray({ limit: Infinity });
  const missing = { count: 1, of: 2, names: ['NOPE'] };
  expect([query.missing, told]).toEqual([missing, ['No rows of 1 of 2 identifiers: NOPE']]);
  const filtered = clientOf({ key: served.service.key }).ticks(['AAA', 'NOPE'], DATE, {
    where: { 'Price.gt': 1e9 },
  });
  await filtered.toArray({ limit: Infinity });
  expect([filtered.missing, told.length]).toEqual([null, 1]);
});

it('dates that a look-back period or the rules left out are told', async () => {
  const open = clientOf({ key: served.service.key });
  await open.daily('AAA').toArray({ limit: 1 });
  const window = '2020-06-19/2025-06-18';
  const unnamed = `No dates were named: the rows are those of ${window}; `;
  expect(told.splice(0)).toEqual([`${unnamed}a 'period' or other dates name others`]);
  const daily = open.dataset('eq_daily_ohlc');
  await daily
    .read({ where: { Ticker: 'AAA', 'TradeDate.ge': '2010-01-01' } })
    .toArray({ limit: 1 });
  const cut = `Only 2010-01-01/2014-12-31 was read, by the dataset's look-back period; `;
  expect(told.splice(0)).toEqual([`${cut}'period' names a longer one`]);
  await open.daily('AAA', { from: '2010-01-01' }).toArray({ limit: 1 });
  await open.daily('AAA', undefined, { period: '2Y' }).toArray({ limit: 1 });
  expect(told).toEqual([]);
  const narrow = clientOf().daily('AAA', { from: '2024-06-01' });
  await narrow.toArray({ limit: 1 });
  const closed =
    "The account's rules leave out some of these dates; it may read 2024-01-01/2025-06-18";
  expect([narrow.window, told]).toEqual([`2024-06-01/${DATE}`, [closed]]);
});

it('a dataset that is read in place of the usual one is told', async () => {
  const { accountId, key: other } = await served.service.addAccount('of trades');
  const { datasetId } = served.service.dataset('eq_trades');
  const terms = { startDate: '1900-01-01', endDate: null, universe: [] };
  await writing(served.service.services.store).rules.add({ accountId, datasetId, ...terms });
  await clientOf({ key: other }).ticks('AAA', DATE).toArray({ limit: 1 });
  expect(told).toEqual(["'ticks' reads eq_trades, because the account may not read eq_taq"]);
});

it('a manifest of other days or identifiers is refused, though its digest is right', async () => {
  const swapped: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init);
    if (!String(input).includes('/bulk/')) return answer;
    const body = (await answer.text()).replace('Ticker.in=AAA', 'Ticker.in=AAB');
    const digest = `sha-256=:${hash('sha256', body, 'base64')}:`;
    return new Response(body, { headers: { ...headersOf(answer), 'repr-digest': digest } });
  };
  const files = clientOf({ fetch: swapped }).daily(LIST, DAYS).files();
  await expect(files).rejects.toThrow(
    'The manifest is of another request: /bulk/us-equity/eq-daily',
  );
});

it('a manifest of the latest date names the date that this is', async () => {
  const { files } = await clientOf().daily(LIST, 'latest').files();
  expect(files.map(({ lastPartition }) => lastPartition)).toEqual([DATE.slice(0, 4)]);
});

it('a server that names no requests is said to be older', async () => {
  const bare: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init);
    const headers = new Headers(answer.headers);
    headers.delete('x-request-digest');
    return new Response(answer.body, { headers });
  };
  const client = clientOf({ fetch: bare, maxRetries: 0 });
  await expect(client.status()).rejects.toThrow(TransportError);
  await expect(client.status()).rejects.toThrow('The server is older than this client');
});
