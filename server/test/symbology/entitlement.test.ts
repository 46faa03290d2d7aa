/**
 * Symbology reveals nothing beyond the rows and columns that an account may read: resolving
 * symbols, searches, X-Symbols and followed companies answer as if the security master held no
 * other rows, and nothing in its other columns. Without the periods of tickers they are refused.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CellValue } from '../../src/engine/columns.ts';
import { commonColumns, isPermitted, type Rule } from '../entitlements/permitted-rows.ts';
import { SUBJECTS, type Subject } from '../entitlements/subjects.ts';
import { openTestService, type TestService } from '../harness.ts';
import type { Row } from '../oracle/read-rows.ts';
import { publishRows } from '../past/republished-dataset.ts';
import { repetitions } from '../repetitions.ts';
import { writing } from '../writing.ts';

const MASTERS = repetitions('TICKLAKE_SYMBOLOGY_MASTERS', 3);
const RULE_SETS = 3;
/** The test services' day. */
const TODAY = '2025-06-20';
const MASTER = SUBJECTS.find(({ textId }) => textId === 'eq_sec_master') as Subject;

const TICKERS = ['AAA', 'AAB', 'B.C', 'ZZ', 'É'];
const NUMBERS = [11n, 12n, 13n, 1_010_000_000_000_014n];
const PERIODS = [
  '20080102:20110630',
  '20110701:20180301',
  '20180302:20250101',
  '20250102:20991231',
];

type Cells = Record<string, CellValue>;

/** A security under one to three tickers, one after the other. */
const anySecurity: fc.Arbitrary<Cells> = fc
  .record({
    ASID: fc.option(fc.constantFrom(...NUMBERS), { freq: 5 }),
    Ticker: fc.uniqueArray(fc.constantFrom(...TICKERS), { minLength: 1, maxLength: 3 }),
    from: fc.nat(PERIODS.length - 1),
    Name: fc.constantFrom('Alpha Corp', 'Beta of Alpha', 'Gamma'),
    SEDOL: fc.constantFrom('B7TL820', 'B000001', null),
  })
  .map(({ from, Name, ...cells }) => {
    const periods = PERIODS.slice(from, from + cells.Ticker.length);
    return {
      ...cells,
      Ticker: cells.Ticker.slice(0, periods.length),
      TickerStartToEndDate: periods,
      Name: [Name],
      NameStartToEndDate: ['20080102:20991231'],
    };
  });

const anyMaster = fc
  .array(anySecurity, { minLength: 1, maxLength: 8 })
  .map((rows) => rows.map((row, i): Cells => ({ ...row, SecId: BigInt(i + 1) })));

const KEYS = ['SecId', 'Ticker', 'ASID'];
const OTHERS = ['TickerStartToEndDate', 'Name', 'NameStartToEndDate', 'SEDOL'];

const anyRule: fc.Arbitrary<Rule> = fc.record(
  {
    startDate: fc.constantFrom('1900-01-01', TODAY, '2030-01-01'),
    endDate: fc.constantFrom(null, null, TODAY, '2099-01-01'),
    universe: fc.uniqueArray(fc.constantFrom(...TICKERS, ...NUMBERS.map(String)), { maxLength: 3 }),
    columns: fc.subarray(OTHERS).map((chosen) => [...KEYS, ...chosen]),
  },
  { requiredKeys: ['startDate', 'endDate', 'universe'] },
);
/** One of them holds today, so that the dataset itself is not forbidden. */
const anyRules = anyRule.map((rule): Rule[] => {
  const { startDate, endDate } = rule;
  return [{ ...rule, endDate: endDate !== null && endDate < startDate ? null : endDate }];
});

const DAILY = '/v1/data/us-equity/eq-daily-ohlc';
const DATES = 'TradeDate.ge=2008-01-01&TradeDate.le=2025-06-20&period=20Y';
const symbols = TICKERS.map(encodeURIComponent).join(',');
const ASKED = [
  `/v1/symbology/resolve?symbols=${symbols}`,
  `/v1/symbology/resolve?symbols=${symbols}&start=2011-07-01&end=2018-03-01`,
  `/v1/symbology/resolve?type=ASID&symbols=${NUMBERS.join(',')}`,
  '/v1/symbology/resolve?type=SEDOL&symbols=B7TL820,B000001',
  ...['a', 'B', 'alpha', '1', 'z'].map((q) => `/v1/symbology/search?q=${q}&limit=100`),
  ...TICKERS.flatMap((ticker) => {
    const one = `${DAILY}?${DATES}&Ticker=${encodeURIComponent(ticker)}`;
    return [one, `${one}&symbols=strict`, `${one}&continuous=true`];
  }),
];

/** One whose accounts have rules for the master, and one whose master has what they let through. */
let ruled: TestService;
let filtered: TestService;

/** The rows that are there go. */
async function publish(
  service: TestService,
  textId: string,
  rows: readonly Cells[],
): Promise<void> {
  const dataset = service.dataset(textId);
  const cells = rows.map((row) => dataset.columns.map(({ name }) => row[name] ?? null));
  await publishRows(service, dataset, cells, 'replace-all');
}

beforeAll(async () => {
  [ruled, filtered] = await Promise.all([openTestService(), openTestService()]);
  const bars = ['2009-03-02', '2015-03-02', '2019-03-01', '2025-06-18'].flatMap((TradeDate) =>
    TICKERS.map((Ticker, i): Cells => ({ TradeDate, Ticker, ASID: NUMBERS[i] ?? null })),
  );
  for (const service of [ruled, filtered]) await publish(service, 'eq_daily_ohlc', bars);
});
afterAll(() => Promise.all([ruled.close(), filtered.close()]));

async function keyWith(rules: readonly Rule[]): Promise<string> {
  const { accountId, key } = await ruled.addAccount(crypto.randomUUID());
  const add = async (textId: string, rule: Rule) => {
    const { datasetId } = ruled.dataset(textId);
    await writing(ruled.services.store).rules.add({ accountId, datasetId, ...rule });
  };
  for (const rule of rules) await add('eq_sec_master', rule);
  await add('eq_daily_ohlc', { startDate: '1900-01-01', endDate: null, universe: [] });
  return key;
}

async function toldOf(service: TestService, url: string, key: string) {
  const answer = await service.get(url, { 'x-api-key': key });
  // Versions differ with the number of publications.
  const body = answer.body.replace(/"dataset_version":\s*\d+/g, '');
  return { status: answer.statusCode, body, symbols: answer.headers['x-symbols'] };
}

/** A value is told with its period, and is left out where the period is hidden. */
const isTold = (name: string, visible: readonly string[]) =>
  visible.includes(name) && (name !== 'Name' || visible.includes('NameStartToEndDate'));

/** Without the periods of tickers, rows are all that the account gets. */
async function expectOnlyRows(key: string): Promise<void> {
  for (const url of ASKED) {
    const isOfRows = url.startsWith(DAILY) && !/strict|continuous/.test(url);
    const { status, symbols } = await toldOf(ruled, url, key);
    expect([status, symbols], url).toEqual([isOfRows ? 200 : 403, undefined]);
  }
}

async function expectEqualWorlds(rows: readonly Cells[], rules: readonly Rule[]): Promise<void> {
  const key = await keyWith(rules);
  const columns = commonColumns(
    rules,
    [...KEYS, ...OTHERS].map((name) => ({ name })),
  ).map(({ name }) => name);
  if (!columns.includes('TickerStartToEndDate')) return await expectOnlyRows(key);
  const permitted = rows.filter((row) => isPermitted(MASTER, rules, row as Row, TODAY));
  const visible = permitted.map((row): Cells => {
    const told = columns.filter((name) => isTold(name, columns));
    return Object.fromEntries(told.map((name) => [name, row[name] as CellValue]));
  });
  await publish(filtered, 'eq_sec_master', visible);
  for (const url of ASKED) {
    expect(await toldOf(ruled, url, key), url).toEqual(await toldOf(filtered, url, filtered.key));
  }
}

it('nothing is told that the readable rows do not tell', () =>
  fc.assert(
    fc.asyncProperty(
      anyMaster,
      fc.array(anyRules, { minLength: RULE_SETS, maxLength: RULE_SETS }),
      async (rows, ruleSets) => {
        await publish(ruled, 'eq_sec_master', rows);
        for (const rules of ruleSets) await expectEqualWorlds(rows, rules);
      },
    ),
    { numRuns: MASTERS },
  ));
