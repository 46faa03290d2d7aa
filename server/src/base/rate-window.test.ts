import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fixedClock } from './clock.ts';
import { RateLimit, RateWindow } from './rate-window.ts';

function openLimit() {
  const clock = fixedClock('2025-06-20T16:00:00Z');
  return { clock, limit: new RateLimit<number>({ clock, timesMax: 2, keysMax: 3 }) };
}

it('is reached by as many times in a minute, for each key alone', () => {
  const { clock, limit } = openLimit();
  limit.count(1);
  expect(limit.isReached(1)).toBe(false);
  limit.count(1);
  expect([limit.isReached(1), limit.isReached(2)]).toEqual([true, false]);
  clock.set('2025-06-20T16:00:59.999Z');
  expect(limit.isReached(1)).toBe(true);
  clock.set('2025-06-20T16:01:00Z');
  expect(limit.isReached(1)).toBe(false);
});

it('takes back what was counted, once it is still there', () => {
  const { clock, limit } = openLimit();
  limit.count(1);
  const takeBack = limit.count(1);
  takeBack();
  expect(limit.isReached(1)).toBe(false);
  const takeBackLate = limit.count(1);
  clock.set('2025-06-20T16:02:00Z');
  limit.count(1);
  takeBackLate();
  limit.count(1);
  expect(limit.isReached(1)).toBe(true);
});

it('remembers no more keys than it may, those that were counted last', () => {
  const { limit } = openLimit();
  for (const key of [1, 1, 2, 2, 1]) limit.count(key);
  for (const key of [3, 4]) limit.count(key);
  expect(limit.keyCount).toBe(3);
  expect([limit.isReached(1), limit.isReached(2)]).toEqual([true, false]);
});

const QUANTITIES = ['requests', 'scannedBytes', 'returnedBytes'] as const;
type MomentUsage = Record<(typeof QUANTITIES)[number] | 'atMs', number>;

const START_MS = Date.parse('2025-06-20T16:00:00Z');

function requestAt(atMs: number): MomentUsage {
  return { atMs, requests: 1, scannedBytes: 10, returnedBytes: 100 };
}

/** Every request, of which each question counts those younger than a given age. */
class NaiveList {
  readonly #moments: MomentUsage[] = [];

  add(moment: MomentUsage): void {
    this.#moments.push(moment);
  }

  sum(quantity: (typeof QUANTITIES)[number], nowMs: number, ageMs: number) {
    return this.#moments
      .filter(({ atMs }) => nowMs - atMs < ageMs)
      .reduce((sum, moment) => sum + moment[quantity], 0);
  }
}

const steps = fc.array(
  fc.record({
    waitMs: fc.oneof(
      fc.nat(5),
      fc.integer({ min: 900, max: 1100 }),
      fc.nat(2000),
      fc.integer({ min: 55_000, max: 65_000 }),
    ),
    requests: fc.nat(1),
    scannedBytes: fc.nat(1e9),
    returnedBytes: fc.nat(1e6),
  }),
  { maxLength: 300 },
);

describe('the rolling minute', () => {
  it('never counts less than the last 60 seconds, nor more than the last 61', () => {
    fc.assert(
      fc.property(steps, (moments) => {
        const window = new RateWindow(QUANTITIES);
        const naive = new NaiveList();
        let atMs = START_MS;
        for (const { waitMs, ...amounts } of moments) {
          atMs += waitMs;
          const used = window.used(atMs);
          for (const quantity of QUANTITIES) {
            expect(used[quantity]).toBeGreaterThanOrEqual(naive.sum(quantity, atMs, 60_000));
            expect(used[quantity]).toBeLessThanOrEqual(naive.sum(quantity, atMs, 61_000));
          }
          window.add({ atMs, ...amounts });
          naive.add({ atMs, ...amounts });
          expect(window.entryCount).toBeLessThanOrEqual(61);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('is exact to the millisecond where requests are a second apart', () => {
    const window = new RateWindow(QUANTITIES);
    for (let second = 0; second < 60; second++) window.add(requestAt(START_MS + second * 1000));
    expect(window.used(START_MS + 59_999).requests).toBe(60);
    expect(window.used(START_MS + 60_000).requests).toBe(59);
    expect(window.used(START_MS + 60_999).requests).toBe(59);
    expect(window.used(START_MS + 119_000).requests).toBe(0);
  });

  it('keeps at most 61 entries of a million requests', () => {
    const window = new RateWindow(QUANTITIES);
    for (let i = 0; i < 1_000_000; i++) window.add(requestAt(START_MS + i / 8));
    expect(window.entryCount).toBeLessThanOrEqual(61);
    const { requests } = window.used(START_MS + 125_000);
    expect(requests).toBeGreaterThanOrEqual(480_000);
    expect(requests).toBeLessThanOrEqual(488_000);
  });

  it('counts on when the clock goes back a little', () => {
    const window = new RateWindow(QUANTITIES);
    window.add(requestAt(START_MS));
    window.add(requestAt(START_MS - 5000));
    expect(window.used(START_MS - 5000).requests).toBe(2);
    expect(window.used(START_MS + 59_999).requests).toBe(2);
    expect(window.used(START_MS + 60_000).requests).toBe(0);
  });

  it('takes back what was added, and nothing that has left it', () => {
    const window = new RateWindow(QUANTITIES);
    const first = window.add(requestAt(START_MS));
    const second = window.add(requestAt(START_MS + 2000));
    window.takeBack(second, requestAt(0));
    expect(window.used(START_MS + 2000).requests).toBe(1);
    window.add(requestAt(START_MS + 61_000));
    window.takeBack(first, requestAt(0));
    expect(window.used(START_MS + 61_000).requests).toBe(1);
  });

  it('says when it clears: the very millisecond from which the next request passes', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 20 }), (moments, limit) => {
        const window = new RateWindow(QUANTITIES);
        let atMs = START_MS;
        for (const { waitMs, ...amounts } of moments) {
          atMs += waitMs;
          window.add({ atMs, ...amounts });
        }
        fc.pre(window.used(atMs).requests >= limit);
        const next = requestAt(atMs);
        const clearsAtMs = window.clearsAtMs('requests', limit, next);
        window.add(next);
        expect(window.used(clearsAtMs - 1).requests).toBeGreaterThanOrEqual(limit);
        expect(window.used(clearsAtMs).requests).toBeLessThan(limit);
      }),
    );
  });

  it.each(['scannedBytes', 'returnedBytes'] as const)('says when it clears of %s', (quantity) => {
    const window = new RateWindow(QUANTITIES);
    const bytes = requestAt(0)[quantity];
    for (let second = 0; second < 5; second++) window.add(requestAt(START_MS + second * 1000));
    const next = requestAt(START_MS + 5000);
    // Six requests in all, of which four are under a limit of a byte more than they have.
    expect(window.clearsAtMs(quantity, 4 * bytes + 1, next)).toBe(START_MS + 61_000);
  });

  it('is not changed by the question when it clears', () => {
    const window = new RateWindow(QUANTITIES);
    window.add(requestAt(START_MS));
    window.clearsAtMs('requests', 1, requestAt(START_MS + 10));
    expect(window.used(START_MS + 10).requests).toBe(1);
    expect(window.used(START_MS + 60_000).requests).toBe(0);
  });

  it('names the next minute for a limit of nothing at all', () => {
    const window = new RateWindow(QUANTITIES);
    expect(window.clearsAtMs('requests', 0, requestAt(START_MS))).toBe(START_MS + 60_000);
  });
});
