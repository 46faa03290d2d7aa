/** Groups of rows, held against a plain program over the rows that a request for rows answers. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestService } from '../harness.ts';
import { liftTimeLimits } from '../no-time-limits.ts';
import { arrowPage } from '../read-arrow.ts';
import { writing } from '../writing.ts';
import { DAILY_PATH, openContractService, TICK_PATH } from './fixture.ts';

liftTimeLimits();

let service: TestService;
beforeAll(async () => {
  service = await openContractService();
});
afterAll(() => service.close());

type Row = Readonly<Record<string, string | number | null>>;

async function rowsAt(url: string, headers = {}): Promise<Row[]> {
  const answer = await service.get(url, headers);
  expect([url, answer.statusCode, answer.body]).toEqual([url, 200, expect.anything()]);
  return answer.json().data;
}

const DAILY = `${DAILY_PATH}/aggregate`;
const TICKS = `${TICK_PATH}/aggregate`;

async function problemsAt(url: string) {
  const answer = await service.get(url);
  expect([url, answer.statusCode]).toEqual([url, 422]);
  return answer.json().detail as { loc: string[]; msg: string }[];
}

describe('groups of rows', () => {
  it('have what a plain program computes of the rows, in the order of their keys', async () => {
    const rows = await rowsAt(DAILY_PATH);
    const select = 'count,sum(DailyVolume),min(LowPrice),max(HighPrice),avg(OpenPrice)';
    const more = 'first(OpenPrice),last(ClosePrice),vwap(ClosePrice,DailyVolume)';
    const found = await rowsAt(`${DAILY}?by=Ticker&select=${select},${more}`);
    const due = [...Map.groupBy(rows, ({ Ticker }) => Ticker)].sort().map(([Ticker, own]) => {
      const numbers = (name: string) => own.map((row) => Number(row[name]));
      const sum = (values: readonly number[]) => values.reduce((total, each) => total + each, 0);
      const volumes = numbers('DailyVolume');
      const weighted = numbers('ClosePrice').map((price, r) => price * (volumes[r] as number));
      return {
        Ticker,
        count: own.length,
        'sum(DailyVolume)': sum(volumes),
        'min(LowPrice)': Math.min(...numbers('LowPrice')),
        'max(HighPrice)': Math.max(...numbers('HighPrice')),
        'avg(OpenPrice)': sum(numbers('OpenPrice')) / own.length,
        'first(OpenPrice)': own[0]?.OpenPrice,
        'last(ClosePrice)': own.at(-1)?.ClosePrice,
        'vwap(ClosePrice,DailyVolume)': expect.closeTo(sum(weighted) / sum(volumes), 9),
      };
    });
    expect(due.length).toBe(2);
    expect(found).toEqual(due);
  });

  it('are of intervals, by the time of ticks and by the date of longer ones', async () => {
    const minutes = await rowsAt(`${TICKS}?interval=1m&select=count,sum(Quantity)`);
    expect(minutes).toEqual([
      { EventDateTime: '2025-06-18T09:30:00.000000000-04:00', count: 3, 'sum(Quantity)': 407 },
    ]);
    const weeks = await rowsAt(`${DAILY}?interval=1w&by=Ticker&select=count`);
    expect(weeks).toEqual([
      { Ticker: 'AAA', TradeDate: '2025-06-16', count: 2 },
      { Ticker: 'BBB', TradeDate: '2025-06-16', count: 2 },
    ]);
  });

  it('come page by page, the next one in the version of the first', async () => {
    const first = await service.get(`${DAILY}?by=TradeDate,Ticker&select=count&limit=3`);
    expect(first.json().pagination).toEqual({ offset: 0, limit: 3, next_offset: 3 });
    const link = /<(.*)>/.exec(String(first.headers.link))?.[1] ?? '';
    expect(link).toContain('dataset_version=1');
    const last = await service.get(link.replace(/^https?:\/\/[^/]*/, ''));
    expect([...first.json().data, ...last.json().data]).toHaveLength(4);
    expect(last.headers.link).toBeUndefined();
  });

  it('take latest in a path and keep its date in the link', async () => {
    const latest = TICKS.replace('2025-06-18', 'latest');
    const answer = await service.get(`${latest}?by=EventType&select=count&limit=1`);
    expect(answer.headers.link).toContain('/2025-06-18/AAA/aggregate?');
  });

  it('come in every format, with types of their own', async () => {
    const query = 'by=Ticker&select=count,sum(DailyVolume),avg(OpenPrice)';
    const csv = await service.get(`${DAILY}?${query}&response_format=csv`);
    expect(csv.body.split('\n')[0]).toBe('"Ticker","count","sum(DailyVolume)","avg(OpenPrice)"');
    const arrow = await service.get(`${DAILY}?${query}&response_format=arrow`);
    const { names, types } = arrowPage(arrow.rawPayload);
    expect(names).toEqual(['Ticker', 'count', 'sum(DailyVolume)', 'avg(OpenPrice)']);
    expect(types.slice(1)).toEqual(['Int64', 'Decimal<38, 0>', 'Float64']);
    const parquet = await service.get(`${DAILY}?${query}&response_format=parquet`);
    expect(parquet.rawPayload.subarray(0, 4).toString()).toBe('PAR1');
    expect(parquet.headers['content-disposition']).toContain('aggregate');
  });

  it('are known by a weak tag, and said in one text by their receipt', async () => {
    const answer = await service.get(`${DAILY}?select=count&by=Ticker&receipt=true`);
    expect(answer.headers.etag).toMatch(/^W\//);
    expect(answer.headers['x-dataset-version']).toBe('1');
    const [, payload = ''] = String(answer.headers['x-receipt']).split('.');
    const claims = Buffer.from(payload, 'base64url').toString();
    expect(claims).toContain('eq-daily-ohlc/aggregate?');
    expect(claims).toContain('by=Ticker&select=count');
  });

  it.each([
    ['0.0000005', '0.0000005'],
    ['0.50', '0.5'],
    ['1.0', '1'],
    ['0', '0'],
  ])('name a quantile of %s so that the name is legal', async (share, text) => {
    const name = `quantile(OpenPrice,${text})`;
    const [found] = await rowsAt(`${DAILY}?select=quantile(OpenPrice,${share})`);
    expect(Object.keys(found ?? {})).toEqual([name]);
    expect(await rowsAt(`${DAILY}?select=${name}`)).toEqual([found]);
  });

  it('count as the rows that they are made of', async () => {
    const used = async () => (await service.services.usage.counters.read(service.accountId)).month;
    const before = await used();
    await service.get(`${DAILY}?select=max(OpenPrice)&TradeDate=2025-06-17`);
    const between = await used();
    await service.get(`${DAILY_PATH}?TradeDate=2025-06-17&columns=OpenPrice&sort=OpenPrice`);
    const after = await used();
    expect(between.scannedBytes - before.scannedBytes).toBeGreaterThan(0);
    expect(between.scannedBytes - before.scannedBytes).toBe(
      after.scannedBytes - between.scannedBytes,
    );
  });

  it('are none where there are no rows, with a hint at what may have been meant', async () => {
    const answer = await service.get(`${DAILY}?select=count&Ticker=aaa`);
    expect(answer.json().data).toEqual([]);
    expect(answer.headers['x-hint-code']).toBe('case AAA');
    const listed = await service.get(`${DAILY}?select=count&Ticker.in=AAA,NONE`);
    expect(listed.headers['x-missing']).toBe('1 of 2: NONE');
  });

  it('hold only rows that the rules allow', async () => {
    const { accountId, key } = await service.addAccount('groups');
    const { datasetId } = service.dataset('eq_daily_ohlc');
    const rule = {
      accountId,
      datasetId,
      startDate: '2025-06-18',
      endDate: null,
      universe: ['BBB'],
    };
    await writing(service.services.store).rules.add(rule);
    const found = await rowsAt(`${DAILY}?select=count,sum(DailyVolume),max(OpenPrice)`, {
      'x-api-key': key,
    });
    expect(found).toEqual([{ count: 1, 'sum(DailyVolume)': 2001, 'max(OpenPrice)': 21 }]);
    const refused = await service.get(`${DAILY}?select=count&Ticker=AAA`, { 'x-api-key': key });
    expect(refused.statusCode).toBe(403);
  });

  it.each([
    ['', 'select', "'count'"],
    ['select=mode(Ticker)', 'select', "'vwap(column,column)'"],
    ['select=quantile(OpenPrice,2)', 'select', 'from 0 to 1'],
    ['select=sum(Ticker)', 'select', "'integer', 'number' or 'decimal'"],
    ['select=sum(Nothing)', 'select', 'Nothing'],
    ['select=count,count', 'select', 'only once'],
    ['select=count&by=Nothing', 'by', 'Nothing'],
    ['select=count&by=Ticker,', 'by', 'name a column'],
    ['select=count&by=TradeDate&interval=1w', 'by', 'TradeDate'],
    ['select=count&interval=2h', 'interval', "'1h'"],
    ['select=count&interval=5m', 'interval', 'time'],
    ['select=count&sort=Ticker', 'sort', 'aggregates'],
    ['select=count&columns=Ticker', 'columns', 'aggregates'],
    [`select=count&by=${'A,'.repeat(8)}B`, 'by', 'at most 8'],
  ])('are refused where they make no sense: %s', async (query, parameter, legal) => {
    const problems = await problemsAt(`${DAILY}?${query}`);
    expect(problems.some(({ loc, msg }) => loc[1] === parameter && msg.includes(legal))).toBe(true);
  });

  it('have no number beyond the range of doubles, and name what the values are too large for', async () => {
    const rows = [1e308, 1.5e308].map((price, r) => {
      const prices = [price, price, price, price];
      return ['2025-06-24', 'DDD', BigInt(r), ...prices, 1n, 0, 1n, 0, 1, 1];
    });
    await service.publish('eq_daily_ohlc', rows);
    const ofTicker = `${DAILY}?Ticker=DDD&select=`;
    const names = ['sum(OpenPrice)', 'avg(OpenPrice)', 'vwap(OpenPrice,DailyVolume)'];
    expect(await rowsAt(`${ofTicker}${names}`)).toEqual([
      Object.fromEntries(names.map((name) => [name, null])),
    ]);
    const csv = await service.get(`${ofTicker}${names}&response_format=csv`);
    expect(csv.body.split('\n')[1]).toBe(',,');
    const [problem] = await problemsAt(`${ofTicker}count,stddev(OpenPrice)`);
    expect(problem).toMatchObject({
      loc: ['query', 'select'],
      msg: expect.stringContaining("'stddev(OpenPrice)'"),
    });
  });

  it('keep every digit of sums beyond 2^53', async () => {
    const volumes = [2n ** 53n + 1n, 2n ** 62n - 1n, 2n ** 62n];
    const rows = volumes.map((volume, r) => {
      const prices = [1, 1, 1, 1];
      return ['2025-06-23', 'CCC', BigInt(r), ...prices, volume, 0, volume, 0, 1, 1];
    });
    await service.publish('eq_daily_ohlc', rows);
    const due = volumes.reduce((sum, each) => sum + each, 0n);
    const url = `${DAILY}?select=sum(DailyVolume)&Ticker=CCC`;
    const csv = await service.get(`${url}&response_format=csv`);
    expect(csv.body).toBe(`"sum(DailyVolume)"\n${due}\n`);
    const json = await service.get(`${url}&numbers=string`);
    expect(json.json().data).toEqual([{ 'sum(DailyVolume)': `${due}` }]);
  });
});
