import type { Problem } from '../base/errors.ts';
import { listed } from '../base/printable.ts';

export type ProblemPlace = readonly ['query' | 'path', string];

/** One entry of the list of problems. `input` is what the client gave, `ctx` is for programs. */
export function problemAt(
  place: ProblemPlace,
  type: string,
  msg: string,
  input: unknown,
  ctx: Readonly<Record<string, unknown>> = {},
): Problem {
  return { type, loc: place, msg, input, ctx };
}

/** `'a', 'b' or 'c'`. */
export function alternatives(values: readonly string[]): string {
  return listed(
    values.map((value) => `'${value}'`),
    'or',
  );
}
