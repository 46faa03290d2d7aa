import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PacedStarts } from './paced-starts.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Adds so many requests of a source, each of which takes some time, partly after a wait for nothing. */
function add(starts: PacedStarts, begun: string[], source: string, count: number, tookMs = 1) {
  for (let at = 0; at < count; at++) {
    starts.add(source, async () => {
      begun.push(source);
      await Promise.resolve();
      await Promise.resolve();
      vi.advanceTimersByTime(tookMs);
    });
  }
}

it('has sources take turns, however much each of them waits for', async () => {
  const starts = new PacedStarts();
  const begun: string[] = [];
  add(starts, begun, 'greedy', 100);
  await nextTurn();
  add(starts, begun, 'modest', 2);
  const before = begun.length;
  while (begun.length < 102) await nextTurn();
  const order = begun.slice(before);
  expect(order.indexOf('modest')).toBeLessThanOrEqual(1);
  expect(order.lastIndexOf('modest')).toBeLessThanOrEqual(3);
});

it('begins one costly request in a turn of the event loop, and several cheap ones', async () => {
  const starts = new PacedStarts();
  const [costly, cheap]: [string[], string[]] = [[], []];
  add(starts, costly, 'costly', 3, 5);
  await nextTurn();
  expect(costly).toHaveLength(1);
  while (costly.length < 3) await nextTurn();
  await nextTurn();
  add(starts, cheap, 'cheap', 3, 0);
  await nextTurn();
  expect(cheap).toHaveLength(3);
});

it('begins nothing while clients connect, for as long as the last requests took', async () => {
  const starts = new PacedStarts();
  const begun: string[] = [];
  add(starts, begun, 'source', 3, 5);
  await nextTurn();
  const counts: number[] = [];
  for (let turn = 0; turn < 8; turn++) {
    starts.noteArrival();
    vi.advanceTimersByTime(2);
    await nextTurn();
    counts.push(begun.length);
  }
  expect(counts).toEqual([1, 1, 2, 2, 2, 3, 3, 3]);
});
