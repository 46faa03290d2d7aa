/** The one random wait of tests: what is killed or stopped after it may be doing anything, or nothing any more. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '@ticklake/demo/random.ts';

/** Waits between 0 and `maxMs`, as drawn. What is asserted after it holds at whatever moment it ends. */
export function anyMoment(draws: Random, maxMs: number): Promise<void> {
  // biome-ignore lint/plugin: nothing is expected to have happened by then.
  return sleep(draws.uniform(0, maxMs));
}
