import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../command-line/run-command.ts';
import { type AdminService, dumpOf, openAdminService } from './admin-service.ts';

const BODY_BYTES_MAX = 4096;

let service: AdminService;
let before: string;
beforeAll(async () => {
  service = await openAdminService({ bodyBytesMax: BODY_BYTES_MAX });
});
afterAll(() => service.close());

// Bad input of any kind changes nothing.
beforeEach(() => {
  before = dumpOf(service.services.config.home);
});
afterEach(() => {
  expect(dumpOf(service.services.config.home)).toBe(before);
});

const ACCOUNTS = '/identities';
const UPDATE = '/identities/1/update';
const KEYS = '/identities/1/api-keys';
const RULES = '/identities/1/data-access-rules';
const LIMITS = '/identities/1/quotas';
const key = { name: 'k', expires_in: '1d' };
const COUNT = 'should be a whole number from 0 to 9007199254740991';
const TIME =
  'should be a time such as 2030-01-31T17:00:00Z, or a date, which means 00:00 UTC, in the future';

/** The input, the place of the problem and its text, and the same at the command line. */
const CASES: readonly (readonly [
  path: string,
  body: object,
  loc: readonly string[],
  text: string,
  words: readonly string[] | null,
])[] = [
  [ACCOUNTS, {}, ['name'], 'is missing', ['identity create']],
  ...[
    '',
    ' a',
    'a ',
    'a\nb',
    'a\u0000b',
    'a\u0085b',
    'a\u2028b',
    'a\u200bb',
    'a\u202eb',
    '\ufeffa',
    'a\u00adb',
    '\ud800',
    'x'.repeat(201),
  ].map(
    (name) =>
      [
        ACCOUNTS,
        { name },
        ['name'],
        'should be a string of 1 to 200 characters',
        name === '' ? null : ['identity create --name', name],
      ] as const,
  ),
  ...[5, null, true, ['a'], { a: 1 }].map(
    (name) => [ACCOUNTS, { name }, ['name'], 'should be a string of 1 to 200', null] as const,
  ),
  [
    ACCOUNTS,
    { name: 'owner' },
    ['name'],
    'is already the name of account',
    ['identity create --name owner'],
  ],
  [
    UPDATE,
    { name: 'owner' },
    ['name'],
    'is already the name of',
    ['identity update 1 --name owner'],
  ],
  [UPDATE, {}, ['name'], 'is missing; give it or one of ', ['identity update 1']],
  [LIMITS, {}, ['month'], 'is missing; give it or ', ['quota set 1']],
  [LIMITS, { month: {}, minute: {} }, ['month'], "is missing; give it or 'minute'", null],
  [UPDATE, { is_admin: 1 }, ['is_admin'], 'should be true or false', null],
  [UPDATE, { is_admin: 'true' }, ['is_admin'], 'should be true or false', null],
  ...['-1', '1.5', '9007199254740993'].map(
    (count) =>
      [
        UPDATE,
        { max_active_api_keys: Number(count) },
        ['max_active_api_keys'],
        COUNT,
        [`identity update 1 --max-keys=${count}`],
      ] as const,
  ),
  [UPDATE, { max_active_api_keys: '5' }, ['max_active_api_keys'], COUNT, null],
  [
    UPDATE,
    { max_active_api_keys: 1e300 },
    ['max_active_api_keys'],
    COUNT,
    ['identity update 1 --max-keys 1e300'],
  ],
  ...[
    '10.0.0.0/33',
    '10.0.0',
    '300.0.0.1',
    '::1/129',
    'fe80::1%eth0',
    'localhost',
    '0.0.0.0/08',
  ].map(
    (subnet) =>
      [
        UPDATE,
        { ip_subnets: ['192.0.2.0/24', subnet] },
        ['ip_subnets', '1'],
        'should be an IPv4 or IPv6 subnet',
        [`identity update 1 --subnet 192.0.2.0/24 --subnet ${subnet}`],
      ] as const,
  ),
  [
    UPDATE,
    { ip_subnets: ['192.0.2.7/24'] },
    ['ip_subnets', '0'],
    'should be a subnet: 192.0.2.7/24 is not a network address; did you mean 192.0.2.0/24?',
    ['identity update 1 --subnet 192.0.2.7/24'],
  ],
  [UPDATE, { ip_subnets: '10.0.0.0/8' }, ['ip_subnets'], 'should be a list', null],
  [
    UPDATE,
    { ip_subnets: Array(1001).fill('a') },
    ['ip_subnets'],
    'should be a list of at most 1000',
    null,
  ],
  [UPDATE, { ip_subnets: [null] }, ['ip_subnets', '0'], 'should be an IPv4', null],
  [KEYS, { name: 'k' }, ['expires_at'], 'is missing', ['key create --identity 1 --name k']],
  [
    KEYS,
    { ...key, expires_at: '2030-01-01' },
    ['expires_in'],
    'should not be given together with',
    ['key create 1 --name k --expires-in 1d --expires 2030-01-01'],
  ],
  ...[
    '2025-06-20T16:00:00Z',
    '2024-01-01',
    '2030-01-01T00:00:00',
    '2030-02-29',
    '2030-01-01T24:00:00Z',
    '2030-01-01T00:60:00Z',
    '2200-01-01',
    'tomorrow',
  ].map(
    (time) =>
      [
        KEYS,
        { name: 'k', expires_at: time },
        ['expires_at'],
        TIME,
        [`key create 1 --name k --expires ${time}`],
      ] as const,
  ),
  ...['0d', '90', 'd', '1.5d', '90 d', '1y', '36501d', '9999999s'].map(
    (lifetime) =>
      [
        KEYS,
        { name: 'k', expires_in: lifetime },
        ['expires_in'],
        'should be a number and a unit s, m, h or d',
        lifetime.includes(' ') ? null : [`key create 1 --name k --expires-in ${lifetime}`],
      ] as const,
  ),
  [KEYS, { name: 'k', expires_in: 90 }, ['expires_in'], 'should be a number and a unit', null],
  ...['US9999', 'us1032', 'eq-taq', 'EQ_TAQ'].map(
    (dataset) =>
      [
        RULES,
        { dataset_id: dataset },
        ['dataset_id'],
        'should be the id or the text id of a dataset',
        [`rule add --identity 1 --dataset ${dataset}`],
      ] as const,
  ),
  [RULES, {}, ['dataset_id'], 'is missing', ['rule add --identity 1']],
  [
    RULES,
    { dataset_id: 'US1032', start_date: '2024-02-01', end_date: '2024-01-31' },
    ['end_date'],
    'should not be before the start date, 2024-02-01',
    ['rule add --identity 1 --dataset US1032 --start 2024-02-01 --end 2024-01-31'],
  ],
  ...['2023-02-29', '1899-12-31', '2024-1-1', '2024-01-01T00:00:00Z', '20240101'].map(
    (date) =>
      [
        RULES,
        { dataset_id: 'US1032', start_date: date },
        ['start_date'],
        'should be a calendar date, YYYY-MM-DD',
        [`rule add --identity 1 --dataset US1032 --start ${date}`],
      ] as const,
  ),
  [
    RULES,
    { dataset_id: 'eq_taq', start_date: '2020-01-01', end_date: '2030-01-01' },
    ['start_date'],
    'overlaps the window of rule',
    ['rule add --identity 1 --dataset eq_taq --start 2020-01-01 --end 2030-01-01'],
  ],
  [
    RULES,
    { dataset_id: 'eq_taq', end_date: '2030-01-01' },
    ['end_date'],
    'overlaps the window of rule',
    ['rule add --identity 1 --dataset eq_taq --end 2030-01-01'],
  ],
  [
    RULES,
    { dataset_id: 'eq_taq' },
    ['dataset_id'],
    'overlaps the window of rule',
    ['rule add --identity 1 --dataset eq_taq'],
  ],
  ...['A B', 'x'.repeat(65), 'a\tb', 'A\u200b'].map(
    (id) =>
      [
        RULES,
        { dataset_id: 'US1032', universe_identifiers: ['AAPL', id] },
        ['universe_identifiers', '1'],
        'should be an identifier of 1 to 64 characters',
        ['rule add --identity 1 --dataset US1032 --universe', `AAPL,${id}`],
      ] as const,
  ),
  [
    RULES,
    { dataset_id: 'US1032', universe_identifiers: [''] },
    ['universe_identifiers', '0'],
    'should be an identifier',
    ['rule add --identity 1 --dataset US1032 --universe ,'],
  ],
  [
    RULES,
    { dataset_id: 'eq_market_holidays', universe_identifiers: ['AAPL'] },
    ['universe_identifiers'],
    'should be empty',
    ['rule add --identity 1 --dataset eq_market_holidays --universe AAPL'],
  ],
  [
    RULES,
    { dataset_id: 'US1020', columns: ['TradeDate', 'Ticker', 'ClosePrice'] },
    ['columns'],
    'should include ASID, by which rows of US1020 are found and ordered',
    ['rule add --identity 1 --dataset US1020 --columns TradeDate,Ticker,ClosePrice'],
  ],
  [
    RULES,
    { dataset_id: 'US1020', columns: ['TradeDate', 'Ticker', 'ASID', 'Price', 'Bid'] },
    ['columns'],
    'names columns that US1020 does not have: Price, Bid',
    ['rule add --identity 1 --dataset US1020 --columns TradeDate,Ticker,ASID,Price,Bid'],
  ],
  [
    RULES,
    { dataset_id: 'US1020', columns: [] },
    ['columns'],
    'should be a list of 1 to 1000 names of columns, or null',
    null,
  ],
  ...['-5', '0.5', '9007199254740993'].map(
    (limit) =>
      [
        LIMITS,
        { minute: { data_returned: Number(limit) } },
        ['minute', 'data_returned'],
        COUNT,
        [`quota set --identity 1 --minute-returned=${limit}`],
      ] as const,
  ),
  [LIMITS, { month: { requests: '5' } }, ['month', 'requests'], COUNT, null],
  [
    LIMITS,
    { month: { bytes: 5 } },
    ['month', 'bytes'],
    'is unknown; it should be one of requests',
    null,
  ],
  [LIMITS, { month: null }, ['month'], 'should be an object', null],
  [LIMITS, { year: {} }, ['year'], 'is unknown; it should be one of month, minute', null],
  [UPDATE, { identity_id: 2 }, ['identity_id'], 'is unknown', null],
  [UPDATE, JSON.parse('{"__proto__": 1}'), ['__proto__'], 'is unknown', null],
  ['/api-keys/1/deactivate', { now: true }, ['now'], 'is unknown; none is accepted here', null],
];

describe('bad input over HTTP is a 422 that names the field, and changes nothing', () => {
  it.each(CASES)('%s %j', async (path, body, loc, text) => {
    const answer = await service.ask(path, JSON.parse(JSON.stringify(body)));
    expect(answer.statusCode, answer.body).toBe(422);
    const { detail } = answer.json() as { detail: { loc: string[]; msg: string }[] };
    expect(detail).toHaveLength(1);
    expect(detail[0]?.loc).toEqual(['body', ...loc]);
    expect(detail[0]?.msg).toContain(text);
    expect(detail[0]?.msg.startsWith(`'${loc.join('.')}' `)).toBe(true);
  });

  it('tells every problem at once', async () => {
    const body = { name: 7, max_active_api_keys: -1, ip_subnets: ['x', '::/0', 'y'], color: 'red' };
    const { detail } = (await service.ask(ACCOUNTS, body)).json() as {
      detail: { loc: string[] }[];
    };
    expect(detail.map(({ loc }) => loc.join('.')).sort()).toEqual([
      'body.color',
      'body.ip_subnets.0',
      'body.ip_subnets.2',
      'body.max_active_api_keys',
      'body.name',
    ]);
  });

  it('says of limits that they may be null', async () => {
    const { detail } = (await service.ask(LIMITS, { month: { requests: -1 } })).json();
    expect(detail[0].msg).toBe(`'month.requests' ${COUNT}, or null`);
  });

  it('refuses ids that are no ids, and does not find others', async () => {
    for (const id of [
      'abc',
      '0',
      '-1',
      '1.5',
      '1.0',
      '01',
      '+1',
      '1e0',
      '99999999999999999999',
      '1%20',
      '%C3%A9',
    ]) {
      const answer = await service.ask(`/api-keys/${id}/activate`, {});
      expect([answer.statusCode, answer.json().detail[0].loc], id).toEqual([
        422,
        ['path', 'key_id'],
      ]);
    }
    for (const [path, what] of [
      ['/identities/999/activate', 'account'],
      ['/api-keys/999/activate', 'API key'],
      ['/data-access-rules/999/delete', 'access rule'],
    ] as const) {
      const answer = await service.ask(path, {});
      const detail = `The ${what} with the specified id is not found`;
      expect([answer.statusCode, answer.json()]).toEqual([404, { detail }]);
    }
  });

  it('refuses a query where a body is expected', async () => {
    const answer = await service.ask('/api-keys/1/deactivate?now=1', {});
    expect([answer.statusCode, answer.json().detail[0].loc]).toEqual([422, ['query', 'now']]);
  });
});

describe('a body that is no JSON object is a 422', () => {
  const send = (payload: string | Buffer, contentType: string | null = 'application/json') =>
    service.app.inject({
      method: 'POST',
      url: `/v1${ACCOUNTS}`,
      headers: {
        'x-api-key': service.admin.key,
        ...(contentType === null ? {} : { 'content-type': contentType }),
      },
      payload,
    });
  const good = '{"name": "good"';

  it.each([
    [good],
    ['{"name": "good"}}'],
    ["{'name': 'good'}"],
    ['{"name": NaN}'],
    ['\ufeff\ufeff{}'],
    [Buffer.from([...Buffer.from('{"name": "'), 0xff, ...Buffer.from('"}')])],
    [`${'['.repeat(2000)}`],
  ])('%j: not JSON', async (payload) => {
    const answer = await send(payload);
    expect([answer.statusCode, answer.json().detail]).toEqual([
      422,
      [
        {
          type: 'json_invalid',
          loc: ['body'],
          msg: 'The body should be valid JSON in UTF-8',
          input: null,
          ctx: {},
        },
      ],
    ]);
  });

  it.each(['[]', 'null', '"name"', '5', `${'['.repeat(1500)}${']'.repeat(1500)}`])(
    '%s: not an object',
    async (payload) => {
      const answer = await send(payload);
      expect([answer.statusCode, answer.json().detail[0].msg]).toEqual([
        422,
        'The body should be a JSON object',
      ]);
    },
  );

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'application/json-patch+json',
    'multipart/form-data; boundary=x',
    'json',
    ';',
    null,
  ])('content type %s', async (contentType) => {
    const answer = await send('{"name": "good"}', contentType);
    expect([answer.statusCode, answer.json().detail[0].msg]).toEqual([
      422,
      'The body should be JSON, with Content-Type application/json',
    ]);
  });

  it('longer than the limit', async () => {
    const answer = await send(`${good}${' '.repeat(BODY_BYTES_MAX)}}`);
    expect([answer.statusCode, answer.json().detail[0].msg]).toEqual([
      422,
      `The body should be at most ${BODY_BYTES_MAX} bytes long`,
    ]);
  });

  it('longer than the limit, without saying so before', async () => {
    const url = new URL(await service.app.listen({ port: 0, host: '127.0.0.1' }));
    const socket = connect({ host: url.hostname, port: Number(url.port) });
    socket.write(
      `POST /v1${ACCOUNTS} HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${service.admin.key}\r\n` +
        'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    const chunk = `400\r\n${' '.repeat(1024)}\r\n`;
    for (let i = 0; i < 6; i++) socket.write(chunk);
    let text = '';
    for await (const part of socket) text += part;
    expect(text).toMatch(/^HTTP\/1\.1 422 /);
    expect(text).toContain(`at most ${BODY_BYTES_MAX} bytes`);
  });

  it('with a very deep value in it', async () => {
    const answer = await send(`{"name": ${'['.repeat(1500)}${']'.repeat(1500)}}`);
    expect([answer.statusCode, answer.json().detail[0].input]).toEqual([422, 'an array']);
  });
});

describe('bad input at the command line is one line, exit code 2, and changes nothing', () => {
  const run = (...words: string[]) => runCommand(service.services.config.home, ...words);

  it.each(CASES.filter(([, , , , words]) => words !== null))(
    '%s %j',
    async (_path, _body, _loc, text, words) => {
      const [command = '', ...values] = words as string[];
      const all = [...command.split(' '), ...values];
      const { exitCode, stdout, stderr } = await run(...all);
      expect([exitCode, stdout], stderr).toEqual([2, '']);
      expect(stderr).toMatch(/^ticklake: --[a-z-]+ [^\n]*\n$/);
      expect(stderr).toContain(text);
    },
  );

  it.each([
    [['identity', 'update', '1', '2'], 'identity update takes [<id>], but was given 1 2'],
    [
      ['identity', 'update', '1', '--identity', '1'],
      '--identity should not be given together with 1',
    ],
    [['identity', 'update', 'owner'], '--identity should be a whole number from 1'],
    [['identity', 'update', '1', '--admin', '--no-admin'], 'not be given together with --admin'],
    [
      ['identity', 'update', '1', '--subnet', '::/0', '--no-subnets'],
      'not be given together with --subnet',
    ],
    [['identity', 'list', '1'], 'ticklake identity list takes no arguments, but was given 1'],
    [['identity', 'list', '--limit', '0'], '--limit should be a whole number from 1 to 1000'],
    [['key', 'activate'], '--key is missing'],
    [
      ['identity', 'update', '1'],
      '--name is missing; give it or one of --admin, --no-admin, --max-keys, --subnet, --no-subnets, --contract-ends, --plan\n',
    ],
    [
      ['key', 'create', '--identity', '1', '--name', 'k'],
      '--expires is missing; give it or --expires-in\n',
    ],
    [
      'key create 1 --name k --expires-in 1d --expires 2030-01-01'.split(' '),
      '--expires-in should not be given together with --expires\n',
    ],
    [['rule', 'add', '1', '--dataset', 'eq_taq'], '--dataset overlaps the window of rule'],
    [['key', 'activate', '999'], 'The API key with the specified id is not found'],
    [['quota', 'set', '1', '--month-requests', 'none'], '--month-requests should be'],
    [['usage', '1', '--from', '2025-06-02', '--to', '2025-06-01'], '--to should not be before'],
    [
      ['usage', '1', '--from', '2020-01-01', '--to', '2025-06-01'],
      '--to should be at most 365 days after 2020-01-01\n',
    ],
    [
      ['usage', '1', '--from', '2020-01-01'],
      '--from should be at most 365 days before today, 2025-06-20\n',
    ],
    [['usage', '1', '--from', '2025-06-21'], '--from should not be after today, 2025-06-20\n'],
    [
      ['quota', 'set', '1', '--month-requests', '-1'],
      '--month-requests should be a whole number from 0 to 9007199254740991, or unlimited\n',
    ],
    [['quota', 'set', '1', '--month-requests', '--minute-requests=5'], 'requests needs a value'],
    [['rule', 'add', '1', '--dataset', 'eq_taq', '--end', '-1'], ', or open\n'],
    [['identity', 'update', '1', '--max-keys', '10.0'], '--max-keys should be a whole number'],
    [['identity', 'show', '0001'], '--identity should be a whole number from 1'],
    [['identity', 'show', '1.0'], '--identity should be a whole number from 1'],
    [['audit', '--from', 'yesterday'], '--from should be a time'],
    [['identity', 'remove', '1'], 'unknown command identity'],
  ])('%j', async (words, text) => {
    const { exitCode, stderr } = await run(...words);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(text)]);
  });

  it('and a change that what is already there forbids end alike', async () => {
    const { exitCode, stderr } = await run(
      'identity',
      'deactivate',
      String(service.admin.accountId),
    );
    expect([exitCode, stderr]).toEqual([
      2,
      'ticklake: The last active administrator cannot lose the admin flag or be deactivated\n',
    ]);
  });
});
