import { tableFromIPC } from 'apache-arrow';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  AuthenticationError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  type Row,
  Ticklake,
  TicklakeError,
  VersionGoneError,
} from '../src/index.ts';
import { estimateOf } from '../src/query.ts';
import type { DataScan } from '../src/types.ts';
import { haltRows, type ServedRows, serveRows, silent } from './served-rows.ts';

const ROWS = 95;
let served: ServedRows;
let client: Ticklake;

beforeAll(async () => {
  served = await serveRows(ROWS);
  client = new Ticklake({ url: served.url, key: served.service.key, ...silent });
});
afterAll(() => served.service.close());

const tickers = (rows: readonly Row[]) => rows.map((row) => row.Ticker);

describe('values', () => {
  it('integers and times are exact bigints, other values as the service writes them', async () => {
    const ticks = client.dataset('eq_taq').read({
      where: { TradeDate: '2025-06-18', Ticker: 'AAA' },
    });
    const rows = await ticks.toArray({ limit: 100 });
    expect(rows[2]).toEqual({
      TradeDate: '2025-06-18',
      EventDateTime: BigInt(Date.parse('2025-06-18T13:30:00.999Z')) * 1_000_000n + 999_999n,
      EventType: 'TRADE NB',
      Ticker: 'AAA',
      ASID: 1010000000000001n,
      Price: 146.2,
      Quantity: 7n,
      Exchange: 'FINRA',
      ConditionCode: 2147484673n,
    });
    expect(rows).toHaveLength(3);
    expect(ticks.version).toBe(1);
  });

  it('lists of texts are arrays, and a missing value is not empty text', async () => {
    const [row] = await client.dataset('eq_sec_master').read().toArray({ limit: 9 });
    expect(row).toMatchObject({ Ticker: ['AAO', 'AAA'] });
    const halts = await client.dataset('eq_trading_halts').read().toArray({ limit: 4 });
    expect(halts.map(({ Name }) => Name)).toEqual(haltRows(4).map((row) => row[4]));
    expect(halts[3]?.Name).toBe('');
    expect(halts[0]?.PauseThresholdPrice).toBeNull();
  });
});

describe('rows', () => {
  it('pages are walked to the last row, whatever their size', async () => {
    const all = await client.dataset('eq_trading_halts').read().toArray({ limit: Infinity });
    expect(all).toHaveLength(ROWS);
    for (const pageRows of [1, 7, ROWS - 1, ROWS, ROWS + 1]) {
      const query = client.dataset('eq_trading_halts').read({ pageRows });
      const rows: Row[] = [];
      for await (const row of query) rows.push(row);
      expect(rows).toEqual(all);
    }
  });

  it('filters, columns, sort and limit are those of the request', async () => {
    const rows = await client
      .dataset('eq_trading_halts')
      .read({
        where: { Ticker: ['T00003', 'T00001', 'T00009'], 'SecId.lt': 9n },
        columns: ['SecId', 'Ticker'],
        sort: ['-Ticker'],
        limit: 5,
      })
      .toArray({ limit: Infinity });
    expect(rows).toEqual([
      { SecId: 3n, Ticker: 'T00003' },
      { SecId: 1n, Ticker: 'T00001' },
    ]);
  });

  it.each([1, 10, 11])('a limit of %i rows is kept across pages', async (limit) => {
    const query = client.dataset('eq_trading_halts').read({ limit, pageRows: 5 });
    expect(tickers(await query.toArray({ limit: Infinity }))).toEqual(
      haltRows(limit).map((row) => row[1]),
    );
  });

  it('an id chooses its variant of a path', async () => {
    const adjusted = client.dataset('eq_daily_ohlc_adj').read();
    expect(await adjusted.toArray({ limit: 10 })).toHaveLength(1);
    expect(await client.dataset('US1020').read().toArray({ limit: 10 })).toHaveLength(4);
  });

  it('no rows are no rows', async () => {
    const query = client.dataset('eq_daily_ohlc').read({ where: { Ticker: 'NONE' } });
    expect(await query.toArray({ limit: 10 })).toEqual([]);
    expect(query.version).toBe(1);
  });

  it('nothing is sent before rows are read', () => {
    const unsent = new Ticklake({ url: 'http://127.0.0.1:1', key: 'none' });
    expect(unsent.dataset('eq_taq').read().version).toBeNull();
  });

  it('aborting ends a walk with the reason', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const query = client.dataset('eq_trading_halts').read({ pageRows: 5, signal });
    const reason = new Error('enough');
    const read = async () => {
      for await (const _ of query.pages()) controller.abort(reason);
    };
    await expect(read()).rejects.toBe(reason);
  });
});

describe('Arrow', () => {
  it('all pages are one stream that other readers read', async () => {
    for (const pageRows of [7, ROWS, undefined]) {
      const query = client.dataset('eq_trading_halts').read({ pageRows });
      const table = await tableFromIPC(query.arrow());
      expect(table.numRows).toBe(ROWS);
      const expected = haltRows(ROWS);
      for (const [name, at] of Object.entries({ Ticker: 1, ASID: 3, Name: 4 })) {
        expect([...(table.getChild(name) ?? [])]).toEqual(expected.map((row) => row[at]));
      }
    }
  });

  it('ticks of several days and identifiers are one stream', async () => {
    const ticks = client.ticks(['AAA', 'BBB'], ['2025-06-17', '2025-06-18']);
    const table = await tableFromIPC(ticks.arrow());
    expect([...(table.getChild('Ticker') ?? [])]).toEqual(['AAA', 'AAA', 'AAA', 'BBB']);
  });
});

describe('versions', () => {
  it('a walk stays with the version of its first page, and so does all else of the query', async () => {
    const halts = client.dataset('eq_trading_halts');
    const query = halts.read({ pageRows: 10 });
    const rows: Row[] = [];
    for await (const page of query.pages()) {
      if (rows.length === 0) {
        await served.service.publish('eq_trading_halts', haltRows(ROWS, 1000));
      }
      rows.push(...page.rows);
    }
    const first = query.version as number;
    expect(rows.map((row) => row.PauseThresholdPrice)).toEqual(haltRows(ROWS).map((row) => row[8]));
    expect((await query.estimate()).version).toBe(first);
    const current = halts.read({ limit: 1 });
    await current.toArray({ limit: 1 });
    expect(current.version).toBe(first + 1);
    const pinned = halts.read({ version: first });
    expect(await pinned.toArray({ limit: Infinity })).toEqual(rows);
  });

  it('versions and the rows that changed between two are told', async () => {
    const daily = client.dataset('eq_daily_ohlc');
    const before = await daily.read().toArray({ limit: 10 });
    const added = before.map((row) => Object.values(row));
    await served.service.publish(
      'eq_daily_ohlc',
      added.map((row) => row.map((value, c) => (c === 3 ? 7 : value))) as never,
    );
    const versions = [];
    for await (const { version } of daily.versions()) versions.push(version);
    expect(versions).toEqual([2, 1]);
    const changes = await daily.changes({ from: 1, to: 2, pageRows: 3 }).toArray({ limit: 99 });
    expect(changes.map(({ Change }) => Change).sort()).toEqual([
      ...Array(4).fill('added'),
      ...Array(4).fill('removed'),
    ]);
    expect(changes[0]?.ASID).toBe(1010000000000001n);
    const estimate = daily.changes({ from: 1, to: 2 }).estimate();
    await expect(estimate).rejects.toThrow('There is no estimate of changes');
    const counted = daily.changes({ from: 1, to: 2 }).count();
    await expect(counted).rejects.toThrow('Changes cannot be counted');
    expect(await daily.read({ where: { Ticker: 'AAA' }, limit: 1 }).count()).toBe(2);
  });
});

describe('ticks, bars and daily values', () => {
  it('ticks of several identifiers and days come one after the other, of one version', async () => {
    const ticks = client.ticks(['BBB', 'AAA'], ['2025-06-17', '2025-06-18']);
    const rows = await ticks.toArray({ limit: Infinity });
    expect(tickers(rows)).toEqual(['AAA', 'AAA', 'AAA', 'BBB']);
    expect(tickers(await ticks.toArray({ limit: 2 }))).toEqual(['AAA', 'AAA']);
    expect((await ticks.estimate()).scans).toHaveLength(4);
    expect(await ticks.count()).toBe(4);
    const csv = client.ticks(['BBB', 'AAA'], '2025-06-18', { columns: ['Ticker'] }).bytes('csv');
    expect(Buffer.concat(await Array.fromAsync(csv)).toString()).toBe(
      '"Ticker"\nAAA\nAAA\nAAA\nBBB\n',
    );
  });

  it('groups of the rows are computed by the service, and rules are explained', async () => {
    const ticks = client.ticks('AAA', '2025-06-18', { columns: ['Ticker'] });
    const select = ['count', 'sum(Quantity)', 'min(EventDateTime)', 'max(EventType)', 'avg(Price)'];
    const [group, ...others] = await ticks.aggregate({ select, by: ['TradeDate'] });
    expect(others).toEqual([]);
    expect(group).toMatchObject({ count: 3n, 'max(EventType)': 'TRADE NB' });
    const rows = await client.ticks('AAA', '2025-06-18').toArray({ limit: 9 });
    const prices = rows.map(({ Price }) => Number(Price));
    expect(group?.['avg(Price)']).toBeCloseTo(prices.reduce((a, b) => a + b) / 3, 9);
    expect(group?.['min(EventDateTime)']).toEqual(rows[0]?.EventDateTime);
    expect(String(group?.['sum(Quantity)'])).toBe('407');
    expect(await ticks.aggregate({ select: ['count'], interval: '1h' })).toHaveLength(1);
    const { status, decisions } = await ticks.explain();
    expect([status, decisions.at(-1)?.part]).toEqual([200, 'rows']);
    const many = client.ticks(['AAA', 'BBB'], '2025-06-18').explain();
    await expect(many).rejects.toThrow('one day and one identifier');
  });

  it('identifiers of digits are permanent ids', async () => {
    const rows = await client.ticks(1010000000000001n, '2025-06-18').toArray({ limit: 9 });
    expect(tickers(rows)).toEqual(['AAA', 'AAA', 'AAA']);
    const daily = await client.daily([1010000000000001n]).toArray({ limit: 9 });
    expect(new Set(tickers(daily))).toEqual(new Set(['AAA']));
  });

  it('ranges of days have both ends, and either may be left out', async () => {
    const dates = async (range: { from?: string; to?: string }) =>
      (await client.daily('AAA', range).toArray({ limit: 9 })).map(({ TradeDate }) => TradeDate);
    expect(await dates({ from: '2025-06-18' })).toEqual(['2025-06-18']);
    expect(await dates({ to: '2025-06-17' })).toEqual(['2025-06-17']);
    expect(await dates({ from: '2025-06-17', to: '2025-06-18' })).toHaveLength(2);
  });

  it('another market, or a dataset that is named, is read instead', async () => {
    const bars = client.bars('ESU5', undefined, { market: 'future' });
    expect(tickers(await bars.toArray({ limit: 9 }))).toEqual(['ESU5']);
    const adjusted = client.daily('AAA', undefined, { dataset: 'eq_daily_ohlc_adj' });
    expect(await adjusted.toArray({ limit: 9 })).toHaveLength(1);
    const none = client.daily('X', undefined, { market: 'bond' as 'future' });
    await expect(none.toArray({ limit: 9 })).rejects.toThrow('equity, option, future');
  });
});

describe('catalogue', () => {
  it('datasets, their status and the service answer', async () => {
    expect((await client.datasets()).length).toBeGreaterThan(40);
    expect(await client.status()).toMatchObject({ status: 'ok' });
    expect(await client.dataset('eq_taq').status()).toMatchObject({ version: 1 });
    expect((await client.quotas()).quotas_limit.month.requests).toBeNull();
  });

  it('symbols are resolved, and securities searched', async () => {
    const [found] = await client.search('aaa', { limit: 1 });
    expect(found?.matched).toEqual({ field: 'Ticker', value: 'AAA' });
    const { resolved, not_found } = await client.resolve([found?.asid ?? 0, 2n], { type: 'ASID' });
    expect(not_found).toEqual(['2']);
    expect(resolved[0]?.intervals.map(({ ticker }) => ticker)).toEqual(['AAO', 'AAA']);
    expect(await client.search('no such', { limit: 3 })).toEqual([]);
    await expect(client.search('')).rejects.toThrow('1 to 200 characters');
  });
});

describe('errors', () => {
  const failure = (promise: Promise<unknown>): Promise<unknown> =>
    promise.then(
      () => null,
      (error: unknown) => error,
    );

  it('a refused request is an error that says which, why and where', async () => {
    const query = client.dataset('eq_daily_ohlc').read({ where: { Nothing: 1, 'Ticker.gt': 'A' } });
    const error = (await failure(query.toArray({ limit: 1 }))) as InvalidRequestError;
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(error).toMatchObject({ status: 422, dataset: 'eq_daily_ohlc', attempts: 1 });
    expect(error.problems.length).toBeGreaterThan(0);
    expect(error.requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(error.message).toContain('Nothing');
    expect(error.name).toBe('InvalidRequestError');
  });

  it.each([
    ['a wrong key', AuthenticationError, (url: string) => new Ticklake({ url, key: 'wrong' })],
  ])('%s is an error of its own', async (_, Class, clientOf) => {
    const error = await failure(clientOf(served.url).dataset('US1032').status());
    expect(error).toBeInstanceOf(Class);
  });

  it('a dataset without a rule, one that is not there, and a version that is not there', async () => {
    const { key } = await served.service.addAccount('nothing');
    const poor = new Ticklake({ url: served.url, key });
    const read = (version?: number) => ({ version, where: { Ticker: 'AAA' } });
    const rows = poor.dataset('eq_daily_ohlc').read(read()).toArray({ limit: 1 });
    expect(await failure(rows)).toBeInstanceOf(PermissionError);
    expect(await failure(client.dataset('US9999').status())).toBeInstanceOf(NotFoundError);
    expect(await failure(client.dataset('nothing').status())).toBeInstanceOf(TicklakeError);
    const never = client.dataset('eq_daily_ohlc').read(read(99)).toArray({ limit: 1 });
    expect(await failure(never)).toBeInstanceOf(NotFoundError);
    expect(VersionGoneError.prototype).toBeInstanceOf(TicklakeError);
  });

  it('sorting without trade date and identifier is refused before any request', async () => {
    const where = { Ticker: ['AAA', 'BBB'] };
    const query = client.dataset('eq_taq').read({ where, sort: ['Price'] });
    await expect(query.toArray({ limit: 1 })).rejects.toThrow(/trade date and identifier/);
  });

  it('no error and no client shows the key', async () => {
    const { inspect } = await import('node:util');
    const bad = new Ticklake({ url: 'http://127.0.0.1:1', key: 'very-secret', maxRetries: 0 });
    const error = await failure(bad.status());
    expect(inspect([bad, error, bad.dataset('x')], { depth: 9, showHidden: true })).not.toContain(
      'very-secret',
    );
    expect(JSON.stringify([bad, error])).not.toContain('very-secret');
  });

  it.each(['', 'ftp://x', '127.0.0.1:8080'])('the address %j is refused at once', (url) => {
    expect(() => new Ticklake({ url, key: 'k' })).toThrow(TicklakeError);
  });
});

it('an estimate is of all pages, up to the limit of rows', () => {
  const formats = [{ response_format: 'csv_gzip', page_count_max: 3, byte_count_estimate: 1 }];
  const scan = { rows_scanned: 200_000, bytes_scanned: 900, row_count_max: 200_000, formats };
  const scannedBytes = (limit: number) =>
    estimateOf([scan as unknown as DataScan], limit).bytesScanned;
  expect([Infinity, 100_000, 10, 0].map(scannedBytes)).toEqual([2700, 1800, 900, 900]);
});
