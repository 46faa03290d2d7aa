import type { Problem } from '../base/errors.ts';

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
  const quoted = values.map((value) => `'${value}'`);
  const last = quoted.at(-1) ?? '';
  return quoted.length < 2 ? last : `${quoted.slice(0, -1).join(', ')} or ${last}`;
}
