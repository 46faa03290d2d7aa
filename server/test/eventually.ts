/** Waits for a state to come about, on a busy machine too; the default of a second is too short. */
import { vi } from 'vitest';

const TIMEOUT_MS = 30_000;

/** Resolves to what `check` gives as soon as it does not throw. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, TIMEOUT_MS);
}
