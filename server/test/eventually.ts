/** Waits for a state to come about. The limit is for what never comes, not for what comes late. */
import { vi } from 'vitest';

const HANGS_AFTER_MS = 300_000;

/** Resolves to what `check` gives as soon as it does not throw. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, HANGS_AFTER_MS);
}
