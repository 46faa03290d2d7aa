/** Silence that clients wait for passes when a test says so, so slow machines do no harm. */
import { vi } from 'vitest';

/** The wait that clients are given; no other timer has it. */
export const SILENCE_MS = 59_999;

export interface Silence {
  /** Has it pass for all who listen now; whether anybody did. */
  pass(): boolean;
  restore(): void;
}

export function controlSilence(): Silence {
  const listening = new Map<unknown, () => void>();
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  const setting = vi.spyOn(globalThis, 'setTimeout');
  setting.mockImplementation(((callback: () => void, ms: number, ...rest: []) => {
    if (ms !== SILENCE_MS) return set(callback, ms, ...rest);
    const timer = set(() => undefined, ms).unref();
    listening.set(timer, callback);
    return timer;
  }) as typeof setTimeout);
  const clearing = vi.spyOn(globalThis, 'clearTimeout');
  clearing.mockImplementation((timer) => {
    listening.delete(timer);
    clear(timer);
  });
  return {
    pass: () => {
      const callbacks = [...listening.values()];
      for (const callback of callbacks) callback();
      return callbacks.length > 0;
    },
    restore: () => {
      setting.mockRestore();
      clearing.mockRestore();
    },
  };
}
