import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ControlStore } from '../store/control-store.ts';
import type { UsageRecord } from '../store/usage.ts';
import { UsageCounters } from './usage-counters.ts';

const START_MS = Date.parse('2025-06-20T16:00:00Z');
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

let folder: string;
let store: ControlStore;
let pending: UsageRecord[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ticklake-counters-'));
  store = new ControlStore(join(folder, 'control.db'));
  pending = [];
});
afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

function requestOf(identityId: number, answeredAtMs: number): UsageRecord {
  return {
    answeredAtMs,
    requestId: 'request',
    identityId,
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

function keep(...records: UsageRecord[]): void {
  store.transaction(() => store.usage.add(records));
}

function countersAt(nowMs: number): UsageCounters {
  return new UsageCounters({ table: store.usage, nowMs, pending: () => pending });
}

function requests(counters: UsageCounters, identityId: number, nowMs: number) {
  const { month, minute } = counters.used(identityId, nowMs);
  return [month.requests, minute.requests];
}

describe('usage counters', () => {
  it('begin with the month and the last 60 seconds of the store, for each identity', () => {
    keep(
      requestOf(1, START_MS - 21 * DAY_MS),
      requestOf(1, START_MS - DAY_MS),
      requestOf(1, START_MS - 60_000),
      requestOf(1, START_MS - 59_999),
      requestOf(2, START_MS - 30_000),
    );
    const counters = countersAt(START_MS);
    expect(requests(counters, 1, START_MS)).toEqual([3, 1]);
    expect(requests(counters, 2, START_MS + 20_000)).toEqual([1, 1]);
    expect(requests(counters, 2, START_MS + 30_000)).toEqual([1, 0]);
    expect(requests(counters, 3, START_MS)).toEqual([0, 0]);
  });

  it('forget who is idle, and know the month again when they come back', () => {
    const counters = countersAt(START_MS);
    for (let identityId = 1; identityId <= 1000; identityId++) {
      counters.count(requestOf(identityId, START_MS));
      keep(requestOf(identityId, START_MS));
    }
    expect(counters.identityCount).toBe(1000);
    const laterMs = START_MS + 20 * MINUTE_MS;
    expect(requests(counters, 7, laterMs)).toEqual([1, 0]);
    expect(counters.identityCount).toBe(1);
  });

  it('have what is still on its way to the store when a month is read', () => {
    const counters = countersAt(START_MS);
    keep(requestOf(1, START_MS - DAY_MS));
    pending = [requestOf(1, START_MS - 1000), requestOf(2, START_MS - 1000)];
    expect(requests(counters, 1, START_MS)[0]).toBe(2);
  });

  it('count each request once at the turn of the month, before and after it is stored', () => {
    const turnMs = Date.parse('2025-07-01T00:00:00Z');
    const counters = countersAt(turnMs - 1);
    const last = requestOf(1, turnMs - 1);
    const first = requestOf(1, turnMs);
    counters.count(last);
    pending = [last];
    counters.count(first);
    pending = [last, first];
    expect(requests(counters, 1, turnMs)).toEqual([1, 2]);
    keep(...pending);
    pending = [];
    expect(requests(counters, 1, turnMs)).toEqual([1, 2]);
    expect(requests(countersAt(turnMs), 1, turnMs)).toEqual([1, 2]);
  });

  it('start their minute anew when the clock is set back by more than one', () => {
    const counters = countersAt(START_MS);
    counters.count(requestOf(1, START_MS));
    keep(requestOf(1, START_MS));
    expect(requests(counters, 1, START_MS - 59_000)).toEqual([1, 1]);
    expect(requests(counters, 1, START_MS - 2 * MINUTE_MS)).toEqual([1, 0]);
  });
});
