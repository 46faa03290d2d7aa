import { describe, expect, it } from 'vitest';
import { changeRate } from './rate.ts';

const START_MS = Date.parse('2025-06-20T16:00:00Z');
const MANAGER = { personId: 1, role: 'manager' } as const;

function openRate() {
  const clock = { atMs: START_MS, now: () => clock.atMs };
  return { rate: changeRate(clock), clock };
}

/** The number of changes that a person may make. */
async function useUp(rate: ReturnType<typeof changeRate>): Promise<void> {
  for (let i = 0; i < 120; i++) await rate.count(MANAGER);
}

describe('the rate of changes', () => {
  it('lets a person make 120 in a minute, and refuses more until the minute is over', async () => {
    const { rate, clock } = openRate();
    await useUp(rate);
    await expect(rate.count(MANAGER)).rejects.toThrow('Too many changes');
    clock.atMs += 59_999;
    await expect(rate.count(MANAGER)).rejects.toThrow('Too many changes');
    clock.atMs += 1;
    await useUp(rate);
    await expect(rate.count(MANAGER)).rejects.toThrow('Too many changes');
  });

  it('counts each person alone, and owners not at all', async () => {
    const { rate } = openRate();
    await useUp(rate);
    await rate.count({ personId: 2, role: 'manager' });
    for (let i = 0; i < 200; i++) await rate.count({ personId: 3, role: 'owner' });
  });

  it('starts anew when the clock is set back by a minute', async () => {
    const { rate, clock } = openRate();
    await useUp(rate);
    clock.atMs -= 59_999;
    await expect(rate.count(MANAGER)).rejects.toThrow('Too many changes');
    clock.atMs -= 1;
    await rate.count(MANAGER);
  });
});
