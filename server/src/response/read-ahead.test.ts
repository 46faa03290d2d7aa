import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { QueryGate } from '../engine/query-gate.ts';
import type { PageReading } from './page-reading.ts';
import { ReadAhead } from './read-ahead.ts';
import type { Page } from './render-page.ts';

const KIB = 1024;
const [ONE, OTHER] = [1, 2] as const;
const never = new AbortController().signal;

function pageOf(byteCount: number): Page {
  const body = Buffer.alloc(byteCount);
  return { body, contentType: 'text/csv', headers: {}, rowCount: 1, nextOffset: 1 };
}

/** A reading that ends when it is told to, or its signal is aborted. */
function openReading() {
  const { promise, resolve, reject } = Promise.withResolvers<Page>();
  const reading = { aborted: false, finish: (byteCount: number) => resolve(pageOf(byteCount)) };
  const read = (signal: AbortSignal): PageReading => {
    signal.addEventListener('abort', () => {
      reading.aborted = true;
      reject(signal.reason);
    });
    return { found: Promise.resolve(), page: promise };
  };
  return { ...reading, reading, read, fail: reject };
}

function open(readAheadBytes: number): ReadAhead {
  const gate = new QueryGate({ queriesMax: 10, queueMax: 1, queuePerIdentityMax: 1 });
  return new ReadAhead({ readAheadBytes, queryTimeoutMs: 60_000 }, gate);
}

const settle = () => vi.advanceTimersByTimeAsync(0);

describe('ReadAhead', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('knows a walk by the end of its last page, of the same identity and for a while', async () => {
    const ahead = open(KIB);
    ahead.noteEnd(ONE, 'b', 7);
    expect(ahead.bytesBefore(ONE, 'b')).toBe(7);
    expect(ahead.bytesBefore(ONE, 'a')).toBeNull();
    expect(ahead.bytesBefore(OTHER, 'b')).toBeNull();
    await vi.advanceTimersByTimeAsync(5001);
    expect(ahead.bytesBefore(ONE, 'b')).toBeNull();
  });

  it('remembers a bounded number of ends', () => {
    const ahead = open(KIB);
    for (let n = 0; n < 2000; n++) ahead.noteEnd(ONE, `${n}`, 7);
    expect(ahead.bytesBefore(ONE, '0')).toBeNull();
    expect(ahead.bytesBefore(ONE, '1999')).toBe(7);
  });

  it('forgets first the ends that were not noted for the longest', () => {
    const ahead = open(KIB);
    for (let n = 0; n < 1024; n++) ahead.noteEnd(ONE, `${n}`, 7);
    ahead.noteEnd(ONE, '0', 8);
    ahead.noteEnd(ONE, 'one more', 7);
    expect(ahead.bytesBefore(ONE, '0')).toBe(8);
    expect(ahead.bytesBefore(ONE, '1')).toBeNull();
    expect(ahead.bytesBefore(ONE, '2')).toBe(7);
  });

  it('gives a page once, to the identity that it was read for', async () => {
    const ahead = open(10 * KIB);
    const { read, finish } = openReading();
    ahead.begin(ONE, 'b', KIB, read);
    expect(ahead.take(OTHER, 'b', never)).toBeNull();
    const taken = ahead.take(ONE, 'b', never);
    finish(KIB);
    expect((await taken?.page)?.body).toHaveLength(KIB);
    expect(ahead.take(ONE, 'b', never)).toBeNull();
    expect(ahead).toMatchObject({ usedCount: 1, unusedCount: 0, byteCount: 0 });
  });

  it('begins a page once, however often that is asked for', async () => {
    const ahead = open(10 * KIB);
    const [first, second] = [openReading(), openReading()];
    ahead.begin(ONE, 'b', KIB, first.read);
    ahead.begin(ONE, 'b', KIB, second.read);
    expect(ahead.byteCount).toBe(KIB);
    const taken = ahead.take(ONE, 'b', never);
    first.finish(3 * KIB);
    expect((await taken?.page)?.body).toHaveLength(3 * KIB);
    expect(ahead).toMatchObject({ byteCount: 0, readyCount: 0 });
  });

  it('drops a page that nobody has asked for in time', async () => {
    const ahead = open(10 * KIB);
    const { read, finish } = openReading();
    ahead.begin(ONE, 'b', KIB, read);
    finish(2 * KIB);
    await settle();
    expect(ahead).toMatchObject({ byteCount: 2 * KIB, readyCount: 1 });
    await vi.advanceTimersByTimeAsync(5000);
    expect(ahead).toMatchObject({ byteCount: 0, readyCount: 0, unusedCount: 1 });
    expect(ahead.take(ONE, 'b', never)).toBeNull();
  });

  it('holds so many bytes, half of them for one identity, those included that are to come', async () => {
    const ahead = open(4 * KIB);
    const [first, second, third] = [openReading(), openReading(), openReading()];
    ahead.begin(ONE, 'a', KIB, first.read);
    ahead.begin(ONE, 'b', KIB + 1, second.read);
    expect(ahead.byteCount).toBe(KIB);
    ahead.begin(OTHER, 'c', KIB, third.read);
    expect(ahead.byteCount).toBe(2 * KIB);
    first.finish(2 * KIB + 1);
    third.finish(2 * KIB);
    await settle();
    expect(ahead.byteCount).toBe(2 * KIB);
    expect(ahead.take(ONE, 'a', never)).toBeNull();
    expect(ahead.take(OTHER, 'c', never)).not.toBeNull();
  });

  it('stops reading a page that is taken when its taker goes away', async () => {
    const ahead = open(4 * KIB);
    const { read, reading } = openReading();
    const gone = new AbortController();
    ahead.begin(ONE, 'a', KIB, read);
    const taken = ahead.take(ONE, 'a', gone.signal);
    gone.abort(new Error('gone'));
    expect(reading.aborted).toBe(true);
    await expect(taken?.page).rejects.toThrow('gone');
  });

  it('forgets a page that failed', async () => {
    const ahead = open(4 * KIB);
    const { read, fail } = openReading();
    ahead.begin(ONE, 'a', KIB, read);
    fail(new Error('broken'));
    await settle();
    expect(ahead.take(ONE, 'a', never)).toBeNull();
    expect(ahead.byteCount).toBe(0);
  });

  it('stops all that it reads when it is closed', async () => {
    const ahead = open(4 * KIB);
    const { read, reading } = openReading();
    ahead.begin(ONE, 'a', KIB, read);
    await ahead.close();
    expect(reading.aborted).toBe(true);
    expect(ahead.pendingCount).toBe(0);
  });

  it('reads nothing without bytes to hold', () => {
    const ahead = open(0);
    expect(ahead.isOn).toBe(false);
    const { read } = openReading();
    ahead.begin(ONE, 'a', 1, read);
    expect(ahead.take(ONE, 'a', never)).toBeNull();
  });
});
