import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openControlStore } from '../open-home.ts';
import type { ControlStore } from '../store/control-store.ts';
import { STEP_STATUS } from '../store/quantities.ts';
import type { UsageRecord } from '../store/usage.ts';
import { UsageCounters } from './usage-counters.ts';

const START_MS = Date.parse('2025-06-20T16:00:00Z');
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

let folder: string;
let store: ControlStore;
let pending: UsageRecord[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ticklake-counters-'));
  store = await openControlStore({ home: folder });
  pending = [];
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

function requestOf(accountId: number, answeredAtMs: number): UsageRecord {
  return {
    answeredAtMs,
    requestId: 'request',
    accountId,
    keyId: 1,
    datasetId: '',
    datasetVersion: null,
    countsInMinute: true,
    rowCount: 0,
    scannedBytes: 10,
    returnedBytes: 100,
    durationMs: 1,
    status: 200,
  };
}

async function keep(...records: UsageRecord[]): Promise<void> {
  await store.transaction(({ usage }) => usage.add(records));
}

function countersAt(nowMs: number): Promise<UsageCounters> {
  return UsageCounters.open({
    table: store.usage,
    clock: { now: () => nowMs },
    pending: () => pending,
    whileNothingIsStored: (work) => work(),
  });
}

/** Counts a request that is then on its way to the store. */
function count(counters: UsageCounters, record: UsageRecord): void {
  counters.countStep(record);
  pending.push(record);
}

async function usedBy(counters: UsageCounters, accountId: number, nowMs: number) {
  let used = counters.used(accountId, nowMs);
  if (used) return used;
  await counters.fill(accountId, nowMs);
  used = counters.used(accountId, nowMs);
  if (!used) throw new Error('the month has not been read');
  return used;
}

async function requests(counters: UsageCounters, accountId: number, nowMs: number) {
  const { month, minute } = await usedBy(counters, accountId, nowMs);
  return [month.requests, minute.requests];
}

describe('usage counters', () => {
  it('begin with the month and the last 60 seconds of the store, for each identity', async () => {
    await keep(
      requestOf(1, START_MS - 21 * DAY_MS),
      requestOf(1, START_MS - DAY_MS),
      requestOf(1, START_MS - 60_000),
      requestOf(1, START_MS - 59_999),
      requestOf(2, START_MS - 30_000),
    );
    const counters = await countersAt(START_MS);
    expect(await requests(counters, 1, START_MS)).toEqual([3, 1]);
    expect(await requests(counters, 2, START_MS + 20_000)).toEqual([1, 1]);
    expect(await requests(counters, 2, START_MS + 30_000)).toEqual([1, 0]);
    expect(await requests(counters, 3, START_MS)).toEqual([0, 0]);
  });

  it('forget who is idle, and know the month again when they come back', async () => {
    const counters = await countersAt(START_MS);
    const all = Array.from({ length: 1000 }, (_, i) => requestOf(i + 1, START_MS));
    for (const request of all) counters.countStep(request);
    await keep(...all);
    expect(counters.accountCount).toBe(1000);
    const laterMs = START_MS + 20 * MINUTE_MS;
    expect(await requests(counters, 7, laterMs)).toEqual([1, 0]);
    expect(counters.accountCount).toBe(1);
  });

  it('have what is still on its way to the store when a month is read', async () => {
    const counters = await countersAt(START_MS);
    await keep(requestOf(1, START_MS - DAY_MS));
    pending = [requestOf(1, START_MS - 1000), requestOf(2, START_MS - 1000)];
    expect((await requests(counters, 1, START_MS))[0]).toBe(2);
  });

  it('leave out what is on its way to the store from another month', async () => {
    const counters = await countersAt(START_MS);
    const [last, next] = ['2025-05-31T23:59:59.999Z', '2025-07-01T00:00:00Z'].map(Date.parse);
    pending = [requestOf(1, last as number), requestOf(1, next as number)];
    expect((await requests(counters, 1, START_MS))[0]).toBe(0);
  });

  it('keep the minute of who is not idle, while others are forgotten', async () => {
    const counters = await countersAt(START_MS);
    count(counters, requestOf(1, START_MS));
    count(counters, requestOf(2, START_MS + 9.5 * MINUTE_MS));
    expect(await requests(counters, 3, START_MS + 10 * MINUTE_MS)).toEqual([0, 0]);
    expect(counters.accountCount).toBe(2);
    expect(await requests(counters, 2, START_MS + 10 * MINUTE_MS)).toEqual([1, 1]);
  });

  it('count each request once at the turn of the month, before and after it is stored', async () => {
    const turnMs = Date.parse('2025-07-01T00:00:00Z');
    const counters = await countersAt(turnMs - 1);
    const last = requestOf(1, turnMs - 1);
    const first = requestOf(1, turnMs);
    counters.countStep(last);
    pending = [last];
    counters.countStep(first);
    pending = [last, first];
    expect(await requests(counters, 1, turnMs)).toEqual([1, 2]);
    await keep(...pending);
    pending = [];
    expect(await requests(counters, 1, turnMs)).toEqual([1, 2]);
    expect(await requests(await countersAt(turnMs), 1, turnMs)).toEqual([1, 2]);
  });

  it('start their minute anew when the clock is set back by more than one', async () => {
    const counters = await countersAt(START_MS);
    counters.countStep(requestOf(1, START_MS));
    await keep(requestOf(1, START_MS));
    expect(await requests(counters, 1, START_MS - 59_000)).toEqual([1, 1]);
    expect(await requests(counters, 1, START_MS - 2 * MINUTE_MS)).toEqual([1, 0]);
  });

  it('leave memory also when the clock is set back by more than their idle time', async () => {
    const counters = await countersAt(START_MS);
    for (const accountId of [1, 2, 3]) counters.countStep(requestOf(accountId, START_MS));
    expect(counters.accountCount).toBe(3);
    expect(await requests(counters, 4, START_MS - 11 * MINUTE_MS)).toEqual([0, 0]);
    expect(counters.accountCount).toBe(1);
  });

  it('count on as before where the clock is set back by a minute or less', async () => {
    const counters = await countersAt(START_MS);
    count(counters, requestOf(1, START_MS));
    expect(await requests(counters, 1, START_MS - MINUTE_MS)).toEqual([1, 1]);
    // A request counts until the later clock has seen it for a minute.
    expect(await requests(counters, 1, START_MS + MINUTE_MS - 1)).toEqual([1, 1]);
    expect(await requests(counters, 1, START_MS + MINUTE_MS)).toEqual([1, 0]);
  });

  it('read the month of a clock that is set back over its turn', async () => {
    const turnMs = Date.parse('2025-07-01T00:00:00Z');
    const counters = await countersAt(turnMs);
    await keep(requestOf(1, turnMs - DAY_MS), requestOf(1, turnMs - DAY_MS));
    counters.countStep(requestOf(1, turnMs));
    await keep(requestOf(1, turnMs));
    expect(await requests(counters, 1, turnMs)).toEqual([1, 1]);
    expect(await requests(counters, 1, turnMs - 2 * MINUTE_MS)).toEqual([2, 0]);
  });
});

describe('reserved bytes', () => {
  it('count as returned in both spans until they are given back, and once', async () => {
    const counters = await countersAt(START_MS);
    await counters.fill(1, START_MS);
    const reserved = counters.reserveBytes(1, 1000);
    counters.reserveBytes(1, 24);
    const usedNow = () => counters.used(1, START_MS);
    expect(usedNow()?.month.returnedBytes).toBe(1024);
    expect(usedNow()?.minute.returnedBytes).toBe(1024);
    reserved.giveBack(400);
    expect(usedNow()?.month.returnedBytes).toBe(624);
    reserved.release();
    reserved.giveBack(400);
    reserved.release();
    expect(usedNow()?.month.returnedBytes).toBe(24);
  });

  it('count once with a step, which is no request', async () => {
    const counters = await countersAt(START_MS);
    await counters.fill(1, START_MS);
    const reserved = counters.reserveBytes(1, 1000);
    const step = { ...requestOf(1, START_MS), countsInMinute: false, scannedBytes: 0 };
    reserved.giveBack(600);
    count(counters, { ...step, returnedBytes: 600, status: STEP_STATUS });
    const used = counters.used(1, START_MS);
    expect(used?.month).toEqual({ requests: 0, scannedBytes: 0, returnedBytes: 1000 });
    expect(used?.minute).toEqual(used?.month);
  });
});

describe('reserved requests', () => {
  it('count in month and minute until they are released, and once', async () => {
    const counters = await countersAt(START_MS);
    const release = counters.hold(1, true);
    const ofExempt = counters.hold(1, false);
    expect(await requests(counters, 1, START_MS)).toEqual([2, 1]);
    expect(await requests(counters, 2, START_MS)).toEqual([0, 0]);
    release();
    counters.countStep(requestOf(1, START_MS));
    release();
    expect(await requests(counters, 1, START_MS)).toEqual([2, 1]);
    ofExempt();
    expect(await requests(counters, 1, START_MS)).toEqual([1, 1]);
    expect(counters.reservedCount).toBe(0);
  });

  it('are still there after an hour, a new month, and a clock that was set back', async () => {
    const counters = await countersAt(START_MS);
    const release = counters.hold(1, true);
    const nextMonthMs = Date.parse('2025-07-01T00:00:00Z');
    const moments = [START_MS + 60 * MINUTE_MS, nextMonthMs, START_MS - DAY_MS, START_MS];
    for (const nowMs of moments) expect(await requests(counters, 1, nowMs)).toEqual([1, 1]);
    release();
    expect(await requests(counters, 1, START_MS)).toEqual([0, 0]);
  });

  it('let no more pass than a limit allows, however requests come and end', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('ask' as const), isExempt: fc.boolean() }),
      fc.record({ kind: fc.constant('end' as const), which: fc.nat(30) }),
      fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 70_000 }) }),
    );
    const limits = fc.record({ month: fc.nat(20), minute: fc.nat(6) });
    await fc.assert(
      fc.asyncProperty(limits, fc.array(step, { maxLength: 120 }), async (limit, steps) => {
        // No store is read twice here, so that all runs can share it.
        const counters = await countersAt(START_MS);
        const running: { release: () => void; isExempt: boolean }[] = [];
        const passedAtMs: number[] = [];
        let [nowMs, passed, asked] = [START_MS, 0, 0];
        pending = [];
        const end = (isExempt: boolean, release: () => void) => {
          release();
          const record = { ...requestOf(1, nowMs), countsInMinute: !isExempt };
          counters.countStep(record);
          pending.push(record);
        };
        for (const each of steps) {
          if (each.kind === 'wait') nowMs += each.ms;
          else if (each.kind === 'end') {
            const [one] = running.splice(each.which % (running.length || 1), 1);
            if (one) end(one.isExempt, one.release);
          } else {
            const used = await usedBy(counters, 1, nowMs);
            expect(used.month.requests).toBe(asked++);
            const release = counters.hold(1, !each.isExempt);
            const isOverMinute = !each.isExempt && used.minute.requests >= limit.minute;
            if (used.month.requests >= limit.month || isOverMinute) {
              end(each.isExempt, release);
              continue;
            }
            running.push({ release, isExempt: each.isExempt });
            passed++;
            if (!each.isExempt) passedAtMs.push(nowMs);
          }
        }
        expect(passed).toBeLessThanOrEqual(limit.month);
        for (const atMs of passedAtMs) {
          const inMinute = passedAtMs.filter((other) => other > atMs - 60_000 && other <= atMs);
          expect(inMinute.length).toBeLessThanOrEqual(limit.minute);
        }
        for (const { release, isExempt } of running) end(isExempt, release);
        expect(counters.reservedCount).toBe(0);
        expect((await usedBy(counters, 1, nowMs)).month.requests).toBe(asked);
      }),
    );
  });
});

it('keeps the minute where reading the month takes longer than a minute', async () => {
  const isIdle = Promise.withResolvers<void>();
  const counters = await UsageCounters.open({
    table: store.usage,
    clock: { now: () => START_MS },
    pending: () => pending,
    whileNothingIsStored: async (work) => {
      await isIdle.promise;
      return work();
    },
  });
  const reading = counters.fill(1, START_MS);
  const laterMs = START_MS + 2 * MINUTE_MS;
  expect(counters.used(1, laterMs)).toBeNull();
  count(counters, requestOf(1, laterMs));
  isIdle.resolve();
  await reading;
  expect(counters.used(1, laterMs)).toMatchObject({
    month: { requests: 1 },
    minute: { requests: 1 },
  });
});
