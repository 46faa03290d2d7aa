/** The headers of data answers tell about the data behind them, in every format. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../src/base/errors.ts';
import { batchOfRows } from '../../src/engine/columns.ts';
import type { TestService } from '../harness.ts';
import { liftTimeLimits } from '../no-time-limits.ts';
import { publishBatches } from '../publish-batches.ts';
import { writing } from '../writing.ts';
import { DAILY_PATH, openContractService, TICK_PATH } from './fixture.ts';

liftTimeLimits();

const ORIGIN = 'https://desk.example';
const FACTORS_PATH = '/v1/data/us-equity-ref/eq-adj-factors-basic';

let service: TestService;
beforeAll(async () => {
  service = await openContractService({ corsOrigins: [ORIGIN] });
});
afterAll(() => service.close());

/** The header in every format and on a 304. */
async function headersOf(url: string, name: string): Promise<unknown[]> {
  const formats = ['json', 'csv', 'csv_gzip', 'arrow', 'parquet'].map((format) => {
    const separator = url.includes('?') ? '&' : '?';
    return service.get(`${url}${separator}response_format=${format}`);
  });
  const answers = await Promise.all(formats);
  const held = await service.get(url, { 'if-none-match': '*' });
  expect([...answers.map(({ statusCode }) => statusCode), held.statusCode]).toEqual([
    200, 200, 200, 200, 200, 304,
  ]);
  return [...answers, held].map(({ headers }) => headers[name]);
}

const six = (value: unknown) => Array(6).fill(value);

describe('X-Pagination-Total', () => {
  const MINUTES = '/v1/data/us-futures/fut-trades-1min?Ticker=ESU5&interval=1d';

  it.each([
    [`${DAILY_PATH}?count=exact`, '4'],
    [`${DAILY_PATH}?count=exact&limit=1`, '4'],
    [`${DAILY_PATH}?count=exact&limit=1&Ticker=AAA`, '2'],
    [`${DAILY_PATH}?count=exact&limit=1&sort=-OpenPrice&HighPrice.gt=23`, '2'],
    [`${DAILY_PATH}?count=exact&Ticker=NONE`, '0'],
    [`${TICK_PATH}?count=exact&limit=1`, '3'],
    [`${MINUTES}&count=exact&limit=1`, '1'],
  ])(
    'is the number of rows of all pages, not told to who holds the page: %s',
    async (url, total) => {
      const told = [...six(total).slice(1), undefined];
      expect(await headersOf(url, 'x-pagination-total')).toEqual(told);
    },
  );

  it.each([`${DAILY_PATH}?limit=1`, `${DAILY_PATH}?count=exact&limit=1&offset=1`])(
    'is absent where nobody asks for it, and on later pages: %s',
    async (url) => {
      expect(await headersOf(url, 'x-pagination-total')).toEqual(six(undefined));
    },
  );

  it('costs a scan only where neither the page nor the index knows', async () => {
    const { usage } = service.services;
    const scannedBy = async (query: string, held = {}) => {
      const before = (await usage.counters.read(service.accountId)).month.scannedBytes;
      await service.get(`${DAILY_PATH}?${query}`, held);
      return (await usage.counters.read(service.accountId)).month.scannedBytes - before;
    };
    const page = await scannedBy('limit=1&Ticker=AAA');
    expect(page).toBeGreaterThan(0);
    expect(await scannedBy('count=exact&Ticker=AAA')).toBe(page);
    expect(await scannedBy('count=exact&limit=1&Ticker=AAA')).toBe(2 * page);
    expect(await scannedBy('count=exact&limit=1')).toBe(await scannedBy('limit=1'));
    const held = { 'if-none-match': '*' };
    expect(await scannedBy('count=exact&limit=1&Ticker=AAA', held)).toBe(page);
  });

  it('is counted in the turn and by the plan of the page, also of one sent before', async () => {
    const { engine, gate } = service.services;
    using turns = vi.spyOn(gate, 'run');
    using scan = vi.spyOn(engine, 'scan');
    using count = vi.spyOn(engine, 'aggregate');
    const url = `${DAILY_PATH}?count=exact&limit=1&Ticker=AAA`;
    for (const nth of [1, 2]) {
      expect((await service.get(url)).headers['x-pagination-total']).toBe('2');
      expect([turns, scan, count].map(({ mock }) => mock.calls.length)).toEqual([nth, nth, nth]);
      const [page, counted] = [scan, count].map(({ mock }) => mock.calls.at(-1)?.[0]);
      expect(counted?.parts).toBe(page?.parts);
    }
  });

  it('charges no rows where the rows cannot be counted', async () => {
    const { engine, metrics } = service.services;
    using rows = vi.spyOn(metrics.rows, 'inc');
    using count = vi.spyOn(engine, 'aggregate').mockImplementationOnce(() => {
      throw new ApiError('timed out', 'Gateway timeout');
    });
    const answer = await service.get(`${DAILY_PATH}?count=exact&limit=1&Ticker=AAA`);
    expect([answer.statusCode, count.mock.calls.length]).toEqual([504, 1]);
    expect(rows).not.toHaveBeenCalled();
  });

  it.each([
    `${DAILY_PATH}?count=about`,
    `${DAILY_PATH}/aggregate?select=count&count=exact`,
    '/v1/bulk/us-equity/eq-daily-ohlc?count=exact',
    '/v1/meta/datasets/US1020/changes?from=1&count=exact',
  ])('is refused where it does not apply: %s', async (url) => {
    const answer = await service.get(url);
    expect(answer.statusCode).toBe(422);
    expect(answer.json().detail).toMatchObject([{ loc: ['query', 'count'] }]);
  });
});

describe('X-Window', () => {
  it.each([
    [DAILY_PATH, '2020-06-19/2025-06-18'],
    [`${DAILY_PATH}?period=2D`, '2025-06-17/2025-06-18'],
    [`${DAILY_PATH}?TradeDate.ge=2017-01-01`, '2017-01-01/2021-12-31'],
    [`${FACTORS_PATH}?EffectiveDate.ge=2024-01-01`, '2024-01-01/2025-06-20'],
    [FACTORS_PATH, '1900-01-01/2025-06-20'],
  ])('says which dates were read where something closed them: %s', async (url, window) => {
    expect(await headersOf(url, 'x-window')).toEqual(six(window));
  });

  it.each([
    TICK_PATH,
    `${DAILY_PATH}?TradeDate=2025-06-18`,
    `${DAILY_PATH}?TradeDate.gt=2020-06-18&TradeDate.le=2025-06-18`,
    '/v1/data/us-equity-ref/eq-sec-master',
  ])('is absent where the request says it: %s', async (url) => {
    expect(await headersOf(url, 'x-window')).toEqual(six(undefined));
  });

  it('is that of each request, though their rows and tags are the same', async () => {
    const closed = await service.get(DAILY_PATH);
    const asked = await service.get(
      `${DAILY_PATH}?TradeDate.gt=2020-06-18&TradeDate.le=2025-06-18`,
    );
    expect(closed.headers.etag).toBe(asked.headers.etag);
    expect([closed.headers['x-window'], asked.headers['x-window']]).toEqual([
      '2020-06-19/2025-06-18',
      undefined,
    ]);
  });
});

describe('X-Missing', () => {
  const LIST = `${DAILY_PATH}?Ticker.in=NOPE,AAA,BRK%2FA,BBB`;
  const BULK_PATH = DAILY_PATH.replace('/data/', '/bulk/');
  const five = (value: unknown) => [...Array(5).fill(value), undefined];

  it.each([
    [LIST, '2 of 4: NOPE, BRK%2FA'],
    [`${DAILY_PATH}?Ticker.in=AAA,BBB`, '0 of 2'],
    [`${DAILY_PATH}?Ticker.in=BBB,AAA&columns=OpenPrice&limit=1`, '0 of 2'],
    [`${LIST}&columns=OpenPrice&sort=OpenPrice`, '2 of 4: NOPE, BRK%2FA'],
    [`${LIST}&OpenPrice.lt=50`, '2 of 4: NOPE, BRK%2FA'],
    [`${LIST}&limit=1`, '2 of 4: NOPE, BRK%2FA'],
    [`${LIST}&interval=1w`, '2 of 4: NOPE, BRK%2FA'],
    [`${DAILY_PATH}?Ticker.in=AAA,BBB&ASID.in=1010000000000001,5`, '2 of 4: BBB, 5'],
    ['/v1/data/us-equity-ref/eq-sec-master?Ticker.in=AAA,NOPE', '1 of 2: NOPE'],
    [`${FACTORS_PATH}?Ticker.in=AAA`, '1 of 1: AAA'],
  ])('names the identifiers of a list that have no rows: %s', async (url, missing) => {
    expect(await headersOf(url, 'x-missing')).toEqual(five(missing));
  });

  it.each([
    DAILY_PATH,
    `${DAILY_PATH}?Ticker=NOPE`,
    `${DAILY_PATH}?Ticker.like=NOPE`,
    `${DAILY_PATH}?OpenPrice.in=1`,
    `${LIST}&limit=1&offset=1`,
  ])('is absent where nothing is listed, and on later pages: %s', async (url) => {
    expect(await headersOf(url, 'x-missing')).toEqual(six(undefined));
  });

  it('takes no further reading where the rows tell', async () => {
    const scan = vi.spyOn(service.services.engine, 'scan');
    for (const format of ['json', 'csv', 'csv_gzip', 'arrow']) {
      await service.get(`${LIST}&TradeDate=2025-06-17&response_format=${format}`);
    }
    expect(scan).toHaveBeenCalledTimes(4);
    scan.mockRestore();
  });

  it('is left out of a whole answer where the search for them fails', async () => {
    const { engine } = service.services;
    const read = engine.scan.bind(engine);
    const scan = vi.spyOn(engine, 'scan').mockImplementation((plan, signal) => {
      if (plan.columns[0]?.name === 'Ticker') throw new Error('the disk is gone');
      return read(plan, signal);
    });
    const { statusCode, headers } = await service.get(`${LIST}&columns=ClosePrice`);
    expect([statusCode, headers['x-missing']]).toEqual([200, undefined]);
    expect(scan).toHaveBeenCalledTimes(2);
    scan.mockRestore();
  });

  it('names few of many, and counts them all; the manifest names them', async () => {
    const names = Array.from({ length: 900 }, (_, at) => `NAME${at}`);
    const query = `Ticker.in=AAA,${names.join(',')}`;
    const header = String((await service.get(`${DAILY_PATH}?${query}`)).headers['x-missing']);
    expect(header).toMatch(/^900 of 901: NAME0, NAME1, .*NAME\d+$/);
    expect(header.length).toBeLessThan(1020);
    const manifest = await service.get(`${BULK_PATH}?${query}`);
    expect(manifest.headers['x-missing']).toBe(header);
    expect(manifest.json().missing).toEqual({ count: 900, of: 901, identifiers: names });
    expect((await service.get(BULK_PATH)).json().missing).toBeNull();
  });

  it('does not tell identifiers that are unknown from those that are not for the account', async () => {
    const { accountId, key } = await service.addAccount('of one ticker');
    const terms = { startDate: '2025-01-01', endDate: null, universe: ['AAA'] };
    const { datasetId } = service.dataset('eq_daily_ohlc');
    await writing(service.services.store).rules.add({ accountId, datasetId, ...terms });
    const missing = ['BBB', 'NOPE'].map(async (ticker) => {
      const headers = { 'x-api-key': key };
      const url = `${DAILY_PATH}?Ticker.in=AAA,${ticker}`;
      return (await service.app.inject({ url, headers })).headers['x-missing'];
    });
    expect(await Promise.all(missing)).toEqual(['1 of 2: BBB', '1 of 2: NOPE']);
  });
});

describe('X-Dataset-Version', () => {
  it('is the version that was read, and 0 where nothing is published', async () => {
    expect(await headersOf(DAILY_PATH, 'x-dataset-version')).toEqual(six('1'));
    expect(await headersOf(FACTORS_PATH, 'x-dataset-version')).toEqual(six('0'));
  });

  it('grows with a publication that leaves a page as it was', async () => {
    const before = await service.get(TICK_PATH);
    const { columns } = service.dataset('eq_taq');
    const row = columns.map(({ name }) => (name === 'TradeDate' ? '2025-06-20' : null));
    await publishBatches(service.services.lake, {
      ...{ dataset: service.dataset('eq_taq'), mode: 'append', vendor: 'Test' },
      batches: (async function* () {
        yield batchOfRows(columns, [row]);
      })(),
    });
    const held = await service.get(TICK_PATH, {
      'if-none-match': String(before.headers.etag),
    });
    expect([before.headers['x-dataset-version'], held.statusCode]).toEqual(['1', 304]);
    expect(held.headers['x-dataset-version']).toBe('2');
    expect((await service.get(TICK_PATH)).headers['x-dataset-version']).toBe('2');
  });
});

describe('the headers of a data answer', () => {
  it('may be read by the pages of other origins', async () => {
    const { headers } = await service.get(DAILY_PATH, { origin: ORIGIN });
    const exposed = String(headers['access-control-expose-headers']).split(', ');
    const names = ['X-Dataset-Version', 'X-Hint', 'X-Missing', 'X-Window'];
    expect(exposed).toEqual(expect.arrayContaining(names));
  });

  it('are all in the OpenAPI document', async () => {
    const document = (await service.app.inject('/v1/openapi.json')).json();
    const { responses } = document.paths['/data/us-equity/eq-daily-ohlc'].get;
    expect(Object.keys(responses[200].headers)).toEqual(
      expect.arrayContaining(['X-Dataset-Version', 'X-Hint', 'X-Missing', 'X-Window']),
    );
    expect(Object.keys(responses[304].headers)).toEqual(
      expect.arrayContaining(['X-Dataset-Version', 'X-Window']),
    );
  });
});
