/** Coverage: what is there of each day, counted within the rules of whoever asks. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { batchOfRows, type CellValue } from '../../src/engine/columns.ts';
import { COUNTED_ROWS_MAX } from '../../src/query/row-counts.ts';
import { openTestService, type TestService } from '../harness.ts';
import { publishBatches } from '../publish-batches.ts';
import { writing } from '../writing.ts';

/** A dataset that is kept by day, and one that is kept by year. */
const TEXT_IDS = ['eq_taq', 'eq_daily_ohlc'] as const;

interface Day {
  readonly date: string;
  readonly state: string | null;
  readonly rows: number | null;
  readonly identifiers: number | null;
  readonly version: number | null;
}

let service: TestService;

function rowOf(textId: string, date: string, ticker: string): CellValue[] {
  return service.dataset(textId).columns.map(({ name, dataType }): CellValue => {
    if (name === 'TradeDate') return date;
    if (name === 'Ticker') return ticker;
    return dataType === 'date-time' ? BigInt(Date.parse(`${date}T15:00:00Z`)) * 1_000_000n : null;
  });
}

/** Days of the week of 2025-06-16, of which the 19th was a holiday, and tickers of each. */
const FIRST = { '2025-06-11': 'A', '2025-06-13': 'AAB', '2025-06-16': 'AB', '2025-06-18': 'B' };

const rowsOf = (textId: string, days: Readonly<Record<string, string>>) =>
  Object.entries(days).flatMap(([date, tickers]) =>
    [...tickers].map((ticker) => rowOf(textId, date, ticker)),
  );

/** The clock stands at noon of 2025-06-20 in New York. */
async function openPublished(): Promise<void> {
  service = await openTestService();
  for (const textId of TEXT_IDS) {
    const dataset = service.dataset(textId);
    const { lake } = service.services;
    await service.publish(textId, rowsOf(textId, FIRST));
    const more = rowsOf(textId, { '2025-06-18': 'BBC' });
    const batches = async function* () {
      yield batchOfRows(dataset.columns, more);
    };
    await publishBatches(lake, { dataset, mode: 'append', vendor: 'Test', batches: batches() });
    const dates = { start: '2025-06-13', end: '2025-06-13' };
    await lake.publisher.withdraw(dataset, { dates, identifiers: null, partitions: null });
  }
}

const pathOf = (textId: string, query = '') =>
  `/v1/meta/datasets/${service.dataset(textId).datasetId}/coverage${query}`;

async function coverageOf(textId: string, query = '', key = service.key) {
  const answer = await service.get(pathOf(textId, query), { 'x-api-key': key });
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json();
}

const lineOf = ({ date, state, rows, identifiers, version }: Day) =>
  `${date.slice(5)} ${state} ${rows}/${identifiers} v${version}`;
const linesOf = async (...asked: Parameters<typeof coverageOf>) =>
  (await coverageOf(...asked)).days.map(lineOf);

async function keyWithRule(textId: string, rule: object): Promise<string> {
  const { accountId, key } = await service.addAccount(`${textId} ${JSON.stringify(rule)}`);
  const { datasetId } = service.dataset(textId);
  const open = { accountId, datasetId, startDate: '1900-01-01', endDate: null, universe: [] };
  await writing(service.services.store).rules.add({ ...open, ...rule });
  return key;
}

beforeAll(openPublished);
afterAll(() => service.close());

describe('coverage', () => {
  it('tells of each day what is there and why not, and what changed it last', async () => {
    expect(await coverageOf('eq_taq')).toMatchObject({
      dataset_id: 'US1032',
      version: 3,
      first_trade_date: '2025-06-11',
      last_trade_date: '2025-06-18',
    });
    expect(await linesOf('eq_taq')).toEqual([
      '06-11 complete 1/1 v1',
      '06-12 missing 0/0 vnull',
      '06-13 withdrawn 0/0 v3',
      '06-14 no_trading_day 0/0 vnull',
      '06-15 no_trading_day 0/0 vnull',
      '06-16 complete 2/2 v1',
      '06-17 missing 0/0 vnull',
      '06-18 complete 4/2 v2',
      '06-19 no_trading_day 0/0 vnull',
      '06-20 expected 0/0 vnull',
    ]);
  });

  it('counts days inside of longer partitions, whose version is that of the partition', async () => {
    const days = '?start=2025-06-12&end=2025-06-18';
    expect((await linesOf('eq_daily_ohlc', days)).map((line: string) => line.slice(6))).toEqual([
      'missing 0/0 v3',
      'withdrawn 0/0 v3',
      'no_trading_day 0/0 v3',
      'no_trading_day 0/0 v3',
      'complete 2/2 v3',
      'missing 0/0 v3',
      'complete 4/2 v3',
    ]);
  });

  it('counts what the account may read and no more', async () => {
    for (const textId of TEXT_IDS) {
      const key = await keyWithRule(textId, { universe: ['A'] });
      const { days } = await coverageOf(textId, '?start=2025-06-16&end=2025-06-18', key);
      expect(days.map(({ rows, identifiers }: Day) => [rows, identifiers])).toEqual([
        [1, 1],
        [0, 0],
        [0, 0],
      ]);
      const ofDay = textId === 'eq_taq';
      const states = days.map(({ state }: Day) => state);
      expect(states).toEqual(['complete', ofDay ? 'missing' : null, ofDay ? 'complete' : null]);
      const windowed = await keyWithRule(textId, {
        startDate: '2025-06-16',
        endDate: '2025-06-17',
      });
      expect((await coverageOf(textId, '', windowed)).days.map(({ date }: Day) => date)).toEqual([
        '2025-06-16',
        '2025-06-17',
      ]);
    }
    const one = await keyWithRule('eq_taq', { endDate: '2025-06-13', universe: ['A'] });
    expect((await coverageOf('eq_taq', '?start=2025-06-18', one)).days).toEqual([]);
  });

  it('counts as many rows as the same account gets', async () => {
    const rule = { startDate: '2025-06-12', universe: ['A', 'B'] };
    const key = await keyWithRule('eq_daily_ohlc', rule);
    const { days } = await coverageOf('eq_daily_ohlc', '', key);
    expect(days.map(({ rows }: Day) => rows)).toContain(3);
    for (const { date, rows, identifiers } of days) {
      const path = `/v1/data/us-equity/eq-daily-ohlc?TradeDate=${date}`;
      const { data } = (await service.get(path, { 'x-api-key': key })).json();
      const tickers = new Set(data.map(({ Ticker }: { Ticker: string }) => Ticker));
      expect([rows, identifiers], date).toEqual([data.length, tickers.size]);
    }
  });

  it('does not count parts that are too large, whose one day the index knows', async () => {
    const { lake } = service.services;
    const { snapshot } = lake;
    const restricted = await keyWithRule('eq_taq', { universe: ['B', 'C'] });
    lake.snapshot = async (datasetId) => {
      const small = await snapshot.call(lake, datasetId);
      const parts = small?.parts.map((part) => ({ ...part, rowCount: COUNTED_ROWS_MAX + 1 }));
      return small && { ...small, parts: parts ?? [] };
    };
    const days = '?start=2025-06-18&end=2025-06-19';
    const [own, others, inYear] = await Promise.all([
      linesOf('eq_taq', days),
      linesOf('eq_taq', days, restricted),
      linesOf('eq_daily_ohlc', days),
    ]);
    lake.snapshot = snapshot;
    expect(own[0]).toBe(`06-18 complete ${COUNTED_ROWS_MAX + 1}/null v2`);
    expect(others[0]).toBe('06-18 complete null/null v2');
    expect(inYear[0]).toBe('06-18 null null/null v3');
  });

  it('is late past the due time, and has no days to come', async () => {
    service.clock.set('2025-06-24T16:00:00Z');
    const lines = await linesOf('eq_taq', '?start=2025-06-19&end=2026-06-18');
    service.clock.set('2025-06-20T16:00:00Z');
    expect(lines).toEqual([
      '06-19 no_trading_day 0/0 vnull',
      '06-20 late 0/0 vnull',
      '06-21 no_trading_day 0/0 vnull',
      '06-22 no_trading_day 0/0 vnull',
      '06-23 late 0/0 vnull',
      '06-24 expected 0/0 vnull',
    ]);
  });

  it('is counted anew only where a part changed, and has a tag', async () => {
    const path = pathOf('eq_taq');
    const before = await service.get(path);
    const { engine } = service.services;
    const { countByDay } = engine;
    const counted: string[] = [];
    engine.countByDay = (plan, signal) => {
      counted.push(...plan.parts.map(({ key }) => key));
      return countByDay.call(engine, plan, signal);
    };
    const tag = { 'if-none-match': String(before.headers.etag) };
    expect((await service.get(path, tag)).statusCode).toBe(304);
    expect(counted).toEqual([]);
    await service.publish('eq_taq', rowsOf('eq_taq', { '2025-06-17': 'ABC' }));
    const after = await service.get(path, tag);
    engine.countByDay = countByDay;
    expect(counted).toEqual(['2025-06-17']);
    expect(after.json().days.map(lineOf)).toContain('06-17 complete 3/3 v4');
  });

  it('counts the stored bytes of the parts that it is of as scanned, each time as many', async () => {
    const key = await keyWithRule('eq_taq', {});
    const { datasetId } = service.dataset('eq_taq');
    const { parts } = (await service.services.lake.snapshot(datasetId)) ?? { parts: [] };
    const asked = parts.filter((part) => part.key >= '2025-06-16' && part.key <= '2025-06-17');
    const byteCount = asked.reduce((sum, part) => sum + part.byteCount, 0);
    expect(byteCount).toBeGreaterThan(0);
    const url = pathOf('eq_taq', '?start=2025-06-16&end=2025-06-17');
    const tag: string[] = [];
    for (const [times, status] of [200, 200, 304].entries()) {
      const headers = {
        'x-api-key': key,
        ...(status === 304 ? { 'if-none-match': `${tag[0]}` } : {}),
      };
      const answer = await service.get(url, headers);
      expect(answer.statusCode).toBe(status);
      tag.push(String(answer.headers.etag));
      const quotas = await service.get('/v1/account/my/quotas', { 'x-api-key': key });
      expect(quotas.json().quotas_usage.month.data_scanned).toBe((times + 1) * byteCount);
    }
  });

  it('for an unpublished dataset has no rows', async () => {
    const lines = await linesOf('eq_trades', '?start=2025-06-18&end=2025-06-20');
    expect(lines).toEqual([
      '06-18 late 0/0 vnull',
      '06-19 no_trading_day 0/0 vnull',
      '06-20 expected 0/0 vnull',
    ]);
  });

  it.each([
    ['?start=2025-06-31', 'start'],
    ['?end=today', 'end'],
    ['?start=2025-06-18&start=2025-06-18', 'start'],
    ['?start=2025-06-18&end=2025-06-17', 'end'],
    ['?start=2099-01-01', 'start'],
    ['?start=2024-06-18&end=2025-06-19', 'end'],
    ['?from=2025-06-18', 'from'],
  ])('refuses %s', async (query, name) => {
    const answer = await service.get(pathOf('eq_taq', query));
    expect(answer.statusCode).toBe(422);
    expect(answer.json().detail).toMatchObject([{ loc: ['query', name] }]);
  });

  it('spans a year at most', async () => {
    const { days } = await coverageOf('eq_trades', '?start=2024-06-18&end=2025-06-18');
    expect(days).toHaveLength(366);
  });

  it('is refused for datasets without days, to who may not read it, and unknown ids', async () => {
    const { key } = await service.addAccount('without rules');
    const statusOf = async (url: string, caller = service.key) =>
      (await service.get(url, { 'x-api-key': caller })).statusCode;
    expect(await statusOf(pathOf('eq_sec_master'))).toBe(422);
    expect(await statusOf(pathOf('eq_taq'), key)).toBe(403);
    expect(await statusOf('/v1/meta/datasets/US0000/coverage')).toBe(404);
  });
});
