/** Operations on quota limits. */

import type { QuotaAmounts } from '../store/identities.ts';
import {
  QUANTITIES,
  QUANTITY_NAMES,
  type QuantityField,
  type QuotaSpan,
} from '../store/quantities.ts';
import { QUOTA_LIMITS } from './answers.ts';
import { type FieldOption, optional } from './field.ts';
import { LIMIT, partsOf } from './field-kinds.ts';
import { changed, found, type Operation, operation } from './operation.ts';
import { existingIdentity, IDENTITY_ID } from './shared-fields.ts';
import { limitsView } from './views.ts';

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

/** The amounts with those that are given put in their place. */
function merged(
  amounts: QuotaAmounts,
  parts: Partial<Record<QuantityField, number | null>> = {},
): QuotaAmounts {
  const given = QUANTITY_NAMES.flatMap((quantity) => {
    const value = parts[QUANTITIES[quantity].field];
    return value === undefined ? [] : [[quantity, value]];
  });
  return { ...amounts, ...Object.fromEntries(given) };
}

const setLimits = operation({
  name: 'setQuotaLimits',
  summary: 'set the limits of an account; options that are left out change nothing',
  method: 'POST',
  path: '/identities/:identity_id/quotas',
  words: ['quota', 'set'],
  fields: { identity_id: IDENTITY_ID, month: spanField('month'), minute: spanField('minute') },
  needsOneOf: ['month', 'minute'],
  answer: QUOTA_LIMITS,
  refusals: ['not found'],
  run: async ({ store }, values) => {
    const { identityId, limits } = await existingIdentity(store, values.identity_id);
    const next = {
      month: merged(limits.month, values.month),
      minute: merged(limits.minute, values.minute),
    };
    await store.identities.update(identityId, { limits: next });
    const after = limitsView(identityId, next);
    return changed(after, `identity:${identityId}`, limitsView(identityId, limits), after);
  },
});

const showLimits = operation({
  name: 'showQuotaLimits',
  summary: 'show the limits of an account; null means unlimited',
  method: 'GET',
  path: '/identities/:identity_id/quotas',
  words: ['quota', 'show'],
  fields: { identity_id: IDENTITY_ID },
  answer: QUOTA_LIMITS,
  refusals: ['not found'],
  run: async ({ store }, values) => {
    const { identityId, limits } = await existingIdentity(store, values.identity_id);
    return found(limitsView(identityId, limits));
  },
});

export const QUOTA_OPERATIONS: readonly Operation[] = [setLimits, showLimits];
