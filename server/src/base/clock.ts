/** The only reading of the system's time; everything else is handed a clock. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** A clock that stands still until it is set: for tests and for reproducible generation. */
export function fixedClock(iso: string): Clock & { set(iso: string): void } {
  let nowMs = Date.parse(iso);
  return {
    now: () => nowMs,
    set: (next) => {
      nowMs = Date.parse(next);
    },
  };
}

/** UTC, whole seconds, `Z`. */
export function isoSeconds(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}
