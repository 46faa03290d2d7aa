/** Operations on quota limits. */
import type { QuotaAmounts, QuotaSpan } from '../store/identities.ts';
import { type FieldOption, optional } from './field.ts';
import { LIMIT, partsOf } from './field-kinds.ts';
import { changed, found, type Operation, operation } from './operation.ts';
import { existingIdentity, IDENTITY_ID } from './shared-fields.ts';
import { limitsView } from './views.ts';

const DIMENSIONS = [
  { part: 'requests', amount: 'requests', word: 'requests', unit: 'N' },
  { part: 'data_scanned', amount: 'scannedBytes', word: 'scanned', unit: 'BYTES' },
  { part: 'data_returned', amount: 'returnedBytes', word: 'returned', unit: 'BYTES' },
] as const;

const LIMITS = partsOf(
  DIMENSIONS.map(({ part }) => part),
  LIMIT,
);

const SPAN_TEXTS: Readonly<Record<QuotaSpan, string>> = {
  month: 'in a month',
  minute: 'in any 60 seconds',
};
const AMOUNT_TEXTS = { requests: 'requests', scanned: 'bytes read', returned: 'bytes sent' };

function spanField(span: QuotaSpan) {
  const options = DIMENSIONS.map(
    ({ part, word, unit }): FieldOption => ({
      name: `${span}-${word}`,
      valueName: unit,
      at: [part],
      ofText: LIMIT.ofText,
      description: `maximum ${AMOUNT_TEXTS[word]} ${SPAN_TEXTS[span]}, or unlimited`,
    }),
  );
  const help = `Maximum requests, bytes scanned and bytes returned ${SPAN_TEXTS[span]}; null means unlimited`;
  return optional(LIMITS, help, ...options);
}

/** The amounts with those that are given put in their place. */
function merged(
  amounts: QuotaAmounts,
  parts: Partial<Record<(typeof DIMENSIONS)[number]['part'], number | null>> = {},
): QuotaAmounts {
  const given = DIMENSIONS.flatMap(({ part, amount }) => {
    const value = parts[part];
    return value === undefined ? [] : [[amount, value]];
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
  answerSchema: 'QuotaLimits',
  refusals: [404],
  run: ({ store }, values) => {
    const { identityId, limits } = existingIdentity(store, values.identity_id);
    const next = {
      month: merged(limits.month, values.month),
      minute: merged(limits.minute, values.minute),
    };
    store.identities.update(identityId, { limits: next });
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
  answerSchema: 'QuotaLimits',
  refusals: [404],
  run: ({ store }, values) => {
    const { identityId, limits } = existingIdentity(store, values.identity_id);
    return found(limitsView(identityId, limits));
  },
});

export const QUOTA_OPERATIONS: readonly Operation[] = [setLimits, showLimits];
