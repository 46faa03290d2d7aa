import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { eventually } from '../eventually.ts';
import { openTestService, type TestService } from '../harness.ts';
import { adminKey } from './admin-key.ts';
import { loadUploadsHere, waitForLoads } from './uploads-here.ts';

const EQ_TAQ = 'US1032';
const HEADER = 'Price,TradeDate,Ticker,EventDateTime';
const textOf = (...prices: (number | string)[]) =>
  [HEADER, ...prices.map((price, i) => `${price},2024-03-11,AAPL,2024-03-11T09:30:0${i}`), ''].join(
    '\n',
  );

let service: TestService;
let key: string;

beforeAll(async () => {
  // Lost rows are irrelevant here.
  vi.stubEnv('TICKLAKE_LOSS_PERCENT_MAX', '100');
  service = await openTestService({ uploadBytesMax: 1_000_000 });
  waitForLoads(service);
  key = await adminKey(service);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await service.close();
});

type Headers = Readonly<Record<string, string>>;

function send(
  method: 'POST' | 'PATCH' | 'GET' | 'HEAD' | 'DELETE',
  url: string,
  payload?: string | Buffer,
  headers: Headers = {},
): Promise<LightMyRequestResponse> {
  const body = payload === undefined ? {} : { payload };
  return service.app.inject({ method, url, headers: { 'x-api-key': key, ...headers }, ...body });
}

const versionNow = async () => (await service.services.lake.snapshot(EQ_TAQ))?.version ?? 0;
const pathOf = ({ headers }: LightMyRequestResponse) => `${headers.location}`;
const uploadsOnDisk = () => {
  const folder = join(service.services.config.home, 'uploads');
  return existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
};

test('a file is loaded and published with its report, and its sender is in the audit log', async () => {
  const bytes = gzipSync(textOf(1, 2));
  const answer = await send('POST', '/v1/ingest/eq_taq?name=monday.csv.gz&vendor=Us', bytes, {
    'content-type': 'application/gzip',
  });
  expect(answer.statusCode).toBe(200);
  expect(answer.json()).toMatchObject({
    dataset_id: EQ_TAQ,
    is_complete: true,
    state: 'published',
    error: null,
    report: {
      is_published: true,
      row_count: 2,
      files: ['monday.csv.gz'],
      sources: [
        {
          name: 'monday.csv.gz',
          byte_count: bytes.length,
          sha256: createHash('sha256').update(bytes).digest('hex'),
        },
      ],
    },
  });
  expect(await versionNow()).toBe(1);
  expect(uploadsOnDisk().filter((name) => name.includes('monday'))).toEqual([]);
  const audit = await send('GET', '/v1/audit-log?operation=ingest');
  expect(audit.json().data[0]).toMatchObject({
    actor: expect.stringMatching(/^identity:\d+\/key:\d+$/),
    source: '127.0.0.1',
    target: `dataset:${EQ_TAQ}`,
  });
  // The program has been seen; what it makes of other files needs none of its own.
  loadUploadsHere(service);
  waitForLoads(service);
});

test('a recipe of the dataset reads the file, and no other one', async () => {
  const bars = 'date,symbol,open,high,low,close,volume\n2024-03-11,ZZZ,1,2,1,2,30\n';
  const answer = await send('POST', '/v1/ingest/eq_daily_ohlc?as=ohlcv-daily', bars);
  expect([answer.statusCode, answer.json()]).toMatchObject([
    200,
    { state: 'published', report: { text_id: 'eq_daily_ohlc', row_count: 1 } },
  ]);
  const faults = async (query: string) => {
    const { statusCode, body } = await send('POST', `/v1/ingest/eq_trading_halts?${query}`, bars);
    return [statusCode, JSON.parse(body).detail[0].msg];
  };
  expect(await faults('as=ohlcv-daily')).toEqual([
    422,
    "'as' should be absent: no recipe is one of eq_trading_halts",
  ]);
  const mapped = await send('POST', '/v1/ingest/eq_daily_ohlc?as=ohlcv-daily&map=a=Ticker', bars);
  expect([mapped.statusCode, mapped.body]).toEqual([
    422,
    expect.stringContaining("'as' should not"),
  ]);
});

test('an answer says where to ask for the end of a load that takes longer than it waits', async () => {
  const { uploads } = service.services;
  const wait = vi.spyOn(uploads, 'waitForEnd').mockResolvedValueOnce();
  const answer = await send('POST', '/v1/ingest/eq_taq', textOf(5, 6));
  expect(answer.statusCode).toBe(202);
  wait.mockRestore();
  await eventually(async () => {
    expect((await send('GET', pathOf(answer))).json()).toMatchObject({ state: 'published' });
  });
});

test('columns are mapped and ignored, and rows are added, as the query says', async () => {
  const before = await versionNow();
  const text = 'px,TradeDate,Ticker,EventDateTime,a,b\n3,2024-03-11,AAPL,2024-03-11T09:30:00,x,y\n';
  const query = 'mode=append&map=px=Price&ignore_columns=a&ignore_columns=b';
  const answer = await send('POST', `/v1/ingest/${EQ_TAQ}?${query}`, text);
  expect(answer.json()).toMatchObject({ report: { row_count: 1, replaced_row_count: 0 } });
  expect(await versionNow()).toBe(before + 1);
});

test('a load that loses too much is refused, and a dry run says what would change', async () => {
  const before = await versionNow();
  const text = textOf(7).replaceAll('AAPL', 'MSFT');
  const refused = await send('POST', '/v1/ingest/eq_taq', text);
  expect(refused.statusCode).toBe(422);
  expect(refused.json().detail[0].msg).toContain(
    'would lose 1 identifier, such as AAPL; allow_loss=true publishes it all the same',
  );
  const rehearsed = await send('POST', '/v1/ingest/eq_taq?dry_run=true', text);
  expect([rehearsed.statusCode, rehearsed.json().detail]).toEqual([422, refused.json().detail]);
  const lost = 'partition 2024-03-11 of eq_taq would lose 1 identifier, such as AAPL';
  const found = await send('GET', pathOf(refused));
  expect(found.json().error).toBe(`${lost}; allow_loss=true publishes it all the same`);
  expect((await send('GET', pathOf(rehearsed))).json().report).toMatchObject({
    refusal: lost,
    allowed_by: 'allow_loss',
  });
  const ledger = await send('GET', '/v1/admin/publications?state=refused');
  expect(ledger.json().data[0]).toMatchObject({ message: lost });
  const dryRun = await send('POST', '/v1/ingest/eq_taq?dry_run=true&allow_loss=true', text);
  expect(dryRun.json()).toMatchObject({
    report: { row_count: 1, partitions: [{ lost_identifiers: ['AAPL'] }], refusal: null },
  });
  expect(await versionNow()).toBe(before);
});

test('a load says why, and one into an open publication counts when that is committed', async () => {
  const before = await versionNow();
  const change = async (path: string, body: object) => {
    const answer = await send('POST', `/v1/admin/publications${path}`, JSON.stringify(body), {
      'content-type': 'application/json',
    });
    return answer.json();
  };
  const reasoned = await send('POST', '/v1/ingest/eq_taq?reason=a+price+was+wrong', textOf(6));
  const { publication_id: id } = reasoned.json().report;
  const records = await send('GET', '/v1/admin/publications?limit=1');
  expect(records.json().data[0]).toMatchObject({
    publication_id: id,
    reason: 'a price was wrong',
  });
  const open = await change('', { dataset_ids: ['eq_taq'], reason: 'the night' });
  const into = `into=${open.publication_id}`;
  const staged = await send('POST', `/v1/ingest/eq_taq?${into}`, textOf(7));
  expect(staged.json()).toMatchObject({
    state: 'published',
    report: { is_staged: true, publication_id: open.publication_id },
  });
  expect(await versionNow()).toBe(before + 1);
  await change('/commit', { publication_id: open.publication_id });
  expect(await versionNow()).toBe(before + 2);
  const late = await send('POST', `/v1/ingest/eq_taq?${into}`, textOf(8));
  expect([late.statusCode, late.json().detail[0].loc]).toEqual([422, ['query', 'into']]);
});

test('bad values are named by file, line, column and value, and nothing is published', async () => {
  const before = await versionNow();
  const answer = await send('POST', '/v1/ingest/eq_taq?name=bad.csv', textOf(1, 'x2'));
  expect(answer.statusCode).toBe(422);
  expect(answer.json().detail).toMatchObject([
    { type: 'bad_rows', loc: ['body'], msg: expect.stringContaining('max_bad_rows=1') },
    {
      type: 'bad_value',
      msg: expect.stringMatching(/^bad\.csv:3: Price "x2" is not a decimal number/),
      input: 'x2',
      ctx: { file: 'bad.csv', line: 3, column: 'Price' },
    },
  ]);
  expect((await send('GET', pathOf(answer))).json()).toMatchObject({
    state: 'refused',
    report: { is_published: false, bad_row_count: 1 },
  });
  expect(await versionNow()).toBe(before);
});

test('a file that cannot be read as one is refused with the reason', async () => {
  const answer = await send('POST', '/v1/ingest/eq_taq', 'Prise\n1\n');
  expect(answer.statusCode).toBe(422);
  expect(answer.json().detail[0].msg).toMatch(
    /^upload: line 1: eq_taq has no column "Prise"; its columns are/,
  );
  const empty = await send('POST', '/v1/ingest/eq_taq', '');
  expect([empty.statusCode, empty.json().detail[0]?.msg]).toEqual([422, 'upload is empty']);
  const header = await send('POST', '/v1/ingest/eq_taq', `${HEADER}\n`);
  expect([header.statusCode, header.json().state]).toEqual([200, 'unchanged']);
});

test('a file that comes in parts is loaded once the last one has come', async () => {
  const bytes = Buffer.from(textOf(5, 6, 7));
  const begun = await send('POST', '/v1/ingest/eq_taq', bytes.subarray(0, 10), {
    'upload-complete': '?0',
  });
  expect([
    begun.statusCode,
    begun.headers['upload-offset'],
    begun.headers['upload-complete'],
  ]).toEqual([201, '10', '?0']);
  const path = pathOf(begun);
  const more = await send('PATCH', path, bytes.subarray(10, 60), {
    'upload-offset': '10',
    'upload-complete': '?0',
  });
  expect(more.json()).toMatchObject({ state: 'receiving', offset: 60, is_complete: false });
  const wrong = await send('PATCH', path, bytes.subarray(10), { 'upload-offset': '10' });
  expect([wrong.statusCode, wrong.headers['upload-offset']]).toEqual([409, '60']);
  expect(wrong.json().detail).toBe("The next byte is 60, not 10 (in 'Upload-Offset')");
  const head = await send('HEAD', path);
  expect([head.statusCode, head.body, head.headers['upload-offset']]).toEqual([200, '', '60']);
  const last = await send('PATCH', path, bytes.subarray(60), { 'upload-offset': '60' });
  expect(last.json()).toMatchObject({ state: 'published', report: { row_count: 3 } });
  const again = await send('PATCH', path, 'x', { 'upload-offset': `${bytes.length}` });
  expect([again.statusCode, again.json().detail]).toEqual([
    409,
    'The upload is complete: published',
  ]);
});

test('a broken request keeps its received bytes, and the upload resumes there', async () => {
  await service.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = service.app.server.address() as AddressInfo;
  const begun = await send('POST', '/v1/ingest/eq_taq', undefined, { 'upload-complete': '?0' });
  const bytes = Buffer.from(textOf(8, 9));
  const broken = httpRequest({
    host: '127.0.0.1',
    port,
    method: 'PATCH',
    path: pathOf(begun),
    headers: { 'x-api-key': key, 'upload-offset': '0', 'content-length': bytes.length },
  });
  broken.on('error', () => {});
  broken.write(bytes.subarray(0, 20));
  await eventually(async () => {
    expect((await send('HEAD', pathOf(begun))).headers['upload-offset']).toBe('20');
  });
  const meanwhile = await send('PATCH', pathOf(begun), 'x', { 'upload-offset': '20' });
  expect(meanwhile.json().detail).toBe('Another request is still sending to this upload');
  broken.destroy();
  await eventually(async () => {
    const last = await send('PATCH', pathOf(begun), bytes.subarray(20), { 'upload-offset': '20' });
    expect(last.json()).toMatchObject({ state: 'published', report: { row_count: 2 } });
  });
});

test.each([
  ['mode=merge', "'mode' should be one of replace-dates, replace, replace-identifiers, append"],
  ['max_bad_rows=-1', "'max_bad_rows' should be a whole number from 0 to"],
  ['map=Ticker', "'map' should be OLD=NEW, such as symbol=Ticker"],
  ['map=a=Prise', '"a" cannot be mapped: eq_taq has no column "Prise"; its columns are TradeDate'],
  ['name=../up.csv', "'name' should be letters, digits, dots, hyphens and underscores"],
  ['name=a&name=b', "'name' should be given only once"],
  [
    'url=http://127.0.0.1/',
    "'url' is unknown; it should be one of mode, allow_loss, again, allow_unended, dry_run, max_bad_rows, map",
  ],
  ['into=0', "'into' should be a whole number from 1 to"],
  ['into=1', "'into' should be the id of a publication that is open"],
  ['into=999', "'into' should be the id of a publication that is open"],
  ['reason=', "'reason' should be a string of 1 to 1000 characters"],
  ['reason=a+', "'reason' should be a string of 1 to 1000 characters"],
  ['reason=x&into=1', "'reason' should not be given with 'into': publication 1 has its own"],
])('the query %s is refused before a byte is kept', async (query, message) => {
  const answer = await send('POST', `/v1/ingest/eq_taq?${query}`, textOf(1));
  expect(answer.statusCode).toBe(422);
  expect(answer.json().detail[0].msg).toContain(message);
});

test('a dataset or an upload that there is not is a 404', async () => {
  expect((await send('POST', '/v1/ingest/eq_nothing', 'x')).statusCode).toBe(404);
  expect((await send('HEAD', '/v1/ingest/uploads/x')).statusCode).toBe(404);
});

test('only administrators may load, and a session needs its token', async () => {
  const answer = await send('POST', '/v1/ingest/eq_taq', textOf(1), { 'x-api-key': service.key });
  expect([answer.statusCode, answer.json().detail]).toEqual([
    403,
    'Only an administrator may do this',
  ]);
  const session = await service.sessionOf(await service.addPerson('owner', null));
  const post = (headers: Headers) =>
    service.app.inject({ method: 'POST', url: '/v1/ingest/eq_taq', payload: textOf(1), headers });
  const { cookie } = session;
  expect((await post({ cookie })).statusCode).toBe(403);
  expect((await post(session)).json()).toMatchObject({ state: 'published' });
});

test('more than uploads may take is refused, and gives its space back', async () => {
  const large = `${textOf(1)}${'x'.repeat(1_000_000)}`;
  const answer = await send('POST', '/v1/ingest/eq_taq', large);
  expect(answer.statusCode).toBe(503);
  expect(answer.json().detail).toBe(
    'Uploads may take 1000000 bytes together; complete or delete others',
  );
  expect(
    (await send('POST', '/v1/ingest/eq_taq', `${textOf(1)}${'\n'.repeat(400_000)}`)).statusCode,
  ).toBe(200);
});

test('an administrator has so many open uploads, and abandoned ones expire', async () => {
  const begin = () => send('POST', '/v1/ingest/eq_taq', 'x', { 'upload-complete': '?0' });
  const begun = [];
  for (let count = 0; count < 8; count++) begun.push(await begin());
  expect((await begin()).statusCode).toBe(429);
  const [first, second] = begun as [LightMyRequestResponse, LightMyRequestResponse];
  expect((await send('DELETE', pathOf(first))).statusCode).toBe(200);
  expect((await send('GET', pathOf(first))).statusCode).toBe(404);
  expect((await begin()).statusCode).toBe(201);
  service.clock.set('2025-06-21T16:00:01Z');
  expect((await send('GET', pathOf(second))).statusCode).toBe(404);
  expect(uploadsOnDisk()).toEqual([]);
});
