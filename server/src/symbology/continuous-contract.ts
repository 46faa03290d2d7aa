/** Names of continuous contracts, such as `ES.c.0`: a root, what its contracts are ranked by, and the rank. */

/** By the letter of each: what contracts are ranked by. */
export const ROLL_RULES = {
  c: 'the delivery that is nearest',
  v: 'the contracts traded on the weekday before',
  n: 'the open interest known at the end of the weekday before',
} as const;
export type RollRule = keyof typeof ROLL_RULES;

export interface ContinuousContract {
  readonly symbol: string;
  readonly root: string;
  readonly rule: RollRule;
  /** 0 for the first. */
  readonly rank: number;
}

export const CONTINUOUS_PATTERN = '^([A-Z0-9]{1,12})[.]([cvn])[.](0|[1-9][0-9]?)$';
const SYMBOL = new RegExp(CONTINUOUS_PATTERN);
/** In plain words, after "should be". */
export const CONTINUOUS_LEGAL =
  "a root, '.c.', '.v.' or '.n.', and a rank from 0 to 99, such as 'ES.c.0'";

/** Null where the text is no such name. */
export function parseContinuous(symbol: string): ContinuousContract | null {
  const [, root, rule, rank] = SYMBOL.exec(symbol) ?? [];
  if (root === undefined) return null;
  return { symbol, root, rule: rule as RollRule, rank: Number(rank) };
}
