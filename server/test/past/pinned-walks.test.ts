/**
 * A walk gives what one request for its first page's version would, however often the dataset is
 * published between pages: replaced, appended to, partitions dropped, days going by.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestService, type TestService } from '../harness.ts';
import { repetitions } from '../repetitions.ts';
import { type Reached, readWalk, WALK_FORMATS, type WalkFormat } from './read-walk.ts';
import { anyRepublication, republish } from './republished-dataset.ts';

const WALKS = repetitions('TICKLAKE_PINNED_WALKS', 3);
const ROWS = 60;
const HOURS_MS = 3_600_000;

/** Requests that find some of the random rows, under orders that are kept on disk and others. */
const REQUESTS: Readonly<Record<string, readonly string[]>> = {
  eq_daily_ohlc: [
    '/v1/data/us-equity/eq-daily-ohlc?',
    '/v1/data/us-equity/eq-daily-ohlc?sort=-ClosePrice,Ticker',
    '/v1/data/us-equity/eq-daily-ohlc?Ticker.in=AAA,AAB&sort=DailyVolume&columns=Ticker,DailyVolume',
    '/v1/data/us-equity/eq-daily-ohlc?TradeDate.ge=2024-11-04&period=3Y',
  ],
  eq_adj_factors_basic: [
    '/v1/data/us-equity-ref/eq-adj-factors-basic?',
    '/v1/data/us-equity-ref/eq-adj-factors-basic?EffectiveDate.ge=2024-11-04&sort=-AdjustmentFactor',
  ],
  eq_taq: [
    '/v1/data/us-equity/eq-taq/2024-11-01/AAA?',
    '/v1/data/us-equity/eq-taq/2024-11-01/AAA?sort=-Price',
  ],
};

interface AskedWalk {
  readonly textId: string;
  readonly request: string;
  readonly format: WalkFormat;
  readonly limit: number;
}

const anyWalk: fc.Arbitrary<AskedWalk> = fc.constantFrom(...Object.keys(REQUESTS)).chain((textId) =>
  fc.record({
    textId: fc.constant(textId),
    request: fc.constantFrom(...(REQUESTS[textId] ?? [])),
    format: fc.constantFrom(...WALK_FORMATS),
    limit: fc.integer({ min: 3, max: 20 }),
  }),
);

describe('a walk', () => {
  let service: TestService;
  let reached: Reached;
  beforeAll(async () => {
    service = await openTestService();
    const origin = await service.app.listen({ host: '127.0.0.1', port: 0 });
    reached = { origin, key: service.key };
    for (const textId of Object.keys(REQUESTS)) {
      await republish(service, service.dataset(textId), 'replace', ROWS);
    }
  });
  afterAll(() => service.close());

  it('is the one-shot answer of its version, whatever is published between its pages', async () => {
    let pageCount = 0;
    await fc.assert(
      fc.asyncProperty(anyWalk, fc.infiniteStream(anyRepublication), async (asked, modes) => {
        const { textId, request, format, limit } = asked;
        const dataset = service.dataset(textId);
        await republish(service, dataset, 'append', ROWS);
        const shaped = `${request}&response_format=${format}`;
        const whole = await readWalk(reached, `${shaped}&limit=10000`, format);
        expect(whole.pageCount).toBe(1);
        const walk = await readWalk(reached, `${shaped}&limit=${limit}`, format, async () => {
          const [mode = 'replace'] = modes.take(1);
          await republish(service, dataset, mode, 5);
          const later = service.clock.now() + 9 * HOURS_MS;
          service.clock.set(new Date(later).toISOString());
        });
        expect(walk.rows).toEqual(whole.rows);
        expect([walk.version, walk.window]).toEqual([whole.version, whole.window]);
        const pinned = `${shaped}&limit=10000&dataset_version=${whole.version}`;
        const again = await readWalk(reached, pinned, format);
        expect(again).toEqual(whole);
        pageCount += walk.pageCount;
        service.clock.set('2025-06-20T16:00:00Z');
      }),
      { numRuns: WALKS },
    );
    expect(pageCount).toBeGreaterThan(WALKS);
  });
});
