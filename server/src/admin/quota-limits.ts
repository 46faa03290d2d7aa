/** The fields of quota limits, of accounts and of plans. */

import type { QuotaAmounts, QuotaLimits } from '../store/identities.ts';
import {
  QUANTITIES,
  QUANTITY_NAMES,
  type QuantityField,
  type QuotaSpan,
} from '../store/quantities.ts';
import { type FieldOption, optional } from './field.ts';
import { LIMIT, partsOf } from './field-kinds.ts';

const RULES = QUANTITY_NAMES.map((quantity) => QUANTITIES[quantity]);

const LIMITS = partsOf(
  RULES.map(({ field }) => field),
  LIMIT,
);

const SPAN_TEXTS: Readonly<Record<QuotaSpan, string>> = {
  month: 'in a month',
  minute: 'in any 60 seconds',
};

function enumerated(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

function spanField(span: QuotaSpan) {
  const options = RULES.map(
    ({ field, option }): FieldOption => ({
      name: `${span}-${option.word}`,
      valueName: option.value,
      at: [field],
      description: `maximum ${option.noun} ${SPAN_TEXTS[span]}, or unlimited`,
    }),
  );
  const nouns = enumerated(RULES.map(({ noun }) => noun));
  const help = `Maximum ${nouns} ${SPAN_TEXTS[span]}; null means unlimited`;
  return optional(LIMITS, help, ...options);
}

export const LIMITS_FIELDS = { month: spanField('month'), minute: spanField('minute') };

type Parts = Partial<Record<QuantityField, number | null>>;

/** The amounts with those that are given put in their place. */
function merged(amounts: QuotaAmounts, parts: Parts = {}): QuotaAmounts {
  const given = QUANTITY_NAMES.flatMap((quantity) => {
    const value = parts[QUANTITIES[quantity].field];
    return value === undefined ? [] : [[quantity, value]];
  });
  return { ...amounts, ...Object.fromEntries(given) };
}

/** Limits with those that are given put in their place. */
export function mergedLimits(
  limits: QuotaLimits,
  values: { readonly month?: Parts | undefined; readonly minute?: Parts | undefined },
): QuotaLimits {
  return {
    month: merged(limits.month, values.month),
    minute: merged(limits.minute, values.minute),
  };
}
