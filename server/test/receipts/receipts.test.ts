/** Receipts of data answers: their claims, when one is sent, and that they change nothing else. */
import { hash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAILY_PATH, openContractService, TICK_PATH } from '../contract/fixture.ts';
import { countHashedBytes } from '../contract/hashed-bytes.ts';
import type { TestService } from '../harness.ts';
import { writing } from '../writing.ts';
import { claimsOn, verdictOn } from './answer-receipt.ts';

const PUBLIC_URL = 'https://data.example';
const ORIGIN = 'https://desk.example';

let service: TestService;
beforeAll(async () => {
  service = await openContractService({ corsOrigins: [ORIGIN], publicUrl: PUBLIC_URL });
});
afterAll(() => service.close());

const withReceipt = (url: string) => `${url}${url.includes('?') ? '&' : '?'}receipt=true`;
const ask = (url: string, headers = {}) => service.get(withReceipt(url), headers);

describe('a receipt', () => {
  it('says what was asked, of which version, and which bytes were the answer', async () => {
    const answer = await ask(`${TICK_PATH}?Price.gt=1e0&columns=Price,Ticker&sort=-Price&limit=2`);
    expect(answer.statusCode).toBe(200);
    const request =
      '/data/us-equity/eq-taq/2025-06-18/AAA?Price.gt=1&sort=-Price&columns=Price,Ticker' +
      '&offset=0&limit=2&response_format=json';
    expect(await claimsOn(service, answer)).toEqual({
      iss: PUBLIC_URL,
      iat: Date.parse('2025-06-20T16:00:00Z') / 1000,
      jti: answer.headers['x-request-id'],
      identity_id: service.accountId,
      dataset_id: 'US1032',
      dataset_name: service.dataset('eq_taq').name,
      dataset_version: 1,
      request,
      request_sha256: hash('sha256', request, 'hex'),
      window: null,
      universe: 'all',
      offset: 0,
      limit: 2,
      rows: 2,
      next_offset: 2,
      content_type: 'application/json',
      body_bytes: answer.rawPayload.length,
      body_sha256: hash('sha256', answer.rawPayload, 'hex'),
    });
  });

  it.each(['json', 'csv', 'csv_gzip', 'arrow', 'parquet'])(
    'is right for each page of a walk: %s',
    async (format) => {
      let url = withReceipt(`${DAILY_PATH}?sort=-Ticker&limit=3&response_format=${format}`);
      const offsets: unknown[] = [];
      for (;;) {
        const answer = await service.get(url);
        const { offset, rows, next_offset, request } = await claimsOn(service, answer);
        offsets.push([offset, rows, next_offset]);
        expect(request).toContain(`response_format=${format}`);
        const next = /<https:\/\/data\.example([^>]+)>/.exec(
          String(answer.headers.link ?? ''),
        )?.[1];
        if (next === undefined) break;
        expect(next).toContain('receipt=true');
        url = next;
      }
      expect(offsets).toEqual([
        [0, 3, 3],
        [3, 1, null],
      ]);
    },
  );

  it('tells the window that the period closed, in words and as the request', async () => {
    const answer = await ask(DAILY_PATH);
    const { window, request, rows } = await claimsOn(service, answer);
    expect(window).toBe(answer.headers['x-window']);
    expect(request).toBe(
      '/data/us-equity/eq-daily-ohlc?TradeDate.gt=2020-06-18&TradeDate.le=2025-06-18' +
        '&adjusted=false&aggregation_logic=algoseek&period=5Y&offset=0&limit=1000&response_format=json',
    );
    expect(rows).toBe(4);
  });

  it('has one text for all ways to write a request', async () => {
    const ways = [
      `${DAILY_PATH}?Ticker.in=BBB,AAA&OpenPrice.ge=20&TradeDate=2025-06-18`,
      `/api/v1/data/us-equity/daily-ohlc?TradeDate.eq=2025-06-18&OpenPrice.ge=2e1&Ticker.in=AAA,BBB,AAA`,
      `${DAILY_PATH}?offset=0&OpenPrice.ge=20.0&OpenPrice.ge=20&Ticker.in=%22BBB%22,AAA&TradeDate=2025-06-18&period=5Y`,
    ];
    const texts = await Promise.all(
      ways.map(async (url) => (await claimsOn(service, await ask(url))).request),
    );
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).toContain(
      'OpenPrice.ge=20&Ticker.in=AAA,BBB&TradeDate.eq=2025-06-18&adjusted=',
    );
  });

  it('fits into headers however long the request is, which is then told by its digest', async () => {
    const names = Array.from({ length: 900 }, (_, i) => `T${i}`).join(',');
    const url = `${DAILY_PATH}?Ticker.in=AAA,${names}`;
    const answer = await ask(url);
    expect(String(answer.headers['x-receipt']).length).toBeLessThan(1600);
    const { request, request_sha256, rows } = await claimsOn(service, answer);
    expect([request, rows]).toEqual([undefined, 2]);
    const scan = (await service.get(url.replace('/data/', '/data-scan/'))).json();
    expect(hash('sha256', scan.canonical_request, 'hex')).toBe(request_sha256);
    const short = await ask(`${DAILY_PATH}?Ticker=${'x'.repeat(800)}`);
    expect((await claimsOn(service, short)).request?.length).toBeGreaterThan(950);
    expect(String(short.headers['x-receipt']).length).toBeLessThan(3072);
  });

  it('names no issuer where no public URL is set, whatever the request names', async () => {
    const other = await openContractService();
    const answer = await other.get(withReceipt(TICK_PATH), { host: 'evil.example' });
    expect(await claimsOn(other, answer)).not.toHaveProperty('iss');
    expect(String(Buffer.from(String(answer.headers['x-receipt']), 'base64url'))).not.toContain(
      'evil',
    );
    await other.close();
  });

  it('says that rows were left out which the account may not read', async () => {
    const { key, accountId } = await service.addAccount('restricted');
    const { datasetId } = service.dataset('eq_daily_ohlc');
    const rule = { accountId, datasetId, startDate: '2025-06-18', endDate: null };
    await writing(service.services.store).rules.add({ ...rule, universe: ['AAA'] });
    const answer = await ask(DAILY_PATH, { 'x-api-key': key });
    const claims = await claimsOn(service, answer);
    expect(claims).toMatchObject({ rows: 1, universe: 'limited', identity_id: accountId });
    expect(claims.window).toBe('2025-06-18/2025-06-18');
    expect(claims.request).toContain('TradeDate.ge=2025-06-18&TradeDate.le=2025-06-18');
    const replayed = await ask(`/v1${claims.request}`, { 'x-api-key': key });
    expect(replayed.rawPayload).toEqual(answer.rawPayload);
  });

  it('is that of each caller, though they share the page', async () => {
    const { key, accountId } = await service.addAccount('another');
    const { datasetId } = service.dataset('eq_taq');
    const rule = { accountId, datasetId, startDate: '1900-01-01', endDate: null, universe: [] };
    await writing(service.services.store).rules.add(rule);
    const hits = service.services.pages.hitCount;
    const own = await ask(TICK_PATH);
    const others = await ask(TICK_PATH, { 'x-api-key': key });
    expect(service.services.pages.hitCount).toBeGreaterThan(hits);
    const ids = [own, others].map((answer) => claimsOn(service, answer));
    const [first, second] = await Promise.all(ids);
    expect([first?.identity_id, second?.identity_id]).toEqual([service.accountId, accountId]);
    expect(first?.body_sha256).toBe(second?.body_sha256);
    expect(first?.jti).not.toBe(second?.jti);
  });

  it('is refused for another body, and once it was changed', async () => {
    const answer = await ask(TICK_PATH);
    const { headers, rawPayload } = answer;
    const flipped = Buffer.from(rawPayload);
    flipped[10] = (flipped[10] as number) ^ 1;
    const wrong = await verdictOn(service, { headers, rawPayload: flipped });
    expect(wrong.problems).toEqual([expect.stringContaining('does not match')]);
    const [head, , signature] = String(headers['x-receipt']).split('.');
    const other = String((await ask(DAILY_PATH)).headers['x-receipt']).split('.')[1];
    const mixed = { 'x-receipt': `${head}.${other}.${signature}` };
    const { problems } = await verdictOn(service, { headers: mixed, rawPayload });
    expect(problems).toEqual([expect.stringContaining('signature')]);
  });
});

describe('asking for a receipt', () => {
  it('changes neither page nor tag, and makes no page anew', async () => {
    for (const format of ['json', 'csv', 'csv_gzip', 'arrow', 'parquet']) {
      const url = `${DAILY_PATH}?limit=2&response_format=${format}`;
      const plain = await service.get(url);
      const hits = service.services.pages.hitCount;
      const signed = await ask(url);
      expect(service.services.pages.hitCount).toBe(hits + 1);
      expect(signed.rawPayload).toEqual(plain.rawPayload);
      expect(signed.headers.etag).toBe(plain.headers.etag);
      expect(plain.headers['x-receipt']).toBeUndefined();
    }
  });

  it('gets none with a 304, whose page the client has with its receipt, and none with a refusal', async () => {
    const { headers } = await ask(TICK_PATH);
    const held = await ask(TICK_PATH, { 'if-none-match': String(headers.etag) });
    expect([held.statusCode, held.headers['x-receipt']]).toEqual([304, undefined]);
    for (const [url, status] of [
      [`${TICK_PATH}?Nope=1`, 422],
      ['/v1/data/us-equity/nothing', 404],
    ] as const) {
      const refused = await ask(url);
      expect([refused.statusCode, refused.headers['x-receipt']]).toEqual([status, undefined]);
    }
  });

  it.each(['yes', '1', ''])('with %j is refused', async (value) => {
    const answer = await service.get(`${TICK_PATH}?receipt=${value}`);
    expect(answer.statusCode).toBe(422);
    expect(answer.json().detail).toMatchObject([
      { loc: ['query', 'receipt'], msg: "Input should be 'true' or 'false'" },
    ]);
  });

  it('gets one for an answer without rows and for a dataset without publications', async () => {
    const none = await ask(`${DAILY_PATH}?Ticker=NOPE`);
    expect(await claimsOn(service, none)).toMatchObject({ rows: 0, next_offset: null });
    const empty = await ask('/v1/data/us-equity-ref/eq-adj-factors-basic');
    expect(await claimsOn(service, empty)).toMatchObject({ rows: 0, dataset_version: 0 });
  });

  it('hashes a page that is kept once', async () => {
    const hashed = countHashedBytes();
    try {
      const url = `${DAILY_PATH}?columns=Ticker`;
      const { rawPayload } = await ask(url);
      await ask(url);
      expect(hashed.take()).toBe(rawPayload.length);
      await service.get(`${DAILY_PATH}?columns=ASID&receipt=false`);
      expect(hashed.take()).toBe(0);
    } finally {
      hashed.restore();
    }
  });

  it('may be done by the pages of other origins', async () => {
    const { headers } = await ask(TICK_PATH, { origin: ORIGIN });
    expect(String(headers['access-control-expose-headers']).split(', ')).toContain('X-Receipt');
  });
});

describe('without a key that can be kept', () => {
  it('a receipt is refused by a 503, and other answers are not', async () => {
    const other = await openContractService();
    writeFileSync(join(other.services.config.home, 'receipts'), 'in the way');
    const refused = await other.get(withReceipt(TICK_PATH));
    expect([refused.statusCode, refused.json()]).toEqual([503, { detail: 'Service unavailable' }]);
    expect((await other.get(TICK_PATH)).statusCode).toBe(200);
    await other.close();
  });
});

describe('the keys of receipts', () => {
  it('are public, for as long as one stays right, and those of today and before', async () => {
    const other = await openContractService();
    const keysOf = async () => (await other.app.inject('/v1/receipts/keys')).json().keys;
    expect(await keysOf()).toEqual([]);
    const before = await other.get(withReceipt(TICK_PATH));
    const { kid } = await other.services.receiptKeys.rotate({ revokesFormer: false });
    const after = await other.get(withReceipt(TICK_PATH));
    expect((await verdictOn(other, before)).problems).toEqual([]);
    expect(await verdictOn(other, after)).toMatchObject({ problems: [], kid });
    const answer = await other.app.inject('/api/v1/receipts/keys');
    expect(answer.headers['cache-control']).toBe('public, max-age=300');
    expect(answer.json().keys).toHaveLength(2);
    for (const key of answer.json().keys) {
      expect(Object.keys(key).toSorted()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x']);
    }
    await other.services.receiptKeys.rotate({ revokesFormer: true });
    expect((await verdictOn(other, before)).problems).toEqual([
      expect.stringContaining('is not among those'),
    ]);
    await other.close();
  });
});
