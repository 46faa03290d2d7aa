import type { FastifyRequest } from 'fastify';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { fixedClock } from '../base/clock.ts';
import { beginSending, countStep, type RequestTally } from './count-request.ts';

const MIB = 1024 * 1024;

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

/** A download, and what its steps have counted. */
function beginDownload() {
  const counted: number[] = [];
  const usage = {
    pendingAgeMs: 0,
    countStep: ({ returnedBytes }: { returnedBytes: number }) => counted.push(returnedBytes),
  };
  const sending = beginSending({ giveBack: () => undefined, release: () => undefined });
  const tally = { sending, account: { accountId: 1 }, reservation: {}, caller: { key: null } };
  const services = { usage, clock: fixedClock('2026-11-20T20:00:00Z') };
  const send = (byteCount: number) => {
    sending.sentBytes += byteCount;
    countStep(
      services as unknown as Parameters<typeof countStep>[0],
      tally as unknown as RequestTally,
      { id: 'request' } as FastifyRequest,
    );
  };
  return { usage, counted, send };
}

it('counts what was sent in steps of 8 MiB or more, once a second at most', () => {
  const { counted, send } = beginDownload();
  vi.advanceTimersByTime(999);
  send(20 * MIB);
  expect(counted).toEqual([]);
  vi.advanceTimersByTime(1);
  send(MIB);
  expect(counted).toEqual([21 * MIB]);
  vi.advanceTimersByTime(60_000);
  send(8 * MIB - 1);
  expect(counted).toEqual([21 * MIB]);
  send(1);
  expect(counted).toEqual([21 * MIB, 8 * MIB]);
});

it('counts no step while what was counted waits for the store, and then all of them as one', () => {
  const { usage, counted, send } = beginDownload();
  vi.advanceTimersByTime(60_000);
  usage.pendingAgeMs = 1001;
  send(8 * MIB);
  expect(counted).toEqual([]);
  usage.pendingAgeMs = 1000;
  send(8 * MIB);
  expect(counted).toEqual([16 * MIB]);
});
