import { Registry } from 'prom-client';
import { expect, it, vi } from 'vitest';
import type { Reading } from './readings.ts';
import { registerReading } from './readings.ts';

function pageOf(...readings: Reading[]): () => Promise<string> {
  const registry = new Registry();
  for (const reading of readings) registerReading(registry, reading);
  return () => registry.metrics();
}

it('shows what is measured at the moment, and no series of an earlier one', async () => {
  let state = 'x';
  const text = pageOf({
    name: 'g',
    help: 'G.',
    labelNames: ['state'],
    read: () => [[2, { state }]],
  });
  expect(await text()).toBe('# HELP g G.\n# TYPE g gauge\ng{state="x"} 2\n');
  state = 'y';
  expect(await text()).toBe('# HELP g G.\n# TYPE g gauge\ng{state="y"} 2\n');
});

it('shows the sum that a counter stands at, however often it is read', async () => {
  const text = pageOf({ name: 'c_total', help: 'C.', labelNames: [], read: () => [[7]] });
  for (let time = 0; time < 2; time++) {
    expect(await text()).toBe('# HELP c_total C.\n# TYPE c_total counter\nc_total 7\n');
  }
});

it('shows nothing of a reading that fails, and all others', async () => {
  const fail = () => {
    throw new Error('closed');
  };
  const text = pageOf(
    { name: 'a', help: 'A.', labelNames: [], read: fail },
    { name: 'b', help: 'B.', labelNames: ['x'], read: fail },
    { name: 'c', help: 'C.', labelNames: [], read: () => [[1]] },
  );
  expect((await text()).split('\n').filter((line) => /^\w/.test(line))).toEqual(['c 1']);
});

it('shows the last samples of a reading that hangs, and tells of it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let samples: Promise<[number][]> = Promise.resolve([[7]]);
  const registry = new Registry();
  const old = new Set<string>();
  registerReading(registry, { name: 'g', help: 'G.', labelNames: [], read: () => samples }, old);
  const text = '# HELP g G.\n# TYPE g gauge\ng 7\n';
  expect([await registry.metrics(), [...old]]).toEqual([text, []]);
  samples = new Promise(() => undefined);
  const page = registry.metrics();
  await vi.advanceTimersByTimeAsync(999);
  expect([await page, [...old]]).toEqual([text, ['g']]);
  vi.useRealTimers();
});
