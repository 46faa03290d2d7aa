import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Column } from '../../src/catalog/dataset.ts';
import { derive } from '../../src/derive/derive.ts';
import type { CellValue } from '../../src/engine/columns.ts';
import { readParquet } from '../../src/engine/conformance/read-parquet.ts';
import { openTestService, type TestService } from '../harness.ts';
import { longerBars } from '../intervals/longer-bars.ts';
import { liftTimeLimits } from '../no-time-limits.ts';
import { writing } from '../writing.ts';
import { anyEvents, anyRows, eventRows } from './random-market.ts';
import type { Event, JsonRow } from './restated-rows.ts';

liftTimeLimits();

const FACTORS = 'eq_adj_factors_basic';
const DAILY = '/v1/data/us-equity/eq-daily-ohlc?period=20Y';
const ADJUSTED = `${DAILY}&adjusted=true`;
const AS_OF = `${ADJUSTED}&adjusted_as_of=2024-06-10`;
const TODAY = '2025-06-20';

/** ABCD: a dividend, a change of ticker to WXYZ, a split. The adjusted price is 100 throughout. */
const EVENTS: Event[] = [
  { asid: 7n, ticker: 'ABCD', date: '2024-03-08', factor: '0.99', reason: 'CashDiv' },
  { asid: 7n, ticker: 'WXYZ', date: '2024-06-10', factor: '0.25', reason: 'Subdiv' },
];
const CLOSES: [string, string, number][] = [
  ['2024-03-07', 'ABCD', 400],
  ['2024-03-08', 'ABCD', 396],
  ['2024-06-07', 'WXYZ', 396],
  ['2024-06-10', 'WXYZ', 99],
];

let service: TestService;

async function publishEvents(events: readonly Event[]): Promise<void> {
  await service.publish(FACTORS, eventRows(service.dataset(FACTORS), events));
}

beforeAll(async () => {
  service = await openTestService({ queriesMax: 1 });
  await publishEvents(EVENTS);
  const { columns } = service.dataset('eq_daily_ohlc');
  const rows = CLOSES.map(([date, ticker, close]) => {
    const cells: Record<string, CellValue> = {
      ...{ TradeDate: date, Ticker: ticker, ASID: 7n, ClosePrice: close, DailyVolume: 1000n },
    };
    return columns.map(({ name }) => cells[name] ?? null);
  });
  await service.publish('eq_daily_ohlc', rows);
});
afterAll(() => service.close());

async function rowsOf(url: string, names: string): Promise<unknown[][]> {
  const answer = await service.get(`${url}&columns=${names}`);
  expect(answer.statusCode, answer.body).toBe(200);
  return (answer.json().data as JsonRow[]).map((row) => Object.values(row));
}

describe('adjusted rows', () => {
  it('know no later event than the date, by number and through a change of ticker', async () => {
    const all = `${ADJUSTED}&TradeDate.le=${TODAY}`;
    const asOf = (date: string) => rowsOf(`${all}&adjusted_as_of=${date}`, 'ClosePrice');
    expect(await asOf('2024-03-07')).toEqual([[400], [396], [396], [99]]);
    expect(await asOf('2024-03-08')).toEqual([[396], [396], [396], [99]]);
    expect(await asOf('2024-06-09')).toEqual([[396], [396], [396], [99]]);
    expect(await asOf('2024-06-10')).toEqual([[99], [99], [99], [99]]);
  });

  it('are grouped as they are restated, and as they are stored where they are not', async () => {
    const groupsOf = async (url: string) => {
      const door = url.replace('/eq-daily-ohlc?', '/eq-daily-ohlc/aggregate?');
      const select = 'count,sum(DailyVolume),first(ClosePrice),last(ClosePrice)';
      const answer = await service.get(`${door}&by=Ticker&select=${select}`);
      expect(answer.statusCode, answer.body).toBe(200);
      return (answer.json().data as JsonRow[]).map((row) => Object.values(row));
    };
    const dueOf = async (url: string) => {
      const rows = await rowsOf(url, 'Ticker,DailyVolume,ClosePrice');
      const byTicker = Map.groupBy(rows, ([ticker]) => ticker);
      return [...byTicker].map(([ticker, own]) => {
        const volume = own.reduce((sum, [, each]) => sum + Number(each), 0);
        return [ticker, own.length, volume, own[0]?.[2], own.at(-1)?.[2]];
      });
    };
    for (const url of [DAILY, AS_OF, `${ADJUSTED}&adjustments=splits`]) {
      const due = await dueOf(url);
      expect(due).toHaveLength(2);
      expect(await groupsOf(url), url).toEqual(due);
    }
  });

  it('end at the date where the request does not say where they end', async () => {
    const asOf = (filters: string) => rowsOf(`${ADJUSTED}&${filters}`, 'ClosePrice');
    expect(await asOf('adjusted_as_of=2024-03-07')).toEqual([[400]]);
    expect(await asOf('adjusted_as_of=2024-06-09')).toEqual([[396], [396], [396]]);
    expect(await asOf('adjusted_as_of=2024-06-09&TradeDate.ge=2024-03-08')).toEqual([[396], [396]]);
    expect(await asOf('adjusted_as_of=2024-03-07&TradeDate.ge=2024-06-07')).toEqual([[396], [99]]);
  });

  it('are restated by splits alone where that is asked', async () => {
    const names = 'ClosePrice,DailyVolume,PriceAdjFactor,VolumeAdjFactor';
    expect(await rowsOf(`${ADJUSTED}&adjustments=splits`, names)).toEqual([
      [100, 4000, 0.25, 0.25],
      [99, 4000, 0.25, 0.25],
      [99, 4000, 0.25, 0.25],
      [99, 1000, 1, 1],
    ]);
  });

  it('have their factors last where they are asked for, once', async () => {
    const url = `${ADJUSTED}&adjusted_as_of=${TODAY}&adjustment_factors=true&limit=1`;
    expect(await rowsOf(url, 'Ticker')).toEqual([['ABCD', 0.2475, 0.25]]);
    expect(await rowsOf(url, 'VolumeAdjFactor,Ticker')).toEqual([[0.25, 'ABCD', 0.2475]]);
  });

  it('follow a company through its tickers', async () => {
    const master = service.dataset('eq_sec_master');
    const cells: Record<string, CellValue> = {
      ...{ SecId: 7n, ASID: 7n, TickerNow: 'WXYZ', Ticker: ['ABCD', 'WXYZ'] },
      TickerStartToEndDate: ['20200101:20240607', '20240607:20991231'],
      ...{ Name: ['One'], NameStartToEndDate: ['20200101:20991231'] },
    };
    await service.publish('eq_sec_master', [master.columns.map(({ name }) => cells[name] ?? null)]);
    const url = `${ADJUSTED}&adjusted_as_of=${TODAY}&Ticker=WXYZ&continuous=true`;
    expect(await rowsOf(url, 'ClosePrice')).toEqual([[99], [99], [99], [99]]);
  });

  it('are those that derive stores, as of today', async () => {
    const other = await openTestService();
    try {
      const events = fc.sample(anyEvents, 1)[0]?.filter(({ date }) => date <= TODAY) ?? [];
      await other.publish(FACTORS, eventRows(other.dataset(FACTORS), events));
      const raw = other.dataset('eq_daily_ohlc');
      const rows = fc.sample(anyRows(raw), 1)[0] as CellValue[][];
      const asid = raw.columns.findIndex(({ name }) => name === 'ASID');
      await other.publish(
        raw.textId,
        rows.filter((row) => row[asid] !== null),
      );
      const { catalog, lake, engine } = other.services;
      const { state } = await derive({
        ...{ catalog, lake, engine, datasets: [other.dataset('eq_daily_ohlc_adj')], dates: null },
        ...{ reason: null, isStaleOnly: true, replacesLoaded: false, onSlice: () => {} },
        signal: new AbortController().signal,
      });
      expect(state).toBe('published');
      const stored = await other.get(`${ADJUSTED}&limit=10000`);
      const restated = await other.get(`${ADJUSTED}&adjusted_as_of=${TODAY}&limit=10000`);
      expect(stored.json().data.length).toBeGreaterThan(20);
      expect(restated.json()).toEqual(stored.json());
    } finally {
      await other.close();
    }
  });

  it('are put together to longer bars', async () => {
    const url = `${ADJUSTED}&adjusted_as_of=2024-06-10&adjustments=splits`;
    const dataset = service.dataset('eq_daily_ohlc');
    const rows = (await service.get(url)).json().data as JsonRow[];
    const names = ['TradeDate', 'Ticker', 'ASID', 'ClosePrice', 'DailyVolume'];
    const weeks = await service.get(`${url}&interval=1w&columns=${names.join(',')}`);
    expect(weeks.statusCode, weeks.body).toBe(200);
    const wanted = longerBars(dataset, rows, '1w', names, '1900-01-01');
    expect(wanted).toHaveLength(3);
    expect(weeks.json().data).toEqual(wanted);
  });

  it('are of one session of the day where that is asked, also as longer bars', async () => {
    const bars = service.dataset('eq_trades_1min');
    const rowOf = (clock: string): CellValue[] => {
      const time = Temporal.ZonedDateTime.from(`2024-03-07T${clock}[America/New_York]`);
      const cells: Record<string, CellValue> = {
        ...{
          TradeDate: '2024-03-07',
          BarDateTime: time.epochNanoseconds,
          Ticker: 'ABCD',
          ASID: 7n,
        },
        ...{ LastTradePrice: 400, Volume: 10n },
      };
      return bars.columns.map(({ name }) => cells[name] ?? null);
    };
    await service.publish(bars.textId, ['09:00', '09:30', '15:59', '16:00'].map(rowOf));
    const url =
      '/v1/data/us-equity/eq-trades-1min?Ticker=ABCD&period=20Y&adjusted=true' +
      `&adjusted_as_of=${TODAY}&adjustments=splits&session=regular`;
    expect(await rowsOf(url, 'LastTradePrice,Volume')).toEqual([
      [100, 40],
      [100, 40],
    ]);
    expect(await rowsOf(`${url}&limit=1&offset=1`, 'BarDateTime')).toEqual([
      ['2024-03-07T15:59:00-05:00'],
    ]);
    expect(await rowsOf(`${url}&interval=1d`, 'BarDateTime,Volume')).toEqual([
      ['2024-03-07T09:30:00-05:00', 80],
    ]);
  });
});

describe('adjusted rows that are sorted', () => {
  it('are sorted by what they are restated to, also where that is not asked for', async () => {
    const url = `${ADJUSTED}&TradeDate.le=${TODAY}&adjusted_as_of=2024-03-08&sort=-ClosePrice,-TradeDate`;
    expect(await rowsOf(url, 'TradeDate')).toEqual([
      ...[['2024-06-07'], ['2024-03-08'], ['2024-03-07'], ['2024-06-10']],
    ]);
  });

  it('come page by page, of the versions of the first one', async () => {
    const url = `${ADJUSTED}&adjusted_as_of=${TODAY}&sort=-TradeDate&columns=TradeDate&limit=2`;
    const first = await service.get(url);
    const next = new URL(/<([^>]*)>/.exec(`${first.headers.link}`)?.[1] ?? '', 'http://host');
    expect(next.searchParams.get('factors_version')).toBe(first.headers['x-factors-version']);
    const second = await service.get(`${next.pathname}${next.search}`);
    const dates = [...first.json().data, ...second.json().data].map(({ TradeDate }) => TradeDate);
    expect(dates).toEqual(CLOSES.map(([date]) => date).toReversed());
    expect(second.headers.link).toBeUndefined();
  });
});

describe('versions', () => {
  const url = `${ADJUSTED}&adjusted_as_of=${TODAY}&columns=ClosePrice`;

  it('stay fixed during a walk, of the rows and of the factors', async () => {
    const first = await service.get(`${url}&limit=1`);
    expect(first.headers['x-dataset-version']).toBe('1');
    expect(first.headers['x-factors-version']).toBe('1');
    const next = /<([^>]*)>/.exec(`${first.headers.link}`)?.[1] ?? '';
    expect(new URL(next, 'http://host').searchParams.get('dataset_version')).toBe('1');
    const { datasetId } = service.dataset('eq_daily_ohlc_adj');
    expect(datasetId).not.toBe(service.dataset('eq_daily_ohlc').datasetId);

    await publishEvents(EVENTS.slice(0, 1));
    const second = await service.get(next);
    expect(second.headers['x-factors-version']).toBe('1');
    expect(second.json().data).toEqual([{ ClosePrice: 99 }]);
    const now = await service.get(`${url}&limit=1&offset=1`);
    expect(now.headers['x-factors-version']).toBe('2');
    expect(now.json().data).toEqual([{ ClosePrice: 396 }]);
    expect(now.headers.etag).not.toBe(second.headers.etag);
    const chosen = await service.get(`${url}&limit=1&offset=1&factors_version=1`);
    expect(chosen.headers.etag).toBe(second.headers.etag);
    await publishEvents(EVENTS);
  });

  it('are told apart by date and events in the tag', async () => {
    const tags = await Promise.all(
      ['', '&adjustments=splits', '&receipt=true'].map(async (text) => {
        return (await service.get(url + text)).headers.etag;
      }),
    );
    const other = (await service.get(url.replace(TODAY, '2024-06-10'))).headers.etag;
    expect(new Set([...tags, other]).size).toBe(3);
    expect(tags[0]).toBe(tags[2]);
  });

  it('stand in the receipt, with the request', async () => {
    const answer = await service.get(`${url}&adjustments=splits&receipt=true`);
    const [, body = ''] = `${answer.headers['x-receipt']}`.split('.');
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString());
    expect(claims).toMatchObject({
      dataset_id: service.dataset('eq_daily_ohlc').datasetId,
      dataset_version: 1,
      factors_dataset_id: service.dataset(FACTORS).datasetId,
      factors_version: Number(answer.headers['x-factors-version']),
    });
    expect(claims.request).toContain(`adjusted=true`);
    expect(claims.request).toContain(`adjusted_as_of=${TODAY}&adjustments=splits`);
    const again = await service.get(`/v1${claims.request}`);
    expect(again.rawPayload.equals(answer.rawPayload)).toBe(true);
  });

  it('are named where there are none', async () => {
    const unknown = await service.get(`${url}&factors_version=99`);
    expect([unknown.statusCode, unknown.json().detail]).toEqual([
      404,
      'Factors version 99 has never been published',
    ]);
    const empty = await openTestService();
    const answer = await empty.get(url);
    await empty.close();
    expect(answer.statusCode).toBe(404);
    expect(answer.json().detail).toMatch(/Adjustment Factors, by which .* is not published yet/);
  });
});

describe('files of adjusted rows', () => {
  const files = `${AS_OF.replace('/data/', '/bulk/')}&columns=ClosePrice,TradeDate`;

  it('are of the versions of both datasets that the manifest says', async () => {
    const manifest = (await service.get(files)).json();
    expect(manifest).toMatchObject({ dataset_version: 1, row_count: 4 });
    const page = await service.get(AS_OF);
    expect(`${manifest.factors_version}`).toBe(page.headers['x-factors-version']);
    expect(manifest.canonical_request).toContain('adjusted_as_of=2024-06-10&adjustments=all');
    const [{ url, name }] = manifest.files;
    expect(name).toBe(
      `eq_daily_ohlc_adj_as_of_2024-06-10_v1_f${manifest.factors_version}_2024.parquet`,
    );
    await publishEvents(EVENTS.slice(0, 1));
    const file = await service.app.inject({ url: new URL(url).pathname });
    await publishEvents(EVENTS);
    expect(file.headers).toMatchObject({
      'x-dataset-version': '1',
      'x-factors-version': `${manifest.factors_version}`,
    });
    const { ClosePrice, TradeDate } = Object.fromEntries(
      service.dataset('eq_daily_ohlc').columns.map((column) => [column.name, column]),
    );
    const columns = [ClosePrice as Column, TradeDate as Column];
    const { rows } = await readParquet(columns, file.rawPayload);
    expect(rows).toEqual(CLOSES.map(([date]) => [99, date]));
  });

  it('stay the same files on the next day', async () => {
    const now = service.clock.now();
    service.clock.set(`${TODAY}T23:59:00Z`);
    const [{ url }] = (await service.get(files)).json().files;
    service.clock.set('2025-06-21T00:10:00Z');
    const { statusCode } = await service.app.inject({ url: new URL(url).pathname });
    service.clock.set(new Date(now).toISOString());
    expect(statusCode).toBe(200);
  });
});

it.each<[string, string, RegExp]>([
  [`${ADJUSTED}&adjusted_as_of=yesterday`, 'adjusted_as_of', /'yesterday' .*: give YYYY-MM-DD/],
  [`${ADJUSTED}&adjusted_as_of=2025-06-21`, 'adjusted_as_of', /not be after today, 2025-06-20/],
  [`${ADJUSTED}&adjustments=dividends`, 'adjustments', /should be 'all' or 'splits'/],
  [`${ADJUSTED}&adjustment_factors=yes`, 'adjustment_factors', /'true' or 'false'/],
  [`${AS_OF}&factors_version=0`, 'factors_version', /greater than or equal to 1/],
  [`${ADJUSTED}&factors_version=1`, 'factors_version', /applies only with adjusted_as_of/],
  [`${DAILY}&adjusted_as_of=2024-06-10`, 'adjusted_as_of', /apply .*; ask with adjusted=true/],
  [`${DAILY}&adjustment_factors=true`, 'adjustment_factors', /; ask with adjusted=true/],
  [
    '/v1/data/us-equity-ref/eq-ipo?adjusted_as_of=2024-06-10',
    'adjusted_as_of',
    /^adjusted_as_of does not apply to this dataset$/,
  ],
  [`${AS_OF}&ClosePrice.gt=5`, 'ClosePrice.gt', /on 'TradeDate', 'Ticker' or 'ASID' with adj/],
  [`${AS_OF}&PriceAdjFactor.lt=1`, 'PriceAdjFactor.lt', /Filters should be on/],
  [`${AS_OF}&columns=Ticker,Nope`, 'columns', /do not exist in the dataset: Nope/],
  [`${AS_OF}&interval=1w&adjustment_factors=true`, 'adjustment_factors', /do not have .*PriceAdj/],
  [`${AS_OF}&interval=1w&columns=PriceAdjFactor`, 'columns', /do not have .*PriceAdjFactor/],
  [`${AS_OF.replace('/data/', '/bulk/')}&sort=ClosePrice`, 'sort', /not apply to bulk requests/],
  [`${AS_OF.replace('/data/', '/bulk/')}&ClosePrice.gt=5`, 'ClosePrice.gt', /on 'TradeDate'/],
])('%s is refused, naming %s', async (url, name, message) => {
  const answer = await service.get(url);
  expect(answer.statusCode, answer.body).toBe(422);
  const { detail } = answer.json() as { detail: { loc: string[]; msg: string }[] };
  expect(detail.find(({ loc }) => loc[1] === name)?.msg).toMatch(message);
});

describe('an answer without rows', () => {
  it('tells of the identifier that may have been meant', async () => {
    const answer = await service.get(`${AS_OF}&Ticker=abcd`);
    const stored = await service.get(`${DAILY}&Ticker=abcd`);
    expect(stored.headers['x-hint']).toContain('ABCD');
    expect([answer.statusCode, answer.headers['x-hint']]).toEqual([200, stored.headers['x-hint']]);
  });
});

it('a server without the raw rows says so', async () => {
  const offeredDatasets = ['eq_daily_ohlc_adj', FACTORS];
  const other = await openTestService({ offeredDatasets });
  const answer = await other.get(AS_OF);
  await other.close();
  expect([answer.statusCode, answer.json().detail]).toEqual([
    404,
    'This server has no dataset eq_daily_ohlc, of which eq_daily_ohlc_adj is made',
  ]);
});

describe('an account', () => {
  const FULL = { startDate: '1900-01-01', endDate: null, universe: [] };
  type Rule = Readonly<{ startDate: string; endDate: string | null; universe: string[] }>;
  const RULES: Readonly<Record<string, Rule>> = {
    ...{ eq_daily_ohlc: FULL, eq_daily_ohlc_adj: FULL, [FACTORS]: FULL },
  };

  /** A request that is under way. */
  async function askFor(rules: Readonly<Record<string, Rule>>, further = '', under = '/data/') {
    const { accountId, key } = await service.addAccount(crypto.randomUUID());
    for (const [textId, rule] of Object.entries(rules)) {
      const { datasetId } = service.dataset(textId);
      await writing(service.services.store).rules.add({ accountId, datasetId, ...rule });
    }
    const asked = service.app.inject({
      url: AS_OF.replace('/data/', under) + further,
      headers: { 'x-api-key': key },
    });
    return { accountId, asked: asked.then((answer) => answer) };
  }

  async function askWith(rules: Readonly<Record<string, Rule>>) {
    return await (await askFor(rules)).asked;
  }

  it.each(Object.keys(RULES))('without a rule for %s is refused', async (textId) => {
    const { [textId]: _, ...others } = RULES;
    const answer = await askWith(others);
    expect(answer.statusCode).toBe(403);
    expect(answer.json().detail).toContain(`access the dataset ${service.dataset(textId).name}`);
    expect((await askWith(RULES)).statusCode).toBe(200);
  });

  it.each<[string, Rule]>([
    ['some securities', { ...FULL, universe: ['ABCD'] }],
    ['factors that end before the date', { ...FULL, endDate: '2024-06-09' }],
    ['factors that begin after the rows', { ...FULL, startDate: '2024-01-01' }],
  ])('that may read only %s is refused, since rows would be wrong', async (_, rule) => {
    const daily = { ...FULL, startDate: '2023-12-31' };
    const own = { ...RULES, eq_daily_ohlc: daily, [FACTORS]: rule };
    const answer = await askWith(own);
    expect(answer.statusCode).toBe(403);
    expect(answer.json().detail).toMatch(/may not read all of .*Adjustment Factors, by which/);
  });

  it('that loses its rule for the factors while the request waits is refused', async () => {
    const { gate, store } = service.services;
    const { promise: busy, resolve: finish } = Promise.withResolvers<void>();
    const turn = gate.run(service.accountId, new AbortController().signal, () => busy);
    const { accountId, asked } = await askFor(RULES, '&columns=ClosePrice,Ticker');
    await expect.poll(() => gate.waitingCount).toBe(1);
    const { datasetId } = service.dataset(FACTORS);
    const [rule] = await store.rules.listOfDataset(accountId, datasetId);
    await writing(store).rules.delete(rule?.ruleId as number);
    finish();
    await turn;
    expect((await asked).statusCode).toBe(403);
  });

  it('gets no file by its link without a rule that it has lost', async () => {
    const { accountId, asked } = await askFor(RULES, '', '/bulk/');
    const manifest = await asked;
    expect(manifest.statusCode, manifest.body).toBe(200);
    const [{ url }] = manifest.json().files;
    const fetched = async () =>
      (await service.app.inject({ url: new URL(url).pathname })).statusCode;
    expect(await fetched()).toBe(200);
    const { store } = service.services;
    const { datasetId } = service.dataset(FACTORS);
    const [rule] = await store.rules.listOfDataset(accountId, datasetId);
    await writing(store).rules.delete(rule?.ruleId as number);
    expect(await fetched()).toBe(403);
  });

  it('needs the factors no further than the rows and the date', async () => {
    const daily = { ...FULL, startDate: '2024-03-08' };
    const factors = { startDate: '2024-03-08', endDate: '2024-06-10', universe: [] };
    const answer = await askWith({ ...RULES, eq_daily_ohlc_adj: daily, [FACTORS]: factors });
    expect(answer.statusCode, answer.body).toBe(200);
    expect(answer.json().data.map((row: JsonRow) => row.ClosePrice)).toEqual([99, 99, 99]);
    expect(answer.headers['x-window']).toMatch(/^2024-03-08\//);
  });

  it('whose rules have no identifier in common is refused', async () => {
    const rule = (universe: string[]) => ({ ...FULL, universe });
    const own = { eq_daily_ohlc: rule(['ABCD']), eq_daily_ohlc_adj: rule(['WXYZ']) };
    const answer = await askWith({ ...RULES, ...own });
    expect([answer.statusCode, answer.json().detail]).toEqual([
      403,
      expect.stringMatching(/^The account may read no rows that .* have in common$/),
    ]);
  });
});

describe('X-Unadjusted', () => {
  let other: TestService;
  const RULED = ['eq_daily_ohlc', 'eq_daily_ohlc_adj'];

  beforeAll(async () => {
    other = await openTestService();
    const listed: [ticker: string, asid: bigint | null][] = [
      ['ABCD', 7n],
      ['NONE', 8n],
      ['A,B', null],
    ];
    for (const textId of RULED) {
      const rows = listed.map(([Ticker, ASID]) => {
        const cells: Record<string, CellValue> = { TradeDate: '2024-03-07', Ticker, ASID };
        return other.dataset(textId).columns.map(({ name }) => cells[name] ?? null);
      });
      await other.publish(textId, rows);
    }
    const events = EVENTS.slice(0, 1);
    await other.publish(FACTORS, eventRows(other.dataset(FACTORS), events));
  });
  afterAll(() => other.close());

  async function told(query: string, key = other.key) {
    const answer = await other.get(`${DAILY}${query}`, { 'x-api-key': key });
    expect(answer.statusCode, answer.body).toBe(200);
    return answer.headers['x-unadjusted'];
  }

  it('names securities without events, and rows without a number', async () => {
    const all = 'A%2CB no-asid, NONE 8 no-event';
    expect(await told('&adjusted=true')).toBe(all);
    expect(await told('&adjusted=true&columns=ClosePrice&sort=-Ticker')).toBe(
      'NONE 8 no-event, A%2CB no-asid',
    );
    expect(await told(`&adjusted=true&adjusted_as_of=${TODAY}`)).toBe(all);
    expect(await told('&adjusted=true&interval=1w&response_format=csv')).toBe(all);
    expect(await told('&adjusted=true&Ticker=ABCD')).toBeUndefined();
    expect(await told('')).toBeUndefined();
  });

  it('names rows without a number that are left out, as far as the raw rows may be read', async () => {
    const { columns } = other.dataset('eq_daily_ohlc');
    const cells: Record<string, CellValue> = { TradeDate: '2024-03-06', Ticker: 'ABCD' };
    const rows = (await other.get(`${DAILY}&limit=3`)).json().data as JsonRow[];
    const kept = rows.map((row) => ({
      ...row,
      ASID: row.ASID === null ? null : BigInt(row.ASID as number),
    }));
    const all = [cells, ...(kept as unknown as Record<string, CellValue>[])];
    await other.publish(
      'eq_daily_ohlc',
      all.map((row) => columns.map(({ name }) => row[name] ?? null)),
    );
    const named = 'Ticker=ABCD&TradeDate=2024-03-06';
    for (const asOf of ['', `&adjusted_as_of=${TODAY}`]) {
      expect(await told(`&adjusted=true&${named}${asOf}`)).toBe('ABCD left-out');
    }
    const { accountId, key } = await other.addAccount('adjusted rows alone');
    for (const textId of ['eq_daily_ohlc_adj', FACTORS]) {
      const { datasetId } = other.dataset(textId);
      const window = { startDate: '1900-01-01', endDate: null, universe: [] };
      await writing(other.services.store).rules.add({ accountId, datasetId, ...window });
    }
    expect(await told(`&adjusted=true&${named}`, key)).toBeUndefined();
    // A row past all events is kept, be it on another page.
    const late = { ...cells, Ticker: 'ABCD', TradeDate: '2024-03-11' };
    await other.publish('eq_daily_ohlc', [
      columns.map(({ name }) => (late as typeof cells)[name] ?? null),
    ]);
    expect(await told('&adjusted=true&Ticker=ABCD&TradeDate=2024-03-11')).toBeUndefined();
    await other.publish(
      'eq_daily_ohlc',
      all.slice(1).map((row) => columns.map(({ name }) => row[name] ?? null)),
    );
  });

  it('goes by the events that were asked for', async () => {
    const first = 'A%2CB no-asid, ABCD 7 no-event, NONE 8 no-event';
    expect(await told('&adjusted=true&adjusted_as_of=2024-03-07')).toBe(first);
    expect(await told('&adjusted=true&adjustments=splits')).toBe(first);
  });

  it('is on pages and on a 304, of their own rows alone', async () => {
    expect(await told('&adjusted=true&limit=1')).toBe('A%2CB no-asid');
    expect(await told('&adjusted=true&limit=1&offset=1')).toBeUndefined();
    const url = `${DAILY}&adjusted=true`;
    const { headers } = await other.get(url);
    const held = await other.get(url, { 'if-none-match': headers.etag as string });
    expect([held.statusCode, held.headers['x-unadjusted']]).toEqual([
      304,
      'A%2CB no-asid, NONE 8 no-event',
    ]);
  });

  it('names no row that the rules leave out, and says where the events may not be read', async () => {
    const keyFor = async (universe: readonly string[], textIds: readonly string[]) => {
      const { accountId, key } = await other.addAccount(crypto.randomUUID());
      for (const textId of textIds) {
        const { datasetId } = other.dataset(textId);
        const window = { startDate: '1900-01-01', endDate: null };
        const names = textId === FACTORS ? [] : universe;
        const rule = { accountId, datasetId, ...window, universe: names };
        await writing(other.services.store).rules.add(rule);
      }
      return key;
    };
    const narrow = await keyFor(['ABCD', 'NONE'], [...RULED, FACTORS]);
    expect(await told('&adjusted=true', narrow)).toBe('NONE 8 no-event');
    expect(await told('&adjusted=true', await keyFor([], RULED))).toBe('unknown');
  });

  it('names 30 securities, and says how many more there are', async () => {
    const { columns } = other.dataset('eq_daily_ohlc_adj');
    const rows = Array.from({ length: 32 }, (_, i) => {
      const cells: Record<string, CellValue> = { TradeDate: '2024-03-07', Ticker: `T${10 + i}` };
      return columns.map(({ name }) => cells[name] ?? null);
    });
    await other.publish('eq_daily_ohlc_adj', rows);
    expect(`${await told('&adjusted=true')}`.split(', ').slice(29)).toEqual([
      'T39 no-asid',
      '2 more',
    ]);
  });
});
