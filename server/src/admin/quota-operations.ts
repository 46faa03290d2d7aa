/** Operations on quota limits. */

import type { Account, QuotaAmounts, QuotaLimits } from '../store/accounts.ts';
import type { StoreReader } from '../store/control-store.ts';
import {
  QUANTITIES,
  QUANTITY_NAMES,
  type QuantityField,
  type QuotaSpan,
} from '../store/quantities.ts';
import { QUOTA_LIMITS } from './answers.ts';
import { optional } from './field.ts';
import { LIMIT, partsOf } from './field-kinds.ts';
import { changed, found, type Operation, operation } from './operation.ts';
import { ACCOUNT_ID, existingAccount } from './shared-fields.ts';
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
  const options = RULES.map(({ field, option }) => ({
    option: `--${span}-${option.word} ${option.value}`,
    at: [field],
    description: `maximum ${option.noun} ${SPAN_TEXTS[span]}, or unlimited`,
  }));
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

async function view({ offers }: StoreReader, account: Account) {
  const offer = account.offer && (await offers.find(account.offer.offerId));
  return limitsView(account, offer);
}

const setLimits = operation({
  name: 'setQuotaLimits',
  summary: 'set the own limits of an account; options that are left out change nothing',
  endpoint: 'POST /identities/:identity_id/quotas',
  command: 'quota set',
  fields: { identity_id: ACCOUNT_ID, ...LIMITS_FIELDS },
  needsOne: true,
  answer: QUOTA_LIMITS,
  run: async ({ store }, values) => {
    const before = await existingAccount(store, values.identity_id);
    const { accountId } = before;
    const limits = mergedLimits(before.own.limits, values);
    await store.accounts.update(accountId, { limits });
    const after = await view(store, await existingAccount(store, accountId));
    return changed(after, `identity:${accountId}`, await view(store, before), after);
  },
});

const showLimits = operation({
  name: 'showQuotaLimits',
  summary: 'show the limits of an account, its own and those of its plan; null means unlimited',
  endpoint: 'GET /identities/:identity_id/quotas',
  command: 'quota show',
  fields: { identity_id: ACCOUNT_ID },
  answer: QUOTA_LIMITS,
  run: async ({ store }, values) =>
    found(await view(store, await existingAccount(store, values.identity_id))),
});

export const QUOTA_OPERATIONS: readonly Operation[] = [setLimits, showLimits];
