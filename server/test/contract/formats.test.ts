import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestService } from '../harness.ts';
import { DAILY_PATH, openContractService, TICK_PATH } from './fixture.ts';

let service: TestService;
beforeAll(async () => {
  service = await openContractService();
});
afterAll(() => service.close());

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** All headers but those that differ at each request, whose form is checked instead. */
function steadyHeaders(headers: Record<string, unknown>) {
  const { date, etag, 'x-request-id': backend, 'x-amzn-requestid': edge, ...others } = headers;
  const { 'x-request-digest': asked, ...steady } = others;
  expect(asked).toMatch(/^sha-256=:[\w+/]{43}=:$/);
  expect(etag).toMatch(/^(W\/)?"[\w-]{43}"$/);
  expect(date).toMatch(/GMT$/);
  expect(backend).toMatch(UUID);
  expect(edge).toMatch(UUID);
  expect(backend).not.toBe(edge);
  return steady;
}

const TICK_ROWS_JSON = [
  '{"TradeDate":"2025-06-18","EventDateTime":"2025-06-18T09:30:00.000000001-04:00","EventType":"QUOTE BID","Ticker":"AAA","ASID":1010000000000001,"Price":146.18,"Quantity":300,"Exchange":"EDGX","ConditionCode":1}',
  '{"TradeDate":"2025-06-18","EventDateTime":"2025-06-18T09:30:00.000000001-04:00","EventType":"TRADE","Ticker":"AAA","ASID":1010000000000001,"Price":146.19,"Quantity":100,"Exchange":"NASDAQ","ConditionCode":1}',
  '{"TradeDate":"2025-06-18","EventDateTime":"2025-06-18T09:30:00.999999999-04:00","EventType":"TRADE NB","Ticker":"AAA","ASID":1010000000000001,"Price":146.2,"Quantity":7,"Exchange":"FINRA","ConditionCode":2147484673}',
];

describe('a JSON page', () => {
  it('has this body and these headers on the last page', async () => {
    const answer = await service.get(TICK_PATH);
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toBe(
      `{"data":[${TICK_ROWS_JSON.join(',')}],"pagination":{"offset":0,"limit":1000,"next_offset":null}}`,
    );
    expect(steadyHeaders(answer.headers)).toEqual({
      'content-type': 'application/json',
      'content-length': `${answer.rawPayload.length}`,
      'cache-control': 'private, no-cache',
      vary: 'Origin, X-API-KEY, Cookie, Accept, Accept-Encoding',
      'x-content-type-options': 'nosniff',
      'x-dataset-version': '1',
      connection: 'keep-alive',
    });
  });

  it('names the next page by its offset and by a link to the same host', async () => {
    const answer = await service.get(`${TICK_PATH}?limit=2&sort=EventDateTime`, {
      host: 'data.example.com:8080',
    });
    expect(answer.json().pagination).toEqual({ offset: 0, limit: 2, next_offset: 2 });
    expect(answer.headers.link).toBe(
      `<http://data.example.com:8080${TICK_PATH}?limit=2&sort=EventDateTime&dataset_version=1&offset=2>; rel="next"`,
    );
    const next = await service.get(`${TICK_PATH}?limit=2&sort=EventDateTime&offset=2`);
    expect(next.body).toBe(
      `{"data":[${TICK_ROWS_JSON[2]}],"pagination":{"offset":2,"limit":2,"next_offset":null}}`,
    );
    expect(next.headers.link).toBeUndefined();
  });

  it('holds the columns asked for, in the order asked for', async () => {
    const answer = await service.get(`${TICK_PATH}?columns=Price,Ticker&limit=1`);
    expect(answer.body).toContain('{"data":[{"Price":146.18,"Ticker":"AAA"}]');
  });

  it('has integers and decimals as texts, if asked for, also in its next page', async () => {
    const answer = await service.get(`${TICK_PATH}?numbers=string&limit=2`);
    const texts = TICK_ROWS_JSON.map((row) =>
      row.replaceAll(/"(ASID|Quantity|ConditionCode)":(\d+)/g, '"$1":"$2"'),
    );
    expect(answer.body).toBe(
      `{"data":[${texts.slice(0, 2).join(',')}],"pagination":{"offset":0,"limit":2,"next_offset":2}}`,
    );
    const [, next = ''] = /<(.+?)>/.exec(String(answer.headers.link)) ?? [];
    expect((await service.get(next)).body).toContain(`{"data":[${texts[2]}]`);
    const usual = await service.get(`${TICK_PATH}?numbers=number&limit=2`);
    expect(usual.body).toBe((await service.get(`${TICK_PATH}?limit=2`)).body);
    expect(usual.headers.etag).not.toBe(answer.headers.etag);
    const scan = await service.get(`${TICK_PATH.replace('/data/', '/data-scan/')}?numbers=string`);
    expect(scan.json().canonical_request).toContain('&response_format=json&numbers=string');
  });

  it('alone has numbers as texts: other formats have them exactly', async () => {
    for (const format of ['csv', 'arrow']) {
      const refused = await service.get(`${TICK_PATH}?response_format=${format}&numbers=string`);
      expect(refused.json().detail).toEqual([
        {
          type: 'inapplicable_parameter',
          loc: ['query', 'numbers'],
          msg: `numbers=string does not apply to response_format '${format}'`,
          input: 'string',
          ctx: {},
        },
      ]);
    }
    const bulk = TICK_PATH.replace(/\/data\/(.*?)\/\d.*/, '/bulk/$1?TradeDate=2025-06-18');
    const files = await service.get(`${bulk}&numbers=string`);
    expect(files.json().detail).toMatchObject([{ msg: 'numbers does not apply to bulk requests' }]);
    const byHeader = await service.get(`${TICK_PATH}?numbers=string`, { accept: 'text/csv' });
    expect(byHeader.statusCode).toBe(422);
    const unknown = await service.get(`${TICK_PATH}?numbers=text`);
    expect(unknown.json().detail).toMatchObject([{ type: 'enum', loc: ['query', 'numbers'] }]);
  });

  it('is empty, not an error, without rows', async () => {
    for (const url of [
      '/v1/data/us-equity/eq-taq/2025-06-18/NOPE',
      '/v1/data/us-equity/eq-taq/2025-06-14/AAA',
      `${TICK_PATH}?offset=1000000000000`,
      `${DAILY_PATH}?Ticker=NOPE`,
      '/v1/data/us-futures/fut-trades-1min?Ticker=ESU25',
      '/v1/data/us-equity/eq-otc-taq/2025-06-18/AAA',
    ]) {
      const answer = await service.get(url);
      expect(answer.statusCode, url).toBe(200);
      expect(answer.json()).toMatchObject({ data: [], pagination: { next_offset: null } });
    }
  });

  it('shows arrays as JSON arrays, quotes escaped, and null apart from an empty array', async () => {
    const answer = await service.get('/v1/data/us-equity-ref/eq-sec-master');
    expect(answer.json().data).toEqual([
      {
        SecId: 1,
        ASID: 1010000000000001,
        ListStatus: 'L',
        SecurityDescription: 'Equity Shares',
        Sic: 3571,
        Sector: 'Manufacturing',
        Industry: 'Electronic Computers',
        SEDOL: '',
        Ticker: ['AAO', 'AAA'],
        TickerStartToEndDate: ['20070103:20191231', '20200101:20991231'],
        Name: ['Alpha "A" Corporation'],
        NameStartToEndDate: ['20200101:20991231'],
        ISIN: [],
        ISINStartToEndDate: [],
        USIdentifier: null,
        USIdentifierStartToEndDate: null,
        PrimaryExchange: ['NYSE'],
        PrimaryExchangeStartToEndDate: ['20200101:20991231'],
        FIGI: [''],
      },
    ]);
  });

  it('gives futures bar times on the clock of Chicago, whole seconds, with the offset', async () => {
    const answer = await service.get('/v1/data/us-futures/fut-trades-1min?Ticker=ESU5');
    expect(answer.json().data).toMatchObject([
      { TradeDate: '2025-06-18', BarDateTime: '2025-06-18T17:00:00-05:00', OpenPrice: 6000.25 },
    ]);
  });
});

describe('a CSV page', () => {
  it('has this body and these headers on the first and on the last page', async () => {
    const columns = 'columns=EventDateTime,EventType,Price';
    const first = await service.get(`${TICK_PATH}?response_format=csv&limit=2&${columns}`);
    expect(first.body).toBe(
      '"EventDateTime","EventType","Price"\n' +
        '2025-06-18T09:30:00.000000001-04:00,QUOTE BID,146.18\n' +
        '2025-06-18T09:30:00.000000001-04:00,TRADE,146.19\n',
    );
    expect(steadyHeaders(first.headers)).toEqual({
      'content-type': 'text/csv',
      'content-length': `${first.rawPayload.length}`,
      'x-pagination-limit': '2',
      'x-pagination-next-offset': '2',
      'x-pagination-offset': '',
      link: `<http://localhost:80${TICK_PATH}?response_format=csv&limit=2&${columns}&dataset_version=1&offset=2>; rel="next"`,
      'cache-control': 'private, no-cache',
      vary: 'Origin, X-API-KEY, Cookie, Accept, Accept-Encoding',
      'x-content-type-options': 'nosniff',
      'x-dataset-version': '1',
      connection: 'keep-alive',
    });
    const last = await service.get(`${TICK_PATH}?response_format=csv&limit=2&${columns}&offset=2`);
    expect(last.body).toBe('2025-06-18T09:30:00.999999999-04:00,TRADE NB,146.2\n');
    expect(last.headers).toMatchObject({
      'x-pagination-limit': '2',
      'x-pagination-next-offset': '',
      'x-pagination-offset': '2',
    });
  });

  it('quotes what needs it and leaves null empty', async () => {
    const answer = await service.get(
      '/v1/data/us-equity-ref/eq-trading-halts?response_format=csv&columns=Name,PauseThresholdPrice,QuoteResumeDateTime,ResumeDateTime',
    );
    expect(answer.body).toBe(
      '"Name","PauseThresholdPrice","QuoteResumeDateTime","ResumeDateTime"\n' +
        '"Beta, ""B"" Corporation",19.5,,2025-06-18T10:05:00-04:00\n',
    );
  });

  it('shows an array as its JSON text in one quoted field', async () => {
    const answer = await service.get(
      '/v1/data/us-equity-ref/eq-sec-master?response_format=csv&columns=SecId,Ticker,Name,ISIN,USIdentifier',
    );
    expect(answer.body).toBe(
      '"SecId","Ticker","Name","ISIN","USIdentifier"\n' +
        '1,"[""AAO"",""AAA""]","[""Alpha \\""A\\"" Corporation""]","[]",\n',
    );
  });
});

describe('a csv_gzip page', () => {
  it('is the CSV page in gzip bytes, under a suggested name and without Content-Encoding', async () => {
    const csv = await service.get(`${TICK_PATH}?response_format=csv`);
    const answer = await service.get(`${TICK_PATH}?response_format=csv_gzip`, {
      'accept-encoding': 'gzip, br',
    });
    expect([...answer.rawPayload.subarray(0, 2)]).toEqual([0x1f, 0x8b]);
    expect(gunzipSync(answer.rawPayload).toString()).toBe(csv.body);
    expect(steadyHeaders(answer.headers)).toEqual({
      'content-type': 'application/gzip',
      'content-length': `${answer.rawPayload.length}`,
      'content-disposition': 'attachment; filename="eq_taq_2025-06-18_AAA.csv.gz"',
      'x-pagination-limit': '8000',
      'x-pagination-next-offset': '',
      'x-pagination-offset': '',
      'cache-control': 'private, no-cache',
      vary: 'Origin, X-API-KEY, Cookie, Accept, Accept-Encoding',
      'x-content-type-options': 'nosniff',
      'x-dataset-version': '1',
      connection: 'keep-alive',
    });
  });
});

describe('paths', () => {
  it('answers under both prefixes and under short and prefixed segments alike', async () => {
    const body = (await service.get(TICK_PATH)).body;
    for (const path of [
      '/api/v1/data/us-equity/eq-taq/2025-06-18/AAA',
      '/v1/data/us-equity/taq/2025-06-18/AAA',
      '/v1/data/us-equity/eq-taq/2025-06-18/1010000000000001',
      '/v1/data/us-equity/eq-taq/2025-06-18/%41AA',
    ]) {
      const answer = await service.get(path);
      expect(answer.body, path).toBe(body);
    }
  });

  it('chooses the variant by adjusted and aggregation_logic', async () => {
    const rows = async (query: string) =>
      (await service.get(`${DAILY_PATH}?${query}`)).json().data as Record<string, unknown>[];
    expect(await rows('')).toHaveLength(4);
    expect(await rows('adjusted=false&aggregation_logic=algoseek')).toHaveLength(4);
    expect(await rows('adjusted=true')).toMatchObject([{ Ticker: 'AAA', PriceAdjFactor: 0.5 }]);
    expect(await rows('aggregation_logic=industry_std')).toMatchObject([{ Ticker: 'BBB' }]);
    expect(await rows('aggregation_logic=industry_std&adjusted=true')).toEqual([]);
  });
});
