/** Continuous contracts such as `ES.c.0`: root, ranking and rank. */

/** Figures that are more weekdays old rank no contract. */
export const KNOWN_WEEKDAYS = 3;

/** By the letter of each: what contracts are ranked by. */
const ROLL_RULES = {
  c: 'the delivery that is nearest',
  v: `the contracts traded on the last weekday before with trades, at most ${KNOWN_WEEKDAYS} weekdays ago`,
  n: `the open interest last published on a date before, at most ${KNOWN_WEEKDAYS} weekdays ago`,
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

/** Texts that look like a continuous contract, but name none. */
const ATTEMPT = /^[A-Z0-9]{1,12}[.][A-Z]+[.][0-9]+$/i;

/** True if a text that is no such name looks like one. */
export function isContinuousAttempt(text: string): boolean {
  return ATTEMPT.test(text) && !SYMBOL.test(text);
}

/** Null where the text is no such name. */
export function parseContinuous(symbol: string): ContinuousContract | null {
  const [, root, rule, rank] = SYMBOL.exec(symbol) ?? [];
  if (root === undefined) return null;
  return { symbol, root, rule: rule as RollRule, rank: Number(rank) };
}
