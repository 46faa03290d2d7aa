import { randomUUID } from 'node:crypto';
import { afterEach, expect, it, vi } from 'vitest';
import { StoreUnavailableError } from '../store-errors.ts';
import { Grace } from './grace.ts';

const GRACE_MS = 1000;
const LATE_MS = 250;

afterEach(() => void vi.useRealTimers());

/** A grace for a database that answers, is away or never answers, with the clock of `state`. */
function graceOf() {
  const state = { nowMs: 0, database: 'here' as 'here' | 'away' | 'late' | 'silent' };
  const look = async () => {
    if (state.database === 'late') {
      state.nowMs += LATE_MS;
      throw new StoreUnavailableError('it is late', 'it is late');
    }
    if (state.database === 'away') throw new StoreUnavailableError('it is away', 'it is away');
    if (state.database === 'silent') await new Promise(() => undefined);
  };
  const options = { look, graceMs: GRACE_MS, database: randomUUID(), nowMs: () => state.nowMs };
  return { state, options, grace: new Grace(options) };
}

it('lets requests go on for the time that is set, from the last look that succeeded', async () => {
  const { state, grace } = graceOf();
  await grace.now();
  state.database = 'away';
  state.nowMs = GRACE_MS - 1;
  await grace.now();
  expect(grace.outage).toEqual({ reason: 'it is away', graceMs: 1 });
  await expect(grace.look()).rejects.toThrow('it is away');
  state.nowMs = GRACE_MS;
  await expect(grace.now()).rejects.toThrow('it is away');
  expect([grace.outage, grace.problem]).toEqual([null, 'it is away']);
  state.database = 'here';
  await grace.now();
  expect([grace.outage, grace.problem]).toEqual([null, null]);
});

it('lets a request of an outage wait a quarter of a second for a look, and no longer', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { state, grace } = graceOf();
  await grace.now();
  state.database = 'away';
  await grace.now();
  state.database = 'silent';
  let isOver = false;
  const going = grace.now().then(() => {
    isOver = true;
  });
  await vi.advanceTimersByTimeAsync(249);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await going;
});

it('lets no request of an outage wait where the last look took long, as on a database that stands still', async () => {
  const { state, grace } = graceOf();
  await grace.now();
  state.database = 'late';
  await grace.now();
  state.database = 'silent';
  // Each would wait for ever.
  await grace.now();
  await grace.now();
});

it('lets requests go on where another look at the same database has failed', async () => {
  const { state, options, grace } = graceOf();
  const other = new Grace(options);
  for (const each of [grace, other]) await each.now();
  state.database = 'late';
  await grace.now();
  expect(other.outage).toMatchObject({ reason: 'it is late' });
  state.database = 'here';
  await other.look();
  expect([grace.outage, other.outage]).toEqual([null, null]);
});
