/** A receipt's request can be sent again: the answer has the bytes that were signed. */
import { hash } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestService, type TestService } from '../harness.ts';
import { anyRequest } from '../oracle/random-request.ts';
import { anyRows } from '../oracle/random-rows.ts';
import { type Row, readRows } from '../oracle/read-rows.ts';
import { partFiles } from '../part-files.ts';
import { repetitions } from '../repetitions.ts';
import { expectCameAcross, SEED } from '../seed.ts';
import { claimsOn } from './answer-receipt.ts';

const TEXT_IDS = ['eq_taq', 'eq_taq_1min', 'eq_daily_ohlc', 'eq_sec_master', 'fut_mult_depth'];
const ROWS_PER_DATASET = 300;
const REQUESTS_PER_DATASET = repetitions('TICKLAKE_REPLAYED_REQUESTS', 5);

let service: TestService;
const rowsOf = new Map<string, Row[]>();
beforeAll(async () => {
  // Without kept pages, so that each is made anew.
  service = await openTestService({ pageCacheBytes: 0 });
  for (const textId of TEXT_IDS) {
    const dataset = service.dataset(textId);
    const [rows = []] = fc.sample(anyRows(dataset, ROWS_PER_DATASET), 1);
    await service.publish(textId, rows);
    const files = await partFiles(service.services.lake, dataset.datasetId);
    rowsOf.set(textId, await readRows(dataset, files));
  }
});
afterAll(() => service.close());

const anyOffset = fc.constantFrom(0, 0, 1, 20);

it.each(TEXT_IDS)('the requests of receipts for %s get the same bytes again', async (textId) => {
  const requests = anyRequest(service.dataset(textId), rowsOf.get(textId) ?? []);
  await fc.assert(
    fc.asyncProperty(requests, anyOffset, async ({ url }, offset) => {
      const first = await service.get(`/v1${url}&offset=${offset}&receipt=true`);
      expect(first.statusCode, first.body).toBe(200);
      const claims = await claimsOn(service, first);
      expect(hash('sha256', String(claims.request), 'hex')).toBe(claims.request_sha256);
      const again = await service.get(`/v1${claims.request}&receipt=true`);
      expect(again.statusCode, `${claims.request}: ${again.body}`).toBe(200);
      expect(hash('sha256', again.rawPayload, 'hex')).toBe(claims.body_sha256);
      const { iat: _, jti: __, window: ___, ...asked } = claims;
      expect(await claimsOn(service, again)).toMatchObject(asked);
    }),
    { numRuns: REQUESTS_PER_DATASET },
  );
});

it('gets them still after later publications, from the version of the receipt', async () => {
  const dataset = service.dataset('eq_daily_ohlc');
  const requests = fc.sample(anyRequest(dataset, rowsOf.get('eq_daily_ohlc') ?? []), 10);
  const receipts = [];
  for (const { url } of requests) {
    receipts.push(await claimsOn(service, await service.get(`/v1${url}&receipt=true`)));
  }
  const others = { numRuns: 1, seed: SEED + 1 };
  const [rows = []] = fc.sample(anyRows(dataset, ROWS_PER_DATASET), others);
  await service.publish('eq_daily_ohlc', rows);
  let changedCount = 0;
  for (const { request, dataset_version: version, body_sha256: sha256 } of receipts) {
    const pinned = await service.get(`/v1${request}&dataset_version=${version}&receipt=true`);
    expect(pinned.statusCode, `${request}: ${pinned.body}`).toBe(200);
    const claims = await claimsOn(service, pinned);
    expect(claims).toMatchObject({ request, dataset_version: version, body_sha256: sha256 });
    const now = await service.get(`/v1${request}`);
    if (hash('sha256', now.rawPayload, 'hex') !== sha256) changedCount++;
  }
  expectCameAcross({ 'changed pages': changedCount });
});
