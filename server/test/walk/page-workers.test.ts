/** Pages that worker threads make are the pages that the main thread makes, even where they die. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { BUFFER_LIMITS } from '../../src/base/budgets.ts';
import type { CellValue } from '../../src/engine/columns.ts';
import type { Told } from '../../src/engine/duckdb/reading/page-worker.ts';
import type { TextFormat, TextPage } from '../../src/engine/engine.ts';
import type { QueryPlan } from '../../src/engine/query-plan.ts';
import { BLOCK_BYTES } from '../../src/formats/byte-sink.ts';
import { wholeBody } from '../../src/response/page.ts';
import { openTestService, type TestService, WITH_WORKERS } from '../harness.ts';
import { repetitions } from '../repetitions.ts';
import { until } from '../until.ts';

const threads = vi.hoisted((): Worker[] => []);
/** Blocks of all workers. */
const known = vi.hoisted(() => ({ blockCount: 0 }));
/** Given to workers besides. */
const given = vi.hoisted((): { heapPartMax?: number } => ({}));
vi.mock('node:worker_threads', async (importOriginal) => {
  const original = await importOriginal<typeof import('node:worker_threads')>();
  class ListedWorker extends original.Worker {
    constructor(...[program, options]: ConstructorParameters<typeof Worker>) {
      super(program, { ...options, workerData: { ...options?.workerData, ...given } });
      threads.push(this);
      this.on('message', (told: Told) => {
        if (told.is !== 'page') return;
        known.blockCount += told.pieces.filter((piece) => 'memory' in piece).length;
      });
    }
  }
  return { ...original, Worker: ListedWorker };
});

const TICKERS = ['AAA', 'BBB', 'CCC', 'DDD', 'EEE'];
const ROWS_PER_TICKER = 12_000;
const PAGES_AT_ONCE = 5;
const PAGE_SETS = repetitions('TICKLAKE_WORKER_PAGES', 3);
const KILLS = repetitions('TICKLAKE_WORKER_KILLS', 2);
const ABANDONED_PAGES = 16;
const FIRST_NANOS = BigInt(Date.parse('2025-06-18T13:30:00Z')) * 1_000_000n;

function tick(ticker: string, t: number, row: number): CellValue[] {
  const time = FIRST_NANOS + BigInt(row) * 1_000_000n;
  return ['2025-06-18', time, 'TRADE', ticker, BigInt(11 + t), 100 + row / 100, row % 7, 'NYSE', 1];
}

let service: TestService;
/** Whose plans a real request has. */
const plans: QueryPlan[] = [];
const texts: (TextPage | null)[] = [];

beforeAll(async () => {
  const settings = { pageCacheBytes: 0, queriesMax: PAGES_AT_ONCE, engineThreads: 2 };
  service = await openTestService({ ...settings, ...WITH_WORKERS });
  const rows = TICKERS.flatMap((ticker, t) =>
    Array.from({ length: ROWS_PER_TICKER }, (_, row) => tick(ticker, t, row)),
  );
  await service.publish('eq_taq', rows);
  const { engine } = service.services;
  const { text } = engine;
  Object.assign(engine, {
    text: async (plan: QueryPlan, format: TextFormat, signal: AbortSignal) => {
      const page = (await text?.(plan, format, signal)) ?? null;
      plans.push(plan);
      texts.push(page);
      return page;
    },
  });
  await untilWorking();
});
afterAll(() => service.close());

const pathOf = (ticker: string, format: string, limit: number, offset: number, filter = '') =>
  `/v1/data/us-equity/eq-taq/2025-06-18/${ticker}?response_format=${format}&limit=${limit}&offset=${offset}${filter}`;

const untilWorking = () =>
  until(async () => {
    await service.get(pathOf('AAA', 'csv', 5000, 0));
    return texts.at(-1) !== null;
  });

/** A page that no worker makes. */
async function onMainThread(path: string): Promise<Buffer> {
  const { engine } = service.services;
  const { text } = engine;
  Object.assign(engine, { text: async () => null });
  const { rawPayload } = await service.get(path);
  Object.assign(engine, { text });
  return rawPayload;
}

/** Begins the page after one, and does not wait for it. */
async function leaveNext(plan: QueryPlan): Promise<void> {
  const leaving = new AbortController();
  const next = { ...plan, offset: plan.offset + plan.limit };
  const left = service.services.engine.text?.(next, 'csv', leaving.signal);
  leaving.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
}

const FORMATS = fc.constantFrom('json', 'json&numbers=string', 'csv', 'csv_gzip');
const FILTERS = fc.constantFrom(
  ...['', '&Quantity=3', '&Quantity.ge=2&Price.lt=190', '&sort=-Price', '&sort=Quantity'],
);
const PAGE = fc.tuple(
  fc.constantFrom(...TICKERS),
  FORMATS,
  fc.integer({ min: 3000, max: 10_000 }),
  fc.integer({ min: 0, max: 13_000 }),
  FILTERS,
);

describe('page workers', () => {
  it('write the bytes that the main thread writes, in any order and at the same time', async () => {
    const before = texts.length;
    await fc.assert(
      fc.asyncProperty(
        fc.array(PAGE, { minLength: 1, maxLength: PAGES_AT_ONCE }),
        async (pages) => {
          const paths = pages.map((page) => pathOf(...page));
          const answers = await Promise.all(paths.map((path) => service.get(path)));
          for (const [p, path] of paths.entries()) {
            expect(answers[p]?.rawPayload.equals(await onMainThread(path)), path).toBe(true);
          }
        },
      ),
      { numRuns: PAGE_SETS },
    );
    expect(texts.slice(before).some((page) => page !== null)).toBe(true);
  });

  it('write the pages of walks, one or more at a time, of which some are left and gone on with', async () => {
    const walk = fc.tuple(fc.constantFrom(...TICKERS), FORMATS, FILTERS, fc.boolean());
    const walks = fc.array(walk, { minLength: 1, maxLength: 2 });
    const before = texts.length;
    await fc.assert(
      fc.asyncProperty(walks, async (each) => {
        for (let offset = 0; offset < ROWS_PER_TICKER; offset += 2400) {
          const pages = each.map(async ([ticker, format, filter, leaves]) => {
            const path = pathOf(ticker, format, 2400, offset, filter);
            const answer = await service.get(path);
            if (leaves) await leaveNext(plans.at(-1) as QueryPlan);
            return { path, answer };
          });
          for (const { path, answer } of await Promise.all(pages)) {
            expect(answer.rawPayload.equals(await onMainThread(path)), path).toBe(true);
          }
        }
      }),
      { numRuns: PAGE_SETS },
    );
    expect(texts.slice(before).some((page) => page !== null)).toBe(true);
  });

  it('are asked for with plans that tell the next one of a walk, which may be begun before', async () => {
    for (const order of ['', '&sort=-Price']) {
      const before = plans.length;
      for (const offset of [0, 2400, 4800]) {
        await service.get(pathOf('AAA', 'csv', 2400, offset, order));
      }
      const [first, ...next] = plans.slice(before);
      // As a worker compares them, after they were handed over.
      const expected = [2400, 4800].map((offset) => ({ ...structuredClone(first), offset }));
      expect(isDeepStrictEqual(structuredClone(next), expected)).toBe(true);
      expect(texts.at(-1)?.rowCount).toBe(2400);
    }
  });

  it('end with the reason of whoever aborts them', async () => {
    const reason = new Error('the client went away');
    const leaving = new AbortController();
    const { engine } = service.services;
    const page = engine.text?.(plans[0] as QueryPlan, 'csv', leaving.signal);
    leaving.abort(reason);
    await expect(page).rejects.toBe(reason);
    const again = await engine.text?.(plans[0] as QueryPlan, 'csv', new AbortController().signal);
    expect(again?.rowCount).toBe(5000);
    if (again) await wholeBody(again.body);
  });

  it('use their blocks again, however many gzip pages are abandoned', async () => {
    await service.get(pathOf('AAA', 'csv', 10_000, 0));
    const plan = plans.at(-1) as QueryPlan;
    const { engine } = service.services;
    const before = known.blockCount;
    for (let page = 0; page < ABANDONED_PAGES; page++) {
      const leaving = new AbortController();
      const abandoned = engine.text?.(plan, 'csv_gzip', leaving.signal);
      leaving.abort(new Error('the client went away'));
      await expect(abandoned).rejects.toThrow('the client went away');
      const next = await engine.text?.(plan, 'csv', new AbortController().signal);
      expect(next?.rowCount).toBe(10_000);
      if (next) await wholeBody(next.body);
    }
    expect(known.blockCount - before).toBeLessThan(ABANDONED_PAGES / 2);
  });

  it('make so many blocks and no more, however many pages nobody reads', async () => {
    const blocksMax = BUFFER_LIMITS.sharedBlocks / BLOCK_BYTES;
    const plan = plans.at(-1) as QueryPlan;
    const { engine } = service.services;
    const whole = await onMainThread(pathOf('AAA', 'csv', 10_000, 0));
    const before = known.blockCount;
    const pageCount = Math.ceil((1.2 * blocksMax * BLOCK_BYTES) / whole.length);
    // All pages of a walk are of one worker.
    const counts: number[] = [];
    for (let round = 0; round < 2; round++) {
      const pages: TextPage[] = [];
      for (let page = 0; page < pageCount; page++) {
        const made = await engine.text?.(plan, 'csv', new AbortController().signal);
        if (made) pages.push(made);
      }
      for (const { body } of pages) expect((await wholeBody(body)).equals(whole)).toBe(true);
      expect(pages).toHaveLength(pageCount);
      counts.push(known.blockCount);
    }
    expect((counts[0] as number) - before).toBeLessThanOrEqual(blocksMax);
    expect(new Set(counts).size).toBe(1);
  });

  it('may die in the middle of pages: each request is answered, and nothing else notices', async () => {
    const { metrics, gate, unsent } = service.services;
    const { engineErrors, workerDeaths } = metrics;
    const read = async (counter: typeof workerDeaths) => (await counter.get()).values[0]?.value;
    const onDeath = vi.spyOn(service.services.engine, 'onWorkerDeath');
    const moments = fc.tuple(
      fc.array(PAGE, { minLength: PAGES_AT_ONCE, maxLength: PAGES_AT_ONCE }),
      fc.integer({ min: 0, max: 12 }),
    );
    await fc.assert(
      fc.asyncProperty(moments, async ([pages, turnsLog2]) => {
        await untilWorking();
        const paths = pages.map((page) => pathOf(...page));
        const answers = paths.map((path) => service.get(path));
        for (let turn = 0; turn < 2 ** turnsLog2; turn++) await nextTurn();
        const [oldest] = threads.splice(0, 1) as [Worker];
        // No message of that kind is expected, so that its handler throws.
        oldest.postMessage(null);
        await new Promise((resolve) => oldest.once('exit', resolve));
        for (const [p, answer] of answers.entries()) {
          const { statusCode, rawPayload } = await answer;
          expect(statusCode).toBe(200);
          expect(rawPayload.equals(await onMainThread(paths[p] as string)), paths[p]).toBe(true);
        }
      }),
      { numRuns: KILLS, endOnFailure: true },
    );
    expect(onDeath).toHaveBeenCalledTimes(KILLS);
    expect([await read(workerDeaths), await read(engineErrors)]).toEqual([KILLS, 0]);
    await expect.poll(() => [gate.runningCount, unsent.byteCount]).toEqual([0, 0]);
  });

  it('die in time where their heap fills up, and others take over', async () => {
    const onDeath = vi.spyOn(service.services.engine, 'onWorkerDeath');
    const path = pathOf('AAA', 'csv', 5000, 0);
    const expected = await onMainThread(path);
    const causes = () => onDeath.mock.calls.map(([{ cause }]) => (cause as Error).message);
    given.heapPartMax = 0;
    for (const thread of threads) thread.postMessage(null);
    await until(async () => {
      const { rawPayload } = await service.get(path);
      expect(rawPayload.equals(expected)).toBe(true);
      return causes().includes('its heap is nearly full');
    });
    given.heapPartMax = 0.5;
    await untilWorking();
  });
});
