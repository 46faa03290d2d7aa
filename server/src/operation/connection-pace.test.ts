import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { BIT_BYTES, PacedInput, PacedStarts } from './connection-pace.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Adds `count` requests of a source, each taking `tookMs`, partly after an empty wait. */
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

/** A socket whose parser notes what it is fed with. */
function feed(hasRoom: () => boolean, isInBody = () => true) {
  const socket = new PassThrough({ highWaterMark: 1024 * 1024 });
  const parsed: Buffer[] = [];
  socket.on('data', (bytes: Buffer) => parsed.push(bytes));
  const input = new PacedInput(socket as unknown as Socket, { hasRoom, isInBody });
  return { socket, input, parsed };
}

it('parses all that comes in, in its order', async () => {
  const { socket, parsed } = feed(() => true);
  const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, at) => at % 251));
  socket.write(bytes.subarray(0, 70_000));
  socket.write(bytes.subarray(70_000));
  await expect.poll(() => Buffer.concat(parsed).equals(bytes)).toBe(true);
});

it('parses a little in each turn of the event loop, so that others have theirs', async () => {
  const { socket, parsed } = feed(() => true);
  socket.write(Buffer.alloc(64 * BIT_BYTES));
  let [turns, most] = [0, 0];
  for (let before = 0; before < 64; turns++) {
    await nextTurn();
    most = Math.max(most, parsed.length - before);
    before = parsed.length;
  }
  expect(parsed.every(({ length }) => length === BIT_BYTES)).toBe(true);
  expect(most).toBeLessThanOrEqual(8);
  expect(turns).toBeGreaterThanOrEqual(8);
});

it('stops soon after requests fill the room, however short they are', async () => {
  const head = 'GET / HTTP/1.1\r\nHost:x\r\n\r\n';
  const count = () => Buffer.concat(parsed).length / head.length;
  const { socket, parsed } = feed(
    () => count() < 4,
    () => false,
  );
  socket.write(head.repeat(1000));
  await expect.poll(count).toBeGreaterThan(4);
  await nextTurn();
  expect(count()).toBeLessThan(20);
});

it('waits for room, and reads nothing after it is stopped', async () => {
  let hasRoom = true;
  const { socket, input, parsed } = feed(() => hasRoom && parsed.length < 2);
  socket.write(Buffer.alloc(10 * BIT_BYTES));
  await expect.poll(() => parsed.length).toBe(2);
  await nextTurn();
  expect(parsed).toHaveLength(2);
  hasRoom = false;
  parsed.length = 0;
  input.resume();
  await nextTurn();
  expect(parsed).toHaveLength(0);
  hasRoom = true;
  input.resume();
  await expect.poll(() => parsed.length).toBe(2);
  input.stop();
  parsed.length = 0;
  await nextTurn();
  await nextTurn();
  expect(parsed).toHaveLength(0);
  expect(socket.readableLength).toBe(0);
});
