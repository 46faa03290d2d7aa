import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RepeatedWork } from './repeated-work.ts';

const INTERVAL_MS = 1000;
let begunCount: number;
let end: () => void;
let work: RepeatedWork;

beforeEach(() => {
  vi.useFakeTimers();
  begunCount = 0;
  work = new RepeatedWork(async () => {
    begunCount++;
    await new Promise<void>((resolve) => {
      end = resolve;
    });
  }, INTERVAL_MS);
});
afterEach(() => {
  vi.useRealTimers();
});

it('begins after the interval, and again an interval after it has ended', async () => {
  await vi.advanceTimersByTimeAsync(INTERVAL_MS - 1);
  expect(begunCount).toBe(0);
  await vi.advanceTimersByTimeAsync(3 * INTERVAL_MS);
  expect(begunCount).toBe(1);
  end();
  await vi.advanceTimersByTimeAsync(INTERVAL_MS - 1);
  expect(begunCount).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(begunCount).toBe(2);
});

it('has ended when it is stopped, and does not begin again', async () => {
  await vi.advanceTimersByTimeAsync(INTERVAL_MS);
  let isStopped = false;
  const stopping = work.close().then(() => {
    isStopped = true;
  });
  await vi.advanceTimersByTimeAsync(INTERVAL_MS);
  expect(isStopped).toBe(false);
  end();
  await stopping;
  await vi.advanceTimersByTimeAsync(5 * INTERVAL_MS);
  expect(begunCount).toBe(1);
});

it('never begins where it is stopped first', async () => {
  await work.close();
  await vi.advanceTimersByTimeAsync(2 * INTERVAL_MS);
  expect(begunCount).toBe(0);
});
