/** The effect of each condition on a trade or a quote, by the code that makes the bars. */
import {
  FULL_USE,
  IS_COUNTED,
  IS_EXTREME,
  IS_SOLE_ENDPOINT,
  isCountedQuote,
  QUOTE_CONDITIONS,
  quoteMask,
  TRADE_CONDITIONS,
  TRADE_USE,
  tradeMask,
} from './conditions.ts';

/**
 * `all`: it counts in the volume and may be high, low, first and last. `not_last`: the same, but it
 * is first and last only while the bar has no other. `volume`: it sets no price. `none`: the bar
 * ignores it.
 */
export const CONDITION_USES = ['all', 'not_last', 'volume', 'none'] as const;
type ConditionUse = (typeof CONDITION_USES)[number];

const USES_BY_FLAGS: ReadonlyMap<number, ConditionUse> = new Map([
  [FULL_USE, 'all'],
  [IS_COUNTED | IS_EXTREME | IS_SOLE_ENDPOINT, 'not_last'],
  [IS_COUNTED, 'volume'],
  [0, 'none'],
]);

function useOf(flags: number): ConditionUse {
  const use = USES_BY_FLAGS.get(flags);
  if (use === undefined) throw new Error(`no word for the use ${flags}`);
  return use;
}

const REGULAR_TRADE = tradeMask('Regular');
const REGULAR_QUOTE = quoteMask('Regular');

interface ConditionCode {
  readonly bit: number;
  readonly name: string;
}

function codesOf(names: readonly (string | null)[]): ConditionCode[] {
  return names.flatMap((name, bit) => (name === null ? [] : [{ bit, name }]));
}

/**
 * By bit. The vendor's logic asks whether a trade has any condition that keeps it, so it has the
 * use of the condition alone, too; under the industry's standard `Regular` adds nothing.
 */
export const TRADE_CONDITION_USES = codesOf(TRADE_CONDITIONS).map(({ bit, name }) => {
  const mask = 2 ** bit;
  const withRegular = (mask | REGULAR_TRADE) >>> 0;
  return {
    bit,
    name,
    vendor: useOf(TRADE_USE.vendor_default(mask, true)),
    vendor_with_regular: useOf(TRADE_USE.vendor_default(withRegular, true)),
    industry_std: useOf(TRADE_USE.industry_std(withRegular, true)),
    industry_std_outside_hours: useOf(TRADE_USE.industry_std(withRegular, false)),
  };
});

/** By bit, for quotes of every aggregation logic: whether a quote may set the national best. */
export const QUOTE_CONDITION_USES = codesOf(QUOTE_CONDITIONS).map(({ bit, name }) => ({
  bit,
  name,
  is_counted: isCountedQuote(2 ** bit),
  is_counted_with_regular: isCountedQuote((2 ** bit) | REGULAR_QUOTE),
}));
