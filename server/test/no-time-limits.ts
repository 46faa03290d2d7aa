/** For tests of what is answered, however long it takes. */
import { afterAll, beforeAll, vi } from 'vitest';

/** Queries and searches for hints of this file's tests are not stopped for their time. */
export function liftTimeLimits(): void {
  beforeAll(() => {
    vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal);
  });
  afterAll(() => void vi.mocked(AbortSignal.timeout).mockRestore());
}
