import { expect, it } from 'vitest';
import { errorOf, IntegrityError, TransportError } from './errors.ts';
import { retryWaitMs } from './retry-rules.ts';

const RULES = { maxRetries: 4, maxWaitMs: 120_000, firstWaitMs: 500 };
const NOW = Date.parse('2026-11-20T21:00:00Z');

function failed(status: number, headers: Record<string, string> = {}, random = 0.5) {
  const situation = { attempts: 1, nowMs: NOW, random };
  return errorOf({ status, headers: new Headers(headers) }, '{"detail":"x"}', situation);
}

const waitAfter = (failure: unknown, attempt = 1, random = 0.5) =>
  retryWaitMs(failure, attempt, RULES, { nowMs: NOW, random });

it('a wait is what the answer says: seconds, a date, else the reset and up to a quarter more', () => {
  expect(waitAfter(failed(503, { 'retry-after': '7' }))).toBe(7000);
  const date = new Date(NOW + 9000).toUTCString();
  expect(waitAfter(failed(503, { 'retry-after': date }))).toBe(9000);
  const both = { 'retry-after': '3', 'x-ratelimit-reset': '40' };
  expect(waitAfter(failed(429, both))).toBe(3000);
  expect(waitAfter(failed(429, { 'x-ratelimit-reset': '40' }, 0))).toBe(40_000);
  expect(waitAfter(failed(429, { 'x-ratelimit-reset': '40' }, 1))).toBe(50_000);
});

it('without such a word, waits double from half a second to eight, a quarter more or less', () => {
  const waits = [1, 2, 3, 4].map((attempt) => waitAfter(failed(503), attempt));
  expect(waits).toEqual([500, 1000, 2000, 4000]);
  const longer = { ...RULES, maxRetries: 9 };
  expect(retryWaitMs(failed(503), 9, longer, { nowMs: NOW, random: 0.5 })).toBe(8000);
  expect(waitAfter(failed(503), 1, 0)).toBe(375);
  expect(waitAfter(failed(503), 1, 1)).toBe(625);
});

it('a wait longer than the longest is none', () => {
  expect(waitAfter(failed(429, { 'retry-after': '120' }))).toBe(120_000);
  expect(waitAfter(failed(429, { 'retry-after': '121' }))).toBeNull();
});

it.each<[number, number]>([
  [408, 4],
  [429, 4],
  [500, 1],
  [502, 4],
  [503, 4],
  ...[400, 401, 403, 404, 410, 416, 422, 501, 504].map((status): [number, number] => [status, 0]),
])('a %i is tried again %i times', (status, retries) => {
  const failure = failed(status);
  const tried = [1, 2, 3, 4, 5].filter((attempt) => waitAfter(failure, attempt) !== null);
  expect(tried).toHaveLength(retries);
});

it('broken connections are tried again as often as allowed, altered bytes once, other errors never', () => {
  const tries = (failure: unknown) =>
    [1, 2, 3, 4, 5].filter((attempt) => waitAfter(failure, attempt) !== null).length;
  expect(tries(new TransportError('broken', 1))).toBe(4);
  expect(tries(new IntegrityError('altered'))).toBe(1);
  expect(tries(new Error('else'))).toBe(0);
});
