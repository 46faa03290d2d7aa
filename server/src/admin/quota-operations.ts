/** Operations on quota limits. */

import type { StoreReader } from '../store/control-store.ts';
import type { Identity } from '../store/identities.ts';
import { QUOTA_LIMITS } from './answers.ts';
import { changed, found, type Operation, operation } from './operation.ts';
import { LIMITS_FIELDS, mergedLimits } from './quota-limits.ts';
import { existingIdentity, IDENTITY_ID } from './shared-fields.ts';
import { limitsView } from './views.ts';

async function view({ offers }: StoreReader, identity: Identity) {
  const offer = identity.offer && (await offers.find(identity.offer.offerId));
  return limitsView(identity, offer);
}

const setLimits = operation({
  name: 'setQuotaLimits',
  summary: 'set the own limits of an account; options that are left out change nothing',
  method: 'POST',
  path: '/identities/:identity_id/quotas',
  words: ['quota', 'set'],
  fields: { identity_id: IDENTITY_ID, ...LIMITS_FIELDS },
  needsOneOf: ['month', 'minute'],
  answer: QUOTA_LIMITS,
  refusals: ['not found'],
  run: async ({ store }, values) => {
    const before = await existingIdentity(store, values.identity_id);
    const { identityId } = before;
    const limits = mergedLimits(before.own.limits, values);
    await store.identities.update(identityId, { limits });
    const after = await view(store, await existingIdentity(store, identityId));
    return changed(after, `identity:${identityId}`, await view(store, before), after);
  },
});

const showLimits = operation({
  name: 'showQuotaLimits',
  summary: 'show the limits of an account, its own and those of its plan; null means unlimited',
  method: 'GET',
  path: '/identities/:identity_id/quotas',
  words: ['quota', 'show'],
  fields: { identity_id: IDENTITY_ID },
  answer: QUOTA_LIMITS,
  refusals: ['not found'],
  run: async ({ store }, values) =>
    found(await view(store, await existingIdentity(store, values.identity_id))),
});

export const QUOTA_OPERATIONS: readonly Operation[] = [setLimits, showLimits];
