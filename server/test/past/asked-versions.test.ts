/** `dataset_version` and `as_of`: the version they read, their refusals, and which comes first. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestService, type TestService } from '../harness.ts';
import { liftTimeLimits } from '../no-time-limits.ts';
import { writing } from '../writing.ts';
import { publishRows } from './republished-dataset.ts';

liftTimeLimits();

const DAILY = '/v1/data/us-equity/eq-daily-ohlc';
const SCAN = '/v1/data-scan/us-equity/eq-daily-ohlc';
const IPO = '/v1/data/us-equity-ref/eq-ipo';

/** When each version of the daily prices is published, at some second of a day. */
const PUBLISHED = ['2025-06-17T20:00:00Z', '2025-06-18T20:00:00Z', '2025-06-19T20:00:00Z'];

let service: TestService;

async function publishDay(date: string, ticker: string, price: number): Promise<void> {
  const dataset = service.dataset('eq_daily_ohlc');
  const cells: Readonly<Record<string, string | number>> = {
    ...{ TradeDate: date, Ticker: ticker, ClosePrice: price },
  };
  const row = dataset.columns.map(({ name }) => cells[name] ?? null);
  await publishRows(service, dataset, [row], 'append');
}

beforeAll(async () => {
  service = await openTestService();
  for (const [index, time] of PUBLISHED.entries()) {
    service.clock.set(time);
    await publishDay(time.slice(0, 10), `V${index + 1}`, index);
  }
  service.clock.set('2025-06-20T16:00:00Z');
  const policy = { retentionDays: 0, retentionVersions: 1, retentionBytesMax: 1e9 };
  await service.services.lake.publisher.prune(policy);
});
afterAll(() => service.close());

async function answerOf(url: string, headers: Record<string, string> = {}) {
  const answer = await service.get(url, headers);
  const body = answer.json();
  return { status: answer.statusCode, headers: answer.headers, body };
}

async function tickersOf(query: string): Promise<string[]> {
  const { status, body } = await answerOf(`${DAILY}?columns=Ticker&${query}`);
  expect([status, body.detail]).toEqual([200, undefined]);
  return body.data.map(({ Ticker }: { Ticker: string }) => Ticker);
}

describe('a request for a version', () => {
  it('reads what stood in it', async () => {
    expect(await tickersOf('')).toEqual(['V1', 'V2', 'V3']);
    expect(await tickersOf('dataset_version=3')).toEqual(['V1', 'V2', 'V3']);
    expect(await tickersOf('dataset_version=2')).toEqual(['V1', 'V2']);
  });

  it.each([
    ['2025-06-18T20:00:00Z', '2'],
    ['2025-06-18T16:00', '2'],
    ['2025-06-18%2016:00:00.999', '2'],
    ['2025-06-18T22:00:00%2B02:00', '2'],
    ['2025-06-19T19:59:59.999999999Z', '2'],
    ['2025-06-19T20:00:00Z', '3'],
    ['2199-01-01T00:00:00Z', '3'],
  ])('reads the version as of %s: %s', async (time, version) => {
    const { headers, body } = await answerOf(`${DAILY}?as_of=${time}`);
    expect([headers['x-dataset-version'], body.data.length]).toEqual([version, Number(version)]);
  });

  it('ends the default period with the version, and says so in every answer', async () => {
    for (const [query, end] of [
      ['', '2025-06-19'],
      ['dataset_version=2&', '2025-06-18'],
      ['as_of=2025-06-18T21:00:00Z&', '2025-06-18'],
    ]) {
      const window = `2025-06-17/${end}`;
      const url = `${DAILY}?${query}period=${end === '2025-06-19' ? 3 : 2}D`;
      const formats = ['json', 'csv', 'csv_gzip', 'arrow', 'parquet'].map((each) =>
        service.get(`${url}&response_format=${each}`),
      );
      const held = await service.get(url, { 'if-none-match': '*' });
      const empty = await service.get(`${url}&offset=100`);
      for (const answer of [...(await Promise.all(formats)), held, empty]) {
        expect(answer.headers['x-window']).toBe(window);
        expect(answer.headers['x-dataset-version']).toBe(end === '2025-06-19' ? '3' : '2');
      }
      expect(held.statusCode).toBe(304);
    }
  });

  it('is the same page, with the same tag, as the current version without it', async () => {
    const [plain, pinned] = await Promise.all([
      service.get(DAILY),
      service.get(`${DAILY}?dataset_version=3`),
    ]);
    expect([pinned.body, pinned.headers.etag]).toEqual([plain.body, plain.headers.etag]);
  });

  it('says what it would scan', async () => {
    const current = (await answerOf(SCAN)).body;
    const past = (await answerOf(`${SCAN}?dataset_version=2`)).body;
    expect([current.dataset_version, past.dataset_version]).toEqual([3, 2]);
    expect((await answerOf(`${SCAN}?as_of=2025-06-18T21:00:00Z`)).body).toEqual(past);
  });

  it('leads to next pages of its version, in place of what it asked by', async () => {
    for (const query of [
      'limit=1',
      'limit=1&dataset_version=3',
      'as_of=2025-06-19T20:00Z&limit=1',
    ]) {
      const { headers } = await answerOf(`${DAILY}?${query}`);
      const link = /^<(?:[^/]*\/\/[^/]*)?(.*)>; rel="next"$/.exec(String(headers.link))?.[1] ?? '';
      const parameters = new URL(link, 'http://a').searchParams;
      expect(parameters.getAll('dataset_version')).toEqual(['3']);
      expect(parameters.getAll('offset')).toEqual(['1']);
      expect(parameters.has('as_of')).toBe(false);
    }
  });

  it('looks for hints in its version', async () => {
    const hintOf = async (query: string) =>
      (await service.get(`${DAILY}?${query}`)).headers['x-hint'];
    expect(await hintOf('Ticker=v3')).toContain("there are rows for 'V3'");
    expect(await hintOf('Ticker=v3&dataset_version=2')).toBeUndefined();
    expect(await hintOf('Ticker=v2&dataset_version=2')).toContain("there are rows for 'V2'");
  });
});

describe('a request for a version that cannot be read', () => {
  it.each([
    ['dataset_version=1', 410, 'Dataset version 1 is no longer available'],
    ['as_of=2025-06-17T20:00:00Z', 410, 'Dataset version 1 is no longer available'],
    ['dataset_version=4', 404, 'Dataset version 4 has never been published'],
    ['as_of=2025-06-17T19:59:59Z', 404, 'The dataset had no version yet at 2025-06-17T19:59:59Z'],
  ])('is refused: %s is a %i', async (query, status, text) => {
    for (const path of [DAILY, SCAN]) {
      const { body, ...answer } = await answerOf(`${path}?${query}`);
      expect([answer.status, body]).toEqual([status, { detail: text }]);
    }
  });

  it('is refused where nothing was ever published', async () => {
    const { status, body } = await answerOf(`${IPO}?dataset_version=1`);
    expect([status, body.detail]).toEqual([404, 'Dataset version 1 has never been published']);
    const asOf = await answerOf(`${IPO}?as_of=2025-06-19T20:00Z`);
    expect(asOf.status).toBe(404);
  });

  it('is first judged by its grammar and its rights, then by its version, then by its dates', async () => {
    const { key, accountId } = await service.addAccount('limited');
    const statusOf = async (query: string) =>
      (await service.app.inject({ url: `${DAILY}?${query}`, headers: { 'x-api-key': key } }))
        .statusCode;
    expect(await statusOf('dataset_version=1&as_of=2025-06-19T20:00Z')).toBe(422);
    expect(await statusOf('dataset_version=1')).toBe(403);
    const { datasetId } = service.dataset('eq_daily_ohlc');
    const rule = { accountId, datasetId, startDate: '2025-06-18', endDate: null, universe: [] };
    await writing(service.services.store).rules.add(rule);
    expect(await statusOf('dataset_version=1&TradeDate=2025-06-17')).toBe(410);
    expect(await statusOf('dataset_version=2&TradeDate=2025-06-17')).toBe(422);
    expect(await statusOf('dataset_version=2&Nope=1')).toBe(422);
    expect(await statusOf('dataset_version=2')).toBe(200);
  });
});

describe('the rules of an account', () => {
  it('are those of now, for every version', async () => {
    const { key, accountId } = await service.addAccount('late');
    const { datasetId } = service.dataset('eq_daily_ohlc');
    await writing(service.services.store).rules.add({
      ...{ accountId, datasetId, startDate: '2025-06-18', endDate: null, universe: [] },
    });
    const answer = await service.app.inject({
      url: `${DAILY}?dataset_version=2&columns=Ticker`,
      headers: { 'x-api-key': key },
    });
    expect(answer.json().data).toEqual([{ Ticker: 'V2' }]);
  });
});
