import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StoreUnavailableError } from '../store/store-errors.ts';
import type { UsageRecord } from '../store/usage.ts';
import { UsageWriter } from './usage-meter.ts';

function requestNumber(number: number): UsageRecord {
  return {
    answeredAtMs: number,
    requestId: `${number}`,
    accountId: 1,
    keyId: 1,
    datasetId: '',
    datasetVersion: null,
    countsInMinute: true,
    rowCount: 0,
    scannedBytes: 0,
    returnedBytes: 0,
    durationMs: 1,
    status: 200,
  };
}

/** A writer to a store that fails while it is told to. */
function openWriter() {
  const state = { isFailing: false, stored: [] as string[], transactions: 0, failures: 0, most: 0 };
  const writer = new UsageWriter({
    store: async (records) => {
      state.most = Math.max(state.most, records.length);
      if (state.isFailing) throw new Error('the disk is full');
      state.transactions++;
      state.stored.push(...records.map(({ requestId }) => requestId));
    },
    onFailure: () => {
      state.failures++;
    },
  });
  return { writer, state };
}

/** Gives other work of the server a turn. */
const turn = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the usage writer', () => {
  it('stores what was counted within a second, many requests at once', async () => {
    const { writer, state } = openWriter();
    for (let i = 0; i < 100; i++) writer.add(requestNumber(i));
    expect(state.stored).toEqual([]);
    await vi.advanceTimersByTimeAsync(900);
    expect(state.stored).toHaveLength(100);
    expect(state.transactions).toBe(1);
    expect(writer.pending).toEqual([]);
  });

  it('stores early when much was counted, so that memory stays bounded', async () => {
    const { writer, state } = openWriter();
    for (let i = 0; i < 5000; i++) {
      writer.add(requestNumber(i));
      expect(writer.pending.length).toBeLessThanOrEqual(2000);
      // A request comes after what the one before it has begun.
      await turn();
    }
    await writer.flush();
    expect(state.stored).toHaveLength(5000);
  });

  it('keeps everything while the store fails, and stores it once when it works again', async () => {
    const { writer, state } = openWriter();
    state.isFailing = true;
    for (let i = 0; i < 5000; i++) writer.add(requestNumber(i));
    await turn();
    expect(writer.pending).toHaveLength(5000);
    expect(state.failures).toBe(1);
    await expect(writer.flush()).rejects.toThrow('the disk is full');
    state.isFailing = false;
    writer.add(requestNumber(5000));
    await vi.advanceTimersByTimeAsync(900);
    expect(state.stored).toEqual(Array.from({ length: 5001 }, (_, i) => `${i}`));
  });

  it('is full when the store has failed for long, until it takes what waits', async () => {
    const { writer, state } = openWriter();
    state.isFailing = true;
    for (let i = 0; !writer.isFull; i++) writer.add(requestNumber(i));
    await turn();
    state.isFailing = false;
    await writer.flush();
    expect(writer.isFull).toBe(false);
    expect(state.stored).toHaveLength(20_000);
  });

  it('asks a store that failed with a small part, and hands it the rest in parts, in turns', async () => {
    const { writer, state } = openWriter();
    state.isFailing = true;
    for (let i = 0; i < 19_000; i++) writer.add(requestNumber(i));
    await vi.advanceTimersByTimeAsync(900);
    // One at once, and then one every 400 ms.
    expect(state.failures).toBe(3);
    state.isFailing = false;
    await vi.advanceTimersByTimeAsync(400);
    expect(state.stored).toEqual(Array.from({ length: 19_000 }, (_, i) => `${i}`));
    expect(state.most).toBe(2000);
  });
});

it('stores what the store refuses for what it holds without the texts that came from clients', async () => {
  const stored: UsageRecord[] = [];
  const failures: unknown[] = [];
  const writer = new UsageWriter({
    store: async (records) => {
      const hasText = records.some(({ symbols, path, reason }) => symbols || path || reason);
      if (hasText) throw new Error('index row size exceeds maximum');
      stored.push(...records);
    },
    onFailure: (error) => failures.push(error),
  });
  writer.add({ ...requestNumber(0), symbols: ['AAA'], path: '/v1/data', reason: 'Not found' });
  writer.add(requestNumber(1));
  await writer.flush();
  expect(stored).toEqual([requestNumber(0), requestNumber(1)]);
  expect(failures).toHaveLength(1);
  expect(writer.pending).toEqual([]);
});

it('tries a store that is away with all that was counted', async () => {
  const asked: (readonly UsageRecord[])[] = [];
  const writer = new UsageWriter({
    store: async (records) => {
      asked.push(records);
      throw new StoreUnavailableError('it is away', 'it is away');
    },
    onFailure: () => undefined,
  });
  const record = { ...requestNumber(0), symbols: ['AAA'] };
  writer.add(record);
  await expect(writer.flush()).rejects.toThrow('it is away');
  expect(asked).toEqual([[record]]);
  expect(writer.pending).toEqual([record]);
});

describe('the timer of the usage writer', () => {
  it('asks the store for nothing when all is stored already', async () => {
    const { writer, state } = openWriter();
    writer.add(requestNumber(0));
    await writer.flush();
    for (let i = 0; i < 2000; i++) writer.add(requestNumber(i));
    await vi.advanceTimersByTimeAsync(0);
    expect(state.transactions).toBe(2);
    await vi.advanceTimersByTimeAsync(5000);
    expect(state.transactions).toBe(2);
  });

  it('stores the very last request that waited while the store failed', async () => {
    const { writer, state } = openWriter();
    state.isFailing = true;
    for (let i = 0; i < 2001; i++) writer.add(requestNumber(i));
    await vi.advanceTimersByTimeAsync(0);
    state.isFailing = false;
    await vi.advanceTimersByTimeAsync(500);
    expect(state.stored).toHaveLength(2001);
  });

  it('stores early again once the store has recovered', async () => {
    const { writer, state } = openWriter();
    state.isFailing = true;
    writer.add(requestNumber(0));
    await vi.advanceTimersByTimeAsync(400);
    state.isFailing = false;
    await vi.advanceTimersByTimeAsync(400);
    expect(state).toMatchObject({ failures: 1, transactions: 1 });
    for (let i = 0; i < 2000; i++) writer.add(requestNumber(i));
    await vi.advanceTimersByTimeAsync(0);
    expect(state.transactions).toBe(2);
  });
});
