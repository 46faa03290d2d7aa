/** Columns that a rule hides do not exist for its account, whichever way data goes out. */

import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CellValue } from '../../src/engine/columns.ts';
import { openTestService, type TestService } from '../harness.ts';
import { claimsOn } from '../receipts/answer-receipt.ts';
import { writing } from '../writing.ts';
import type { Rule } from './permitted-rows.ts';

const DAILY = '/v1/data/us-equity/eq-daily-ohlc';
const OSI = 'AAPL240119C00190000';
const KEYS = ['TradeDate', 'Ticker', 'ASID'];
const PRICES = [...KEYS, 'OpenPrice', 'ClosePrice'];
const DAYS = ['2025-06-16', '2025-06-17', '2025-06-18'];

let service: TestService;
let accountCount = 0;

beforeAll(async () => {
  service = await openTestService();
  const { columns } = service.dataset('eq_daily_ohlc');
  const rows = DAYS.flatMap((TradeDate, day) =>
    ['AAA', 'BBB'].map(
      (Ticker, at): Readonly<Record<string, CellValue>> => ({
        ...{ TradeDate, Ticker, ASID: BigInt(11 + at), OpenPrice: 1 + day, ClosePrice: 2 + day },
        ...{ MarketHoursVolume: BigInt(100 * (day + 1)), DailyVWAP: 1.5 },
      }),
    ),
  );
  await service.publish(
    'eq_daily_ohlc',
    rows.map((row) => columns.map(({ name }) => row[name] ?? null)),
  );
});
afterAll(() => service.close());

/** The key of a new account with the rules for the dataset. */
async function keyOf(...rules: readonly Partial<Rule>[]): Promise<string> {
  accountCount += 1;
  const { accountId, key } = await service.addAccount(`account ${accountCount}`);
  const { datasetId } = service.dataset('eq_daily_ohlc');
  for (const rule of rules) {
    const open = { startDate: '1900-01-01', endDate: null, universe: [] };
    await writing(service.services.store).rules.add({ accountId, datasetId, ...open, ...rule });
  }
  return key;
}

/** A GET by a new account with the rules for the dataset. */
async function accountOf(...rules: readonly Partial<Rule>[]) {
  const key = await keyOf(...rules);
  return async (url: string) => {
    const answer = await service.get(url, { 'x-api-key': key });
    return { status: answer.statusCode, hint: answer.headers['x-hint'], body: answer.json() };
  };
}

const ofDay = `TradeDate=${DAYS[2]}&Ticker=AAA`;

describe('an account whose rule names columns', () => {
  it('reads those, and no others', async () => {
    const get = await accountOf({ columns: PRICES });
    const { body } = await get(`${DAILY}?${ofDay}`);
    expect(body.data).toEqual([
      { TradeDate: DAYS[2], Ticker: 'AAA', ASID: 11, OpenPrice: 3, ClosePrice: 4 },
    ]);
  });

  it.each([
    'columns=DailyVWAP',
    'DailyVWAP=1.5',
    'DailyVWAP.gt=1',
    'sort=DailyVWAP',
    'columns=Ticker&sort=-DailyVWAP',
  ])('is refused %s as a column that the dataset does not have', async (asked) => {
    const get = await accountOf({ columns: PRICES });
    const hidden = await get(`${DAILY}?${ofDay}&${asked}`);
    const unknown = await get(`${DAILY}?${ofDay}&${asked.replaceAll('DailyVWAP', 'Nope')}`);
    expect([hidden.status, hidden.hint]).toEqual([422, unknown.hint]);
    const told = JSON.stringify(hidden.body).replaceAll('DailyVWAP', 'Nope');
    expect(JSON.parse(told)).toEqual(unknown.body);
  });

  it('sees a catalogue, a list of columns and a query form without the others', async () => {
    const get = await accountOf({ columns: PRICES });
    const meta = '/v1/meta/datasets/US1020';
    const { body: catalogue } = await get('/v1/meta/catalogue');
    const entry = catalogue.find(
      ({ dataset_id }: { dataset_id: string }) => dataset_id === 'US1020',
    );
    const { body: columns } = await get(`${meta}/columns`);
    const { body: form } = await get(`${meta}/query`);
    const names = (list: { name: string }[]) => list.map(({ name }) => name).sort();
    const [first, ...others] = [entry.column_names.toSorted(), names(columns), names(form.columns)];
    expect(others).toEqual([first, first]);
    expect(first).toEqual(PRICES.toSorted());
  });
});

describe('a receipt for an account whose rule names columns', () => {
  it.each(['', '&sort=-ClosePrice', '&response_format=csv'])(
    'has a request that gets the same bytes with all rights: %s',
    async (asked) => {
      const key = await keyOf({ columns: PRICES });
      const url = `${DAILY}?Ticker=AAA${asked}&receipt=true`;
      const answer = await service.get(url, { 'x-api-key': key });
      const { request, body_sha256: sha256 } = await claimsOn(service, answer);
      expect(request).toContain('&columns=TradeDate,Ticker,');
      const again = await service.get(`/v1${request}`);
      expect(hash('sha256', again.rawPayload, 'hex')).toBe(sha256);
    },
  );

  it.each([
    [`${DAILY}/aggregate?Ticker=AAA&select=count`, undefined],
    ['/v1/meta/datasets/US1020/changes?from=1', PRICES.toSorted().join()],
  ])('names columns of stored rows alone: %s', async (url, columns) => {
    const key = await keyOf({ columns: PRICES });
    const answer = await service.get(`${url}&receipt=true`, { 'x-api-key': key });
    const { request } = await claimsOn(service, answer);
    const named = new URLSearchParams(request?.split('?')[1]).get('columns');
    expect(named?.split(',').sort().join()).toBe(columns);
  });
});

it('an account that is told no exact scan is charged it', async () => {
  const key = await keyOf({ columns: PRICES });
  const get = async (url: string, headers = { 'x-api-key': key }) =>
    (await service.get(url, headers)).json();
  await get(`${DAILY}?${ofDay}`);
  const { quotas_usage: usage } = await get('/v1/account/my/quotas');
  const asked = `/v1/data-scan/us-equity/eq-daily-ohlc?${ofDay}`;
  const { bytes_scanned: bytes } = await get(asked, { 'x-api-key': service.key });
  expect((await get(asked)).is_exact).toBe(false);
  expect(usage.month.data_scanned).toBe(bytes);
});

it.each([
  ['fut_daily', 'OpenInterest', '/v1/data/us-futures/fut-trades/2025-06-18/ES.c.0'],
  ['opt_contr_sec_master', 'ListStatus', `/v1/symbology/resolve?type=OSI&symbols=${OSI}`],
])('what needs a hidden column of %s is forbidden', async (textId, name, url) => {
  const { datasetId, columns } = service.dataset(textId);
  const { accountId, key } = await service.addAccount(`reader of ${textId}`);
  const others = columns.filter((column) => column.name !== name);
  const rule = { accountId, startDate: '1900-01-01', endDate: null, universe: [] };
  const { rules } = writing(service.services.store);
  await rules.add({ ...rule, datasetId, columns: others.map((column) => column.name) });
  await rules.add({ ...rule, datasetId: service.dataset('fut_trades').datasetId });
  const answer = await service.get(url, { 'x-api-key': key });
  expect([answer.statusCode, answer.json().detail]).toEqual([
    403,
    expect.stringMatching(/^The account may not read all that this needs of /),
  ]);
  expect(answer.body).not.toContain(name);
});

describe('an account with rules of different columns', () => {
  const rules = [
    { endDate: '2025-06-17', columns: PRICES },
    { startDate: '2025-06-18', columns: [...KEYS, 'ClosePrice', 'DailyVWAP'] },
  ];

  it('reads all rows with the columns that the rules have in common', async () => {
    const get = await accountOf(...rules);
    const { body } = await get(`${DAILY}?Ticker=AAA`);
    expect(body.data.map(Object.keys)).toEqual(Array(3).fill([...KEYS, 'ClosePrice']));
  });

  it('reads a column from the rows of the rules that have it', async () => {
    const get = await accountOf(...rules);
    const days = async (query: string) => {
      const { body } = await get(`${DAILY}?Ticker=AAA&${query}`);
      return body.data.map(({ TradeDate }: { TradeDate: string }) => TradeDate);
    };
    expect(await days('columns=TradeDate,OpenPrice')).toEqual(DAYS.slice(0, 2));
    expect(await days('columns=TradeDate,DailyVWAP')).toEqual(DAYS.slice(2));
    expect(await days('columns=TradeDate&DailyVWAP.gt=0')).toEqual(DAYS.slice(2));
    const { body: groups } = await get(`${DAILY}/aggregate?Ticker=AAA&select=count,max(OpenPrice)`);
    expect(groups.data).toEqual([{ count: 2, 'max(OpenPrice)': 2 }]);
    expect((await get(`${DAILY}?${ofDay}&columns=OpenPrice`)).status).toBe(422);
    const apart = await get(`${DAILY}?Ticker=AAA&columns=OpenPrice,ClosePrice&sort=DailyVWAP`);
    expect([apart.status, apart.body.detail]).toMatchObject([
      422,
      [
        {
          type: 'columns_apart',
          loc: ['query', 'sort'],
          msg: 'No rule lets the account read these columns together: DailyVWAP, OpenPrice',
        },
      ],
    ]);
    const placeOf = async (query: string) =>
      (await get(`${DAILY}/aggregate?Ticker=AAA&${query}`)).body.detail[0].loc;
    expect(await placeOf('by=OpenPrice&select=max(DailyVWAP)')).toEqual(['query', 'by']);
    expect(await placeOf('select=max(OpenPrice),max(DailyVWAP)')).toEqual(['query', 'select']);
  });

  it('is told which dates and identifiers it may read with the named columns', async () => {
    const [before, after] = [{ ...rules[0], universe: ['AAA', 'BBB'] }, rules[1] ?? {}];
    const get = await accountOf(before, after);
    const dates = /^With these columns, the account may read .* from 1900-01-01 to 2025-06-17$/;
    const { hint } = await get(`${DAILY}?${ofDay}&columns=OpenPrice`);
    expect(hint).toMatch(dates);
    const groups = await get(`${DAILY}/aggregate?${ofDay}&select=max(OpenPrice)`);
    expect(groups.hint).toMatch(dates);
    const other = await get(`${DAILY}?TradeDate=${DAYS[0]}&Ticker=CCC&columns=OpenPrice`);
    expect(other.hint).toBe('With these columns, the account may read AAA, BBB in this dataset');
    const of = await get(`${DAILY}?TradeDate=2030-01-01&Ticker=AAA&columns=Ticker`);
    expect(of.hint).toMatch(/^The account may read /);
  });
});
