/**
 * Hints of answers without rows never reveal rows that the account may not read: a second service
 * holding only the permitted rows has to give the same hints.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CellValue } from '../../src/engine/columns.ts';
import { openTestService, type TestService } from '../harness.ts';
import { liftTimeLimits } from '../no-time-limits.ts';
import { sampleOf } from '../repetitions.ts';
import { writing } from '../writing.ts';
import { isPermitted, type Rule } from './permitted-rows.ts';
import { SUBJECTS, type Subject } from './subjects.ts';

liftTimeLimits();

const TODAY = '2025-06-20';
const DAILY = '/v1/data/us-equity/eq-daily-ohlc';
const TICKS = '/v1/data/us-equity/eq-taq';
const FUTURES = '/v1/data/us-futures/fut-taq';
const CONTRACTS = '/v1/data/us-futures/fut-taq-1min';
const BARS = '/v1/data/us-futures/fut-trades-1min';
const VALUES = '/v1/data/us-futures/fut-daily';
const MASTER = '/v1/data/us-equity-ref/eq-sec-master';

type Cells = Readonly<Record<string, CellValue>>;

const onDays = (days: readonly string[], things: readonly Cells[]): Cells[] =>
  days.flatMap((TradeDate) => things.map((thing) => ({ TradeDate, ...thing })));

const AAA = { Ticker: 'AAA', ASID: 11n };
const BBB = { Ticker: 'BBB', ASID: 12n };
const ES = { Ticker: 'ESU5', BaseSymbol: 'ES' };
const NQ = { Ticker: 'NQU5', BaseSymbol: 'NQ' };
const DAYS = ['2025-06-17', '2025-06-18'];

/** The first variant of daily prices is empty. */
const ROWS: Readonly<Record<string, readonly Cells[]>> = {
  eq_taq: onDays(DAYS, [AAA, BBB]),
  eq_daily_ohlc_adj: onDays(['2025-06-17'], [AAA]),
  eq_daily_ohlc_ind_std: onDays(DAYS, [AAA, BBB]),
  fut_taq: onDays(DAYS, [ES, NQ]),
  fut_taq_1min: onDays(DAYS, [ES, NQ]),
  fut_trades_1min: onDays(DAYS, [ES, NQ]),
  fut_daily: onDays(DAYS, [ES, NQ]),
  eq_sec_master: [
    { SecId: 1n, ASID: 11n, Ticker: ['OLD', 'AAA'] },
    { SecId: 2n, ASID: 12n, Ticker: ['BBB'] },
  ],
};
const SUBJECT_OF: Readonly<Record<string, string>> = {
  eq_daily_ohlc_adj: 'eq_daily_ohlc',
  eq_daily_ohlc_ind_std: 'eq_daily_ohlc',
  fut_taq: 'fut_trades',
  fut_trades_1min: 'fut_trades',
  fut_daily: 'fut_trades',
};

const subjectOf = (textId: string): Subject =>
  SUBJECTS.find((subject) => subject.textId === (SUBJECT_OF[textId] ?? textId)) as Subject;

async function publish(service: TestService, textId: string, rows: readonly Cells[]) {
  const { columns } = service.dataset(textId);
  const cells = rows.map((row) => columns.map(({ name }) => row[name] ?? null));
  if (cells.length > 0) await service.publish(textId, cells);
}

async function setRules(
  { services, accountId, dataset }: TestService,
  rules: readonly Rule[],
): Promise<void> {
  for (const textId of ['eq_daily_ohlc', ...Object.keys(ROWS)]) {
    const { datasetId } = dataset(textId);
    for (const { ruleId } of await services.store.rules.listOfDataset(accountId, datasetId)) {
      await writing(services.store).rules.delete(ruleId);
    }
    for (const rule of rules)
      await writing(services.store).rules.add({ accountId, datasetId, ...rule });
  }
}

let service: TestService;
beforeAll(async () => {
  service = await openTestService();
  for (const [textId, rows] of Object.entries(ROWS)) await publish(service, textId, rows);
});
afterAll(() => service.close());

const EVERYTHING: Rule = { startDate: '1900-01-01', endDate: null, universe: [] };

/** The hint of an answer, which may also be refused. */
async function hintOf(url: string, from = service): Promise<string | undefined> {
  const { headers } = await from.get(url);
  return headers['x-hint'] as string | undefined;
}

it.each([
  [`${TICKS}/2025-06-18/aaa`, 'case AAA'],
  [`${CONTRACTS}/NQ`, 'root NQ'],
  [`${DAILY}?Ticker=AAA,BBB`, 'list'],
  [DAILY, 'variant'],
  [`${TICKS}/2025-06-16/AAA`, 'date'],
  [`${TICKS}/2025-06-18/AAA`, undefined],
])('the hint for %s has the code %s', async (url, code) => {
  expect((await service.get(url)).headers['x-hint-code']).toBe(code);
});

it('tells which dates were read if the period left out others', async () => {
  const asked = `${BARS}?Ticker=NONE&TradeDate.le=2025-06-17`;
  expect(await hintOf(`${asked}&TradeDate.ge=2025-06-17`)).toBeUndefined();
  const { headers } = await service.get(`${asked}&period=1D`);
  expect([headers['x-hint'], headers['x-hint-code'], headers['x-window']]).toEqual([
    'Only 2025-06-17 to 2025-06-17 were read; name other dates or a longer period',
    'window',
    '2025-06-17/2025-06-17',
  ]);
});

describe('an error', () => {
  it('names the dates that the account may read, by its hint', async () => {
    const { accountId, key } = await service.addAccount('windows');
    const { datasetId } = service.dataset('eq_taq');
    const windows = [
      ['2025-01-01', '2025-03-31'],
      ['2025-06-17', '2025-06-17'],
    ] as const;
    for (const [startDate, endDate] of windows) {
      const rule = { accountId, datasetId, startDate, endDate, universe: ['AAA', 'BBB'] };
      await writing(service.services.store).rules.add(rule);
    }
    const hintAt = async (path: string) => {
      const { statusCode, headers } = await service.get(path, { 'x-api-key': key });
      return [statusCode, headers['x-hint']];
    };
    expect(await hintAt(`${TICKS}/2025-06-18/AAA`)).toEqual([
      422,
      'The account may read US Equities Trade and Quote from 2025-01-01 to 2025-03-31, ' +
        '2025-06-17 to 2025-06-17',
    ]);
    expect(await hintAt(`${TICKS}/2025-06-17/CCC`)).toEqual([
      403,
      'The account may read AAA, BBB in this dataset',
    ]);
    const other = 'The account may read US1032; ask whoever gave you the key for others';
    expect(await hintAt(DAILY)).toEqual([403, other]);
    expect(await hintAt('/v1/meta/datasets/US1020/status')).toEqual([403, other]);
  });
});

describe('an answer without rows', () => {
  const INDUSTRY = 'adjusted=false&aggregation_logic=industry_std';
  it.each([
    [`${TICKS}/2025-06-18/aaa`, "Identifiers are case-sensitive; there are rows for 'AAA'"],
    [`${DAILY}?${INDUSTRY}&Ticker=bbb`, "Identifiers are case-sensitive; there are rows for 'BBB'"],
    [
      `${DAILY}?${INDUSTRY}&Ticker.in=nope,bbb`,
      "Identifiers are case-sensitive; there are rows for 'BBB'",
    ],
    [`${MASTER}?Ticker=aaa`, "Identifiers are case-sensitive; there are rows for 'AAA'"],
    [
      `${FUTURES}/2025-06-18/ES`,
      "'ES' is a base symbol; ask for one of its contracts, such as 'ESU5'",
    ],
    [`${CONTRACTS}/NQ`, "'NQ' is a base symbol; ask for one of its contracts, such as 'NQU5'"],
    [
      `${BARS}?Ticker=NQ&TradeDate=2025-06-18`,
      "'NQ' is a base symbol; ask for one of its contracts, such as 'NQU5'",
    ],
    [`${VALUES}?Ticker=ES`, "'ES' is a base symbol; ask for one of its contracts, such as 'ESU5'"],
    [`${VALUES}?Ticker=es`, "'ES' is a base symbol; ask for one of its contracts, such as 'ESU5'"],
    [`${VALUES}?Ticker=esu5`, "Identifiers are case-sensitive; there are rows for 'ESU5'"],
    [
      `${TICKS}/2025-06-18/AAA,BBB`,
      'The path takes one identifier, not a list; send one request for each',
    ],
    [`${DAILY}?Ticker=AAA,BBB`, 'An equality takes one value, not a list; use Ticker.in'],
    [DAILY, `This variant has no such rows, but the one with ${INDUSTRY} does`],
    [
      `${DAILY}?Ticker=BBB&columns=Ticker&sort=-ClosePrice`,
      `This variant has no such rows, but the one with ${INDUSTRY} does`,
    ],
    [
      `${DAILY}?adjusted=true&TradeDate=2025-06-18`,
      `This variant has no such rows, but the one with ${INDUSTRY} does`,
    ],
    [
      `${TICKS}/2025-06-16/AAA`,
      'US Equities Trade and Quote has no rows on 2025-06-16; its dates are 2025-06-17 to 2025-06-18',
    ],
    [
      `${DAILY}?${INDUSTRY}&TradeDate.ge=2025-06-02&TradeDate.lt=2025-06-07`,
      'US Equities Industry Standard Daily OHLC has no rows from 2025-06-02 to 2025-06-06; its dates are 2025-06-17 to 2025-06-18',
    ],
  ])('to %s says %j', async (url, hint) => {
    const separator = url.includes('?') ? '&' : '?';
    const hints = ['json', 'csv', 'csv_gzip', 'arrow', 'parquet'].map((format) =>
      hintOf(`${url}${separator}response_format=${format}`),
    );
    // The second answer comes from the page cache.
    expect([...(await Promise.all(hints)), await hintOf(url)]).toEqual(Array(6).fill(hint));
  });

  it('and a manifest without files say the same', async () => {
    const bulk = TICKS.replace('/data/', '/bulk/');
    const hintIn = async (query: string) => (await service.get(`${bulk}?${query}`)).json().hint;
    expect(await hintIn('TradeDate=2025-06-18&Ticker=aaa')).toBe(
      "Identifiers are case-sensitive; there are rows for 'AAA'",
    );
    expect(await hintIn('TradeDate=2025-06-18&Ticker=AAA')).toBeNull();
    expect(await hintIn('TradeDate=2025-06-18&Ticker=nope')).toBeNull();
  });

  it.each([
    `${TICKS}/2025-06-18/AAA`,
    `${TICKS}/2025-06-18/nope`,
    `${TICKS}/2025-06-18/99`,
    `${TICKS}/2025-06-18/AAA?offset=5`,
    `${TICKS}/2025-06-18/aaa?offset=5`,
    `${TICKS}/2025-06-18/%C3%A9`,
    `${FUTURES}/2025-06-18/E`,
    `${VALUES}?Ticker=E`,
    `${VALUES}?BaseSymbol=ESU5`,
    `${MASTER}?Ticker=nope`,
    `${DAILY}?adjusted=true&offset=7`,
  ])('to %s says nothing', async (url) => {
    expect(await hintOf(url)).toBeUndefined();
  });

  it('scans no more for its hint, and keeps its rows and tag', async () => {
    const url = `${TICKS}/2025-06-18/aaa`;
    const usedBytes = async () =>
      (await service.services.usage.counters.read(service.accountId)).month.scannedBytes;
    const scan = await service.get(url.replace('/data/', '/data-scan/'));
    const before = await usedBytes();
    const answer = await service.get(url);
    expect((await usedBytes()) - before).toBe(scan.json().bytes_scanned);
    expect(answer.json().data).toEqual([]);
    const held = await service.get(url, { 'if-none-match': String(answer.headers.etag) });
    expect(held.statusCode).toBe(304);
  });
});

const RULES: readonly Rule[][] = [
  [{ ...EVERYTHING, universe: ['AAA', 'ES'] }],
  [{ ...EVERYTHING, universe: ['12', 'NQU5'] }],
  [{ ...EVERYTHING, universe: ['11', 'BBB'], endDate: '2025-06-17' }],
  [{ ...EVERYTHING, startDate: '2025-06-18' }],
  [
    { startDate: '2025-06-17', endDate: '2025-06-17', universe: ['AAA', 'bbb'] },
    { startDate: '2025-06-18', endDate: null, universe: ['BBB', 'NQ'] },
  ],
];

const NAMES = ['aaa', 'bbb', 'BBB', 'ES', 'NQ', 'nq', 'AAA,BBB', 'old'];
const VARIANTS = ['', '&adjusted=true', '&aggregation_logic=industry_std'];
const URLS = [
  ...NAMES.flatMap((name) => [
    ...DAYS.map((day) => `${TICKS}/${day}/${name}`),
    `${FUTURES}/2025-06-18/${name}`,
    `${CONTRACTS}/${name}`,
    `${VALUES}?Ticker=${name}`,
    `${MASTER}?Ticker=${name}`,
    ...VARIANTS.map((variant) => `${DAILY}?Ticker.in=nope,${name}${variant}`),
    `${DAILY}?Ticker=${name}&TradeDate=2025-06-18`,
  ]),
  ...VARIANTS.map((variant) => `${DAILY}?ASID=12${variant}`),
];

describe('a hint', () => {
  it.each(RULES.map((rules, index) => [index, rules] as const))(
    'is the same as if the rows did not exist that the rules hide: %i',
    async (index, rules) => {
      const permitted = await openTestService();
      for (const [textId, rows] of Object.entries(ROWS)) {
        const subject = subjectOf(textId);
        const visible = rows.filter((row) => isPermitted(subject, rules, row as never, TODAY));
        await publish(permitted, textId, visible);
      }
      let hintCount = 0;
      for (const each of [service, permitted]) await setRules(each, rules);
      // Others under other rules.
      const sample = { name: 'TICKLAKE_HINTS_EVERY', every: 6, offset: index };
      for (const url of sampleOf(URLS, sample)) {
        const [hint, expected] = await Promise.all([hintOf(url), hintOf(url, permitted)]);
        expect([url, hint]).toEqual([url, expected]);
        if (hint !== undefined) hintCount++;
      }
      await permitted.close();
      await setRules(service, [EVERYTHING]);
      expect(hintCount).toBeGreaterThan(1);
    },
  );
});
