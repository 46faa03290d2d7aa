/** Halts and pauses of the days with minute bars. */

export interface Halt {
  readonly ticker: string;
  readonly age: number;
  /** Minutes since local midnight; null while it lasts. */
  readonly fromMinute: number;
  readonly toMinute: number | null;
  readonly code: 'T1' | 'LUDP' | 'T12' | 'IPO1';
}

const HALTS: readonly Halt[] = [
  { ticker: 'WQZF', age: 52, fromMinute: 580, toMinute: 640, code: 'T12' },
  { ticker: 'DZQX', age: 37, fromMinute: 610, toMinute: 700, code: 'T1' },
  { ticker: 'NZQX', age: 20, fromMinute: 240, toMinute: 610, code: 'IPO1' },
  { ticker: 'XQVN', age: 18, fromMinute: 652, toMinute: 657, code: 'LUDP' },
  { ticker: 'NQXV', age: 2, fromMinute: 605, toMinute: 610, code: 'LUDP' },
  { ticker: 'TZQW', age: 1, fromMinute: 642, toMinute: 647, code: 'LUDP' },
  { ticker: 'HVQZ', age: 0, fromMinute: 715, toMinute: null, code: 'T1' },
];

/** The halt of a company on a day, by its present ticker; null on nearly every day. */
export function haltOn(ticker: string, age: number): Halt | null {
  return HALTS.find((halt) => halt.ticker === ticker && halt.age === age) ?? null;
}
