/** Delta Sharing over HTTP as its clients use it: lists, tables, files and changes. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { CellValue } from '../../src/engine/columns.ts';
import { readParquet } from '../../src/engine/conformance/read-parquet.ts';
import { fileColumnsOf } from '../../src/engine/file-columns.ts';
import { openTestService, type TestService } from '../harness.ts';
import { writing } from '../writing.ts';

const nanos = (iso: string) => BigInt(Date.parse(iso)) * 1_000_000n + 123_456_789n;
const DAYS = ['2025-06-16', '2025-06-17', '2025-06-18'];

const ticksOf = (day: string, price = 100) =>
  ['AAA', 'BBB'].map((ticker, t): CellValue[] => [
    ...[day, nanos(`${day}T13:30:00Z`), 'TRADE', ticker, BigInt(11 + t)],
    ...[price, 10, 'NYSE', 1],
  ]);

let service: TestService;
beforeAll(async () => {
  service = await openTestService();
  await service.publish(
    'eq_taq',
    DAYS.flatMap((day) => ticksOf(day)),
  );
  service.clock.set('2025-06-20T17:00:00Z');
  await service.publish('eq_taq', ticksOf('2025-06-18', 200));
});
afterAll(() => service.close());

const ENDPOINT = '/v1/delta-sharing';
const TABLE = `${ENDPOINT}/shares/everything/schemas/equity/tables/eq_taq`;

function bearer(key = service.key) {
  return { authorization: `Bearer ${key}` };
}

function get(url: string, headers: Record<string, string> = bearer()) {
  return service.app.inject({ url, headers });
}

function post(payload: object | string, headers: Record<string, string> = {}, table = TABLE) {
  const own = { 'content-type': 'application/json; charset=utf-8', ...bearer(), ...headers };
  return service.app.inject({ method: 'POST', url: `${table}/query`, headers: own, payload });
}

interface FileLine {
  readonly url: string;
  readonly id: string;
  readonly size: number;
  readonly stats: string;
  readonly version?: number;
  readonly timestamp?: number;
}

type Line = Readonly<Record<string, FileLine>>;

function linesOf({ body, statusCode }: { body: string; statusCode: number }) {
  expect(statusCode, body).toBe(200);
  const lines = body.split('\n');
  expect(lines.pop()).toBe('');
  const [protocol, metadata, ...actions] = lines.map((line) => JSON.parse(line));
  expect(protocol).toEqual({ protocol: { minReaderVersion: 1 } });
  return { metadata: metadata.metaData, actions: actions as Line[] };
}

const filesOf = (actions: readonly Line[], kind = 'file') =>
  actions.flatMap(({ [kind]: file }) => file ?? []);

async function rowsOf(files: readonly FileLine[]) {
  const columns = fileColumnsOf(service.dataset('eq_taq').columns, 'microseconds and integers');
  const rows: (readonly CellValue[])[] = [];
  for (const { url, size, stats } of files) {
    const { rawPayload } = await service.app.inject({ url: new URL(url).pathname });
    expect(rawPayload).toHaveLength(size);
    const read = await readParquet(columns, rawPayload);
    expect(JSON.parse(stats).numRecords).toBe(read.rows.length);
    rows.push(...read.rows);
  }
  return rows;
}

async function refusal(response: ReturnType<typeof get>) {
  const { statusCode, body } = await response;
  const { errorCode, message } = JSON.parse(body);
  return { statusCode, errorCode, message };
}

/** An account that reads one ticker, and its key. */
async function narrowAccount(universe = ['BBB']) {
  const { accountId, key } = await service.addAccount(randomUUID());
  const rule = { accountId, datasetId: 'US1032', startDate: '2025-06-17', endDate: null };
  const ruleId = await writing(service.services.store).rules.add({ ...rule, universe });
  const [share] = (await get(`${ENDPOINT}/shares`, bearer(key))).json().items;
  const table = `${ENDPOINT}/shares/${share.name}/schemas/equity/tables/eq_taq`;
  return { accountId, key, ruleId, table };
}

describe('the lists', () => {
  it('have one share, named after the account', async () => {
    const { items, nextPageToken } = (await get(`${ENDPOINT}/shares`)).json();
    expect(items).toMatchObject([{ name: 'everything', displayName: 'everything' }]);
    expect(nextPageToken).toBeUndefined();
    const { share } = (await get(`${ENDPOINT}/shares/EVERYTHING`)).json();
    expect(share).toEqual(items[0]);
  });

  it('have a schema for each data group, and the datasets in them', async () => {
    const { items } = (await get(`${ENDPOINT}/shares/everything/schemas`)).json();
    expect(items).toContainEqual({ name: 'equity_options_reference', share: 'everything' });
    const tables = (await get(`${ENDPOINT}/shares/everything/schemas/equity/tables`)).json().items;
    expect(tables.map(({ name }: { name: string }) => name)).toContain('eq_taq');
    const all = (await get(`${ENDPOINT}/shares/everything/all-tables`)).json().items;
    expect(all).toHaveLength(service.services.catalog.datasets.length);
    expect(all).toEqual(expect.arrayContaining(tables));
  });

  it('come in pages, each item once', async () => {
    const names: string[] = [];
    const url = `${ENDPOINT}/shares/everything/all-tables?maxResults=5`;
    for (let token: string | undefined = ''; token !== undefined; ) {
      const response = await get(token === '' ? url : `${url}&pageToken=${token}`);
      const page: { items: { name: string }[]; nextPageToken?: string } = response.json();
      names.push(...page.items.map(({ name }) => name));
      expect(page.items.length).toBeLessThanOrEqual(5);
      token = page.nextPageToken;
    }
    expect(new Set(names).size).toBe(service.services.catalog.datasets.length);
    expect(names).toHaveLength(service.services.catalog.datasets.length);
    const none = (await get(`${ENDPOINT}/shares?maxResults=0`)).json();
    expect(none).toEqual({ items: [], nextPageToken: expect.stringMatching(/./) });
  });

  it('have only what the account has rules for', async () => {
    const { key, table } = await narrowAccount();
    const share = table.split('/schemas')[0];
    const { items } = (await get(`${share}/all-tables`, bearer(key))).json();
    expect(items.map(({ name }: { name: string }) => name)).toEqual(['eq_taq']);
    const other = await refusal(get(`${ENDPOINT}/shares/everything/schemas`, bearer(key)));
    expect(other).toMatchObject({ statusCode: 404, errorCode: 'RESOURCE_DOES_NOT_EXIST' });
  });
});

describe('a table', () => {
  it('has the version of its dataset, also at a time', async () => {
    const version = async (query: string) =>
      (await get(`${TABLE}/version${query}`)).headers['delta-table-version'];
    expect(await version('')).toBe('2');
    expect(await version('?startingTimestamp=2025-06-20T16:00:00Z')).toBe('1');
    expect(await version('?startingTimestamp=2025-06-20T16:00:01Z')).toBe('2');
    const head = await service.app.inject({ method: 'HEAD', url: TABLE, headers: bearer() });
    expect(head.headers['delta-table-version']).toBe('2');
  });

  it('has its columns as Delta has them, times twice, the same each time', async () => {
    const response = await get(`${TABLE}/metadata`);
    expect(response.headers['content-type']).toBe('application/x-ndjson; charset=utf-8');
    expect(response.headers['delta-sharing-capabilities']).toBe('responseformat=parquet');
    const { metadata, actions } = linesOf(response);
    expect(actions).toEqual([]);
    const { fields } = JSON.parse(metadata.schemaString);
    const types = Object.fromEntries(
      fields.map(({ name, type }: { name: string; type: unknown }) => [name, type]),
    );
    expect(types).toMatchObject({
      ...{ TradeDate: 'date', Ticker: 'string', ASID: 'long', Price: 'double' },
      ...{ EventDateTime: 'timestamp', EventDateTime_ns: 'long' },
    });
    const again = linesOf(await post({})).metadata;
    expect(again.schemaString).toBe(metadata.schemaString);
    expect(again.id).toBe(metadata.id);
  });

  it('has files that together are its rows, with both forms of times, and exact sizes', async () => {
    const response = await post({});
    expect(response.headers['delta-table-version']).toBe('2');
    const { metadata, actions } = linesOf(response);
    const files = filesOf(actions);
    const rows = await rowsOf(files);
    expect(rows.map(([day, , , , ticker]) => [day, ticker])).toEqual(
      DAYS.flatMap((day) => [
        [day, 'AAA'],
        [day, 'BBB'],
      ]),
    );
    const time = nanos('2025-06-16T13:30:00Z');
    expect(rows[0]?.slice(1, 3)).toEqual([time / 1000n, time]);
    expect(metadata).toMatchObject({
      numFiles: files.length,
      size: files.reduce((sum, { size }) => sum + size, 0),
    });
    const known = linesOf(await get(`${TABLE}/metadata`)).metadata;
    expect(known).toMatchObject({ size: metadata.size, numFiles: metadata.numFiles });
  });

  it('is read as of a version or a time, in which unchanged files have the same ids', async () => {
    const now = filesOf(linesOf(await post({})).actions);
    for (const asked of [{ version: 1 }, { timestamp: '2025-06-20T16:30:00Z' }]) {
      const response = await post(asked);
      expect(response.headers['delta-table-version']).toBe('1');
      const files = filesOf(linesOf(response).actions);
      expect(files[0]?.id).toBe(now[0]?.id);
      expect(files.at(-1)?.id).not.toBe(now.at(-1)?.id);
      const published = Date.parse('2025-06-20T16:00:00Z');
      expect(files[0]).toMatchObject({ version: 1, timestamp: published });
      expect((await rowsOf(files)).map((row) => row[6])).not.toContain(200);
    }
  });

  it('leaves out files that hints on dates rule out, and those past the rows wanted', async () => {
    const node = (op: string, value: string) => ({
      op,
      children: [
        { op: 'column', name: 'tradedate', valueType: 'date' },
        { op: 'literal', value, valueType: 'date' },
      ],
    });
    const tree = {
      op: 'and',
      children: [node('greaterThan', DAYS[0] as string), node('lessThan', DAYS[2] as string)],
    };
    const days = async (body: object) => {
      const rows = await rowsOf(filesOf(linesOf(await post(body)).actions));
      return [...new Set(rows.map(([day]) => day))];
    };
    expect(await days({ jsonPredicateHints: JSON.stringify(tree) })).toEqual([DAYS[1]]);
    expect(await days({ predicateHints: [`TradeDate = '${DAYS[2]}'`] })).toEqual([DAYS[2]]);
    expect(await days({ predicateHints: ['Price > 3', 'nonsense'] })).toEqual(DAYS);
    expect(await days({ jsonPredicateHints: '{' })).toEqual(DAYS);
    expect(await days({ limitHint: 1 })).toEqual([DAYS[0]]);
  });

  it('says that an answer is whole where the client asks for that', async () => {
    const capabilities = 'responseformat=delta,parquet;IncludeEndStreamAction=true';
    const response = await post({}, { 'delta-sharing-capabilities': capabilities });
    const agreed = 'responseformat=parquet;includeendstreamaction=true';
    expect(response.headers['delta-sharing-capabilities']).toBe(agreed);
    const last = linesOf(response).actions.at(-1);
    const expiresAtMs = Date.parse('2025-06-21T05:00:00Z');
    expect(last).toEqual({ endStreamAction: { minUrlExpirationTimestamp: expiresAtMs } });
    const headers = { ...bearer(), 'delta-sharing-capabilities': capabilities };
    const { actions } = linesOf(await get(`${TABLE}/metadata`, headers));
    expect(actions).toEqual([{ endStreamAction: {} }]);
  });

  it('is empty before anything is published', async () => {
    const table = `${ENDPOINT}/shares/everything/schemas/equity/tables/eq_trades`;
    const response = await post({}, {}, table);
    expect(response.headers['delta-table-version']).toBe('0');
    expect(linesOf(response)).toMatchObject({ metadata: { size: 0, numFiles: 0 }, actions: [] });
  });
});

describe('the changes of a table', () => {
  const changes = async (query: string) => {
    const response = await get(`${TABLE}/changes?${query}`);
    const { actions } = linesOf(response);
    const from = response.headers['delta-table-version'];
    return { from, added: filesOf(actions, 'add'), removed: filesOf(actions, 'remove') };
  };

  it('are the parts that a version removed and added, still readable', async () => {
    const { from, added, removed } = await changes('startingVersion=2');
    expect(from).toBe('2');
    const publishedAt = Date.parse('2025-06-20T17:00:00Z');
    expect([...added, ...removed]).toMatchObject([
      { version: 2, timestamp: publishedAt },
      { version: 2, timestamp: publishedAt },
    ]);
    expect((await rowsOf(added)).map((row) => row[6])).toEqual([200, 200]);
    expect((await rowsOf(removed)).map((row) => row[6])).toEqual([100, 100]);
  });

  it('begin with all rows of the first version', async () => {
    const { added, removed } = await changes('startingVersion=0&endingVersion=1');
    expect(removed).toEqual([]);
    expect(await rowsOf(added)).toHaveLength(6);
    const all = await changes('startingTimestamp=2025-06-20T00:00:00Z');
    expect(await rowsOf(all.added)).toHaveLength(8);
    expect(all.from).toBe('1');
  });

  it('come to a query that starts at a version, too', async () => {
    const response = await post({ startingVersion: 2, endingVersion: 99 });
    expect(response.headers['delta-table-version']).toBe('2');
    const kinds = linesOf(response).actions.flatMap((action) => Object.keys(action));
    expect(kinds).toEqual(['remove', 'add']);
  });

  it('have only rows within the rules', async () => {
    const { key, table } = await narrowAccount();
    const response = await get(`${table}/changes?startingVersion=1`, bearer(key));
    const { actions } = linesOf(response);
    const rows = await rowsOf([...filesOf(actions, 'add'), ...filesOf(actions, 'remove')]);
    expect(rows.map(([day, , , , ticker]) => `${day} ${ticker}`).sort()).toEqual([
      '2025-06-17 BBB',
      ...['2025-06-18 BBB', '2025-06-18 BBB', '2025-06-18 BBB'],
    ]);
  });
});

describe('a link to a file', () => {
  it('stops at the next request when the rules have changed', async () => {
    const { key, table, ruleId } = await narrowAccount();
    const [file] = filesOf(linesOf(await post({}, bearer(key), table)).actions);
    const fetchFile = () => service.app.inject({ url: new URL(file?.url ?? '').pathname });
    expect((await fetchFile()).statusCode).toBe(200);
    await writing(service.services.store).rules.delete(ruleId);
    expect((await fetchFile()).statusCode).toBe(403);
  });

  it('leads to a file that is not made again for a later version or another account', async () => {
    const own = await openTestService();
    const query = async (key: string, share: string) => {
      const url = `${ENDPOINT}/shares/${share}/schemas/equity/tables/eq_taq/query`;
      const response = await own.app.inject({
        ...{ method: 'POST', url, payload: {} },
        headers: { authorization: `Bearer ${key}` },
      });
      return filesOf(linesOf(response).actions).length;
    };
    await own.publish('eq_taq', ticksOf('2025-06-16'));
    const made = vi.spyOn(own.services.engine, 'parquet');
    expect(await query(own.key, 'everything')).toBe(1);
    await own.publish('eq_taq', ticksOf('2025-06-17'));
    expect(await query(own.key, 'everything')).toBe(2);
    expect(made).toHaveBeenCalledTimes(2);
    const { accountId, key } = await own.addAccount('other');
    const window = { startDate: '2025-01-01', endDate: '2025-06-17', universe: [] };
    await writing(own.services.store).rules.add({ accountId, datasetId: 'US1032', ...window });
    expect(await query(key, 'other')).toBe(2);
    expect(made).toHaveBeenCalledTimes(2);
    await own.close();
  });

  it('leads to the same bytes for every account that may read all of its rows', async () => {
    const { key, table } = await narrowAccount([]);
    const narrow = filesOf(linesOf(await post({}, bearer(key), table)).actions);
    const wide = filesOf(linesOf(await post({})).actions);
    expect(narrow.map(({ id }) => id)).toEqual(wide.slice(1).map(({ id }) => id));
  });
});

describe('a client', () => {
  it.each([
    ['an unknown share', () => get(`${ENDPOINT}/shares/nope`), 404, "There is no share 'nope'"],
    [
      'an unknown schema',
      () => get(`${ENDPOINT}/shares/everything/schemas/nope/tables`),
      404,
      "There is no schema 'nope'",
    ],
    ['an unknown table', () => get(`${TABLE}x/version`), 404, "There is no table 'eq_taqx'"],
    ['a bad page size', () => get(`${ENDPOINT}/shares?maxResults=-1`), 400, "'maxResults'"],
    ['a bad token', () => get(`${ENDPOINT}/shares?pageToken=xx`), 400, "'pageToken'"],
    ['a bad time', () => get(`${TABLE}/version?startingTimestamp=now`), 400, 'such as'],
    [
      'a time to come',
      () => get(`${TABLE}/version?startingTimestamp=2026-01-01T00:00:00Z`),
      400,
      'no version',
    ],
    ['a bad version', () => post({ version: 'x' }), 400, "'version' should be a whole number"],
    ['a version to come', () => post({ version: 9 }), 400, 'Version 9 has never been published'],
    ['two versions', () => post({ version: 1, timestamp: '2025-06-20T16:30:00Z' }), 400, 'either'],
    ['a time before all', () => post({ timestamp: '2020-01-01T00:00:00Z' }), 400, 'no version yet'],
    ['a bad limit', () => post({ limitHint: -1 }), 400, "'limitHint'"],
    ['bad hints', () => post({ predicateHints: 'x' }), 400, "'predicateHints'"],
    ['changes from nowhere', () => get(`${TABLE}/changes`), 400, "'startingVersion'"],
    [
      'changes to come',
      () => get(`${TABLE}/changes?startingVersion=3`),
      400,
      'at version 2 at most',
    ],
    ['a late end', () => get(`${TABLE}/changes?startingVersion=1&endingVersion=3`), 400, 'end at'],
    [
      'a backward span',
      () => get(`${TABLE}/changes?startingVersion=2&endingVersion=1`),
      400,
      'before they end',
    ],
    ['no token', () => get(`${ENDPOINT}/shares`, {}), 401, 'Not authenticated'],
    ['an unknown token', () => get(`${ENDPOINT}/shares`, bearer('nope')), 401, 'Invalid API key'],
  ])('is told of %s in the form of the protocol', async (_, ask, status, text) => {
    const { statusCode, errorCode, message } = await refusal(ask());
    expect(statusCode).toBe(status);
    const codes: Record<number, string> = {
      400: 'INVALID_PARAMETER_VALUE',
      401: 'UNAUTHENTICATED',
      404: 'RESOURCE_DOES_NOT_EXIST',
    };
    expect(errorCode).toBe(codes[status]);
    expect(message).toContain(text);
  });

  it('is told of a malformed body', async () => {
    const malformed = await refusal(post('{"version":'));
    expect(malformed).toMatchObject({ statusCode: 400, errorCode: 'MALFORMED_REQUEST' });
    const list = await refusal(post('[1]'));
    expect(list).toMatchObject({ statusCode: 400, errorCode: 'MALFORMED_REQUEST' });
  });

  it('is told of a key that has expired', async () => {
    const { key } = await service.addAccount(randomUUID());
    service.clock.set('2026-06-20T17:00:00Z');
    const response = await get(`${ENDPOINT}/shares`, bearer(key));
    service.clock.set('2025-06-20T17:00:00Z');
    expect(response.statusCode).toBe(401);
    expect(response.headers['www-authenticate']).toBe('Bearer');
    expect(response.json()).toEqual({
      errorCode: 'UNAUTHENTICATED',
      message: 'The API key access has expired',
    });
  });

  it("is told of the month's limit with a 403, which clients do not try again", async () => {
    const { accountId, key } = await service.addAccount(randomUUID());
    const { limits } = (await service.services.store.accounts.find(accountId)) as never as {
      limits: { month: object };
    };
    const month = { ...limits.month, requests: 1 };
    await writing(service.services.store).accounts.update(accountId, {
      limits: { ...limits, month } as never,
    });
    expect((await get(`${ENDPOINT}/shares`, bearer(key))).statusCode).toBe(200);
    const refused = await refusal(get(`${ENDPOINT}/shares`, bearer(key)));
    expect(refused).toMatchObject({ statusCode: 403, errorCode: 'PERMISSION_DENIED' });
  });

  it('cannot use a bearer token anywhere else', async () => {
    expect((await get('/v1/meta/datasets')).statusCode).toBe(401);
  });
});
