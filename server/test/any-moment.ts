/** The only random wait in tests. A process killed after it may be doing anything, or be done. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '@ticklake/demo/random.ts';

/** Waits a drawn time from 0 to `maxMs`. Assertions after it must hold whenever it ends. */
export function anyMoment(draws: Random, maxMs: number): Promise<void> {
  // Allowed: nothing is expected to have happened by then.
  return sleep(draws.uniform(0, maxMs));
}
