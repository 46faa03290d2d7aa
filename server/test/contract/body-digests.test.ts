/** `Repr-Digest` gives the digest of a page to those who ask, at no cost to others. */
import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestService } from '../harness.ts';
import { DAILY_PATH, openContractService, TICK_PATH } from './fixture.ts';
import { countHashedBytes, type HashedBytes } from './hashed-bytes.ts';

const ORIGIN = 'https://desk.example';

let service: TestService;
let hashed: HashedBytes;
beforeAll(async () => {
  service = await openContractService({ corsOrigins: [ORIGIN] });
  hashed = countHashedBytes();
});
afterAll(async () => {
  hashed.restore();
  await service.close();
});

const digestOf = (name: 'sha256' | 'sha512', body: Buffer) => hash(name, body, 'base64');
const want = (url: string, wanted: string, more = {}) =>
  service.get(url, { 'want-repr-digest': wanted, ...more });

describe('Repr-Digest', () => {
  it.each(['json', 'csv', 'csv_gzip', 'arrow', 'parquet'])(
    'is that of the bytes as they are sent: %s',
    async (format) => {
      for (const path of [
        `${TICK_PATH}?`,
        `${DAILY_PATH}?limit=2&`,
        `${DAILY_PATH}?Ticker=NOPE&`,
      ]) {
        const url = `${path}response_format=${format}`;
        // Anew, and from the page cache.
        for (let round = 0; round < 2; round++) {
          const answer = await want(url, 'sha-256=1');
          const digest = digestOf('sha256', answer.rawPayload);
          expect(answer.statusCode).toBe(200);
          expect(answer.headers['repr-digest']).toBe(`sha-256=:${digest}:`);
          expect(answer.headers['content-encoding']).toBeUndefined();
        }
        const preferring = await want(url, 'sha-256=2, sha-512=8');
        const digest = digestOf('sha512', preferring.rawPayload);
        expect(preferring.headers['repr-digest']).toBe(`sha-512=:${digest}:`);
      }
    },
  );

  it('leaves the answer as it is otherwise', async () => {
    const { headers, rawPayload } = await service.get(TICK_PATH);
    const asked = await want(TICK_PATH, 'sha-256=1');
    const passing = ['repr-digest', 'date', 'x-request-id', 'x-amzn-requestid'];
    const steady = (all: object) => Object.entries(all).filter(([name]) => !passing.includes(name));
    expect(steady(asked.headers)).toEqual(steady(headers));
    expect(asked.rawPayload).toEqual(rawPayload);
  });

  it.each(['md5=1', 'sha-256=0', 'sha-256', ''])(
    'is absent where %j asks for none',
    async (wanted) => {
      const answer = await want(TICK_PATH, wanted);
      expect([answer.statusCode, answer.headers['repr-digest']]).toEqual([200, undefined]);
    },
  );

  it('is absent from an answer without a page', async () => {
    const { headers } = await service.get(TICK_PATH);
    const held = await want(TICK_PATH, 'sha-256=1', { 'if-none-match': String(headers.etag) });
    const refused = await want(`${TICK_PATH}?Nope=1`, 'sha-256=1');
    expect([held.statusCode, refused.statusCode]).toEqual([304, 422]);
    expect([held.headers['repr-digest'], refused.headers['repr-digest']]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('may be asked for and read by the pages of other origins', async () => {
    const { headers } = await service.get(TICK_PATH, { origin: ORIGIN });
    expect(headers['access-control-expose-headers']).toContain('Repr-Digest');
    const preflight = await service.app.inject({
      method: 'OPTIONS',
      url: TICK_PATH,
      headers: { origin: ORIGIN, 'access-control-request-method': 'GET' },
    });
    expect(preflight.headers['access-control-allow-headers']).toContain('Want-Repr-Digest');
  });
});

describe('hashing', () => {
  it('costs nothing where nobody asks, and is done once for a page that is kept', async () => {
    const url = `${TICK_PATH}?columns=Ticker,Price&limit=2`;
    hashed.take();
    await service.get(url);
    await service.get(`${url}&response_format=csv`);
    expect(hashed.take()).toBe(0);
    const { rawPayload } = await want(url, 'sha-256=1');
    expect(hashed.take()).toBe(rawPayload.length);
    await want(url, 'sha-256=1');
    expect(hashed.take()).toBe(0);
    const fresh = `${TICK_PATH}?columns=Ticker,Price&limit=1`;
    const first = await want(fresh, 'sha-256=1');
    expect(hashed.take()).toBe(first.rawPayload.length);
    await want(fresh, 'sha-256=1');
    expect(hashed.take()).toBe(0);
  });
});

describe('X-Request-Digest', () => {
  it.each([
    ['/status', '/status'],
    ['/%73tatus', '/status'],
    ['/symbology/search?q=a+b%26c', '/symbology/search?q=a b&c'],
    ['/symbology/search?q=a%20b%26c', '/symbology/search?q=a b&c'],
    ['/meta/datasets/US1032/columns', '/meta/datasets/US1032/columns'],
  ])('names the request below the prefix, however it is encoded: %s', async (target, asked) => {
    for (const prefix of service.services.config.prefixes) {
      const { headers } = await service.get(`${prefix}${target}`);
      expect(headers['x-request-digest']).toBe(`sha-256=:${hash('sha256', asked, 'base64')}:`);
    }
  });

  it('comes with a digest of all JSON that is no page of rows', async () => {
    for (const path of ['/v1/status', '/v1/openapi.json', '/v1/meta/datasets/US1032/columns']) {
      const { headers, rawPayload } = await service.get(path);
      expect(headers['repr-digest']).toBe(`sha-256=:${digestOf('sha256', rawPayload)}:`);
      const held = await service.get(path, { 'if-none-match': `${headers.etag}` });
      if (headers.etag)
        expect([held.statusCode, held.headers['repr-digest']]).toEqual([304, undefined]);
    }
  });
});
