/**
 * Operations on plans, which are offers in the store: named sets of rules, limits and end of
 * contract that accounts have. A change counts at once for all of them.
 */

import { ApiError } from '../base/errors.ts';
import { legalText, nullable } from '../schema/schema.ts';
import { UNLIMITED } from '../store/accounts.ts';
import type { StoreReader } from '../store/control-store.ts';
import type { Offer } from '../store/offers.ts';
import { LIMITS_FIELDS, mergedLimits } from './account-operations.ts';
import {
  ADMINISTERED_RULE_LIST,
  ASSIGNED_OFFER,
  DELETED_OFFER,
  OFFER,
  OFFER_PAGE,
} from './answers.ts';
import { asOptional, type FieldValues, optional, refuse, required } from './field.ts';
import { CONTRACT_DAYS, IDS, NAME, TIME } from './field-kinds.ts';
import { changed, found, type Operation, operation } from './operation.ts';
import { ACCOUNTS, OFFER_ID, OFFERS, PAGE_FIELDS, page, requireNoAdminTerms } from './records.ts';
import { OFFER_RULE_OPERATIONS } from './rule-operations.ts';
import { ruleView } from './views.ts';

const NAME_FIELD = required(NAME, 'Unique name of the plan', '--name N');

const TERMS_FIELDS = {
  contract_ends_at: optional(
    nullable(TIME, 'none'),
    `When the contracts of its accounts end: ${legalText(TIME)}; null means no common end`,
    {
      option: '--contract-ends TIME',
      description: 'when the contracts of its accounts end (a date means 00:00 UTC), or none',
    },
  ),
  contract_days: optional(
    nullable(CONTRACT_DAYS, 'none'),
    'Or how many days a contract lasts from when an account gets the plan; null means no such end',
    {
      option: '--contract-days N',
      description: 'or how many days a contract lasts from when an account gets the plan, or none',
    },
  ),
  ...LIMITS_FIELDS,
};

async function requireFreeName({ offers }: StoreReader, name: string, offerId: number | null) {
  const owner = await offers.findByName(name);
  if (owner === null || owner.offerId === offerId) return;
  refuse('name', 'name_taken', `is already the name of plan ${owner.offerId}`, name);
}

/** Either kind of end takes the place of the other. */
function contractOf(
  { contract_ends_at: endsAt, contract_days: days }: FieldValues<typeof TERMS_FIELDS>,
  before: Pick<Offer, 'contractEndsAtMs' | 'contractDays'>,
) {
  if (endsAt !== undefined && endsAt !== null && days !== undefined && days !== null) {
    const complaint = "should not be given together with 'contract_ends_at'";
    refuse('contract_days', 'given_twice', complaint, days);
  }
  const { contractEndsAtMs, contractDays } = before;
  return {
    contractEndsAtMs: endsAt ?? (endsAt === null || days ? null : contractEndsAtMs),
    contractDays: days ?? (days === null || endsAt ? null : contractDays),
  };
}

const createOffer = operation({
  name: 'createPlan',
  summary: 'create a plan, which gives no data access at first',
  endpoint: 'POST /plans',
  command: 'plan create',
  fields: { name: NAME_FIELD, ...TERMS_FIELDS },
  answer: OFFER,
  run: async (context, values) => {
    const { store, nowMs } = context;
    await requireFreeName(store, values.name, null);
    const offerId = await store.offers.create({
      name: values.name,
      limits: mergedLimits(UNLIMITED, values),
      ...contractOf(values, { contractEndsAtMs: null, contractDays: null }),
      createdAtMs: nowMs,
    });
    return OFFERS.made(context, offerId);
  },
});

const listOffers = operation({
  name: 'listPlans',
  summary: 'list the plans, with how many accounts have each',
  endpoint: 'GET /plans',
  command: 'plan list',
  fields: PAGE_FIELDS,
  answer: OFFER_PAGE,
  run: async (context, values) =>
    page(
      values,
      (after, limit) => context.store.offers.list(after, limit),
      ({ offerId }) => offerId,
      (offer) => OFFERS.view(offer, context),
    ),
});

const showOffer = operation({
  name: 'showPlan',
  summary: 'show a plan; a limit of null means unlimited',
  endpoint: 'GET /plans/:plan_id',
  command: 'plan show',
  fields: { plan_id: OFFER_ID },
  answer: OFFER,
  run: async (context, values) => found(await OFFERS.shown(context, values.plan_id)),
});

const updateOffer = operation({
  name: 'updatePlan',
  summary: 'change a plan for all accounts that have it; options that are left out change nothing',
  endpoint: 'POST /plans/:plan_id/update',
  command: 'plan update',
  fields: { plan_id: OFFER_ID, name: asOptional(NAME_FIELD), ...TERMS_FIELDS },
  needsOne: true,
  answer: OFFER,
  run: async (context, values) =>
    OFFERS.altered(context, values.plan_id, async (before) => {
      const { offers } = context.store;
      const { offerId } = before;
      const name = values.name ?? before.name;
      await requireFreeName(context.store, name, offerId);
      const limits = mergedLimits(before.limits, values);
      await offers.update(offerId, { name, limits, ...contractOf(values, before) });
    }),
});

const deleteOffer = operation({
  name: 'deletePlan',
  summary: 'delete a plan that no account has, with its rules',
  endpoint: 'POST /plans/:plan_id/delete',
  command: 'plan delete',
  fields: { plan_id: OFFER_ID },
  answer: DELETED_OFFER,
  refusals: ['conflict'],
  run: async (context, { plan_id }) =>
    OFFERS.deleted(context, { plan_id }, async () => {
      const count = await context.store.offers.countAccounts(plan_id);
      if (count > 0) {
        const text = `Accounts have this plan (${count}); give them another one, or none, first`;
        throw new ApiError('conflict', text);
      }
      await context.store.offers.delete(plan_id);
    }),
});

const assignOffer = operation({
  name: 'assignPlan',
  summary: 'give several accounts a plan, in place of the one that they had',
  endpoint: 'POST /plans/:plan_id/assign',
  command: 'plan assign',
  fields: {
    plan_id: OFFER_ID,
    identity_ids: required(IDS, 'Ids of the accounts', '--identity ID...'),
  },
  answer: ASSIGNED_OFFER,
  refusals: ['conflict'],
  run: async ({ store, nowMs }, values) => {
    const { offerId } = await OFFERS.existing(store, values.plan_id);
    const before: Record<string, number | null> = {};
    const after: Record<string, number | null> = {};
    for (const accountId of values.identity_ids) {
      const account = await ACCOUNTS.existing(store, accountId);
      const { offer } = account;
      const given = { offerId, givenAtMs: nowMs };
      requireNoAdminTerms({ ...account, offer: given });
      before[accountId] = offer?.offerId ?? null;
      after[accountId] = offerId;
      // Whoever has it already keeps the time from which a contract is counted.
      if (offer?.offerId === offerId) continue;
      await store.accounts.update(accountId, { offer: given });
    }
    const answer = { plan_id: offerId, identity_ids: values.identity_ids };
    return changed(answer, `plan:${offerId}`, { plan_ids: before }, { plan_ids: after });
  },
});

const listOfferRules = operation({
  name: 'listPlanRules',
  summary: 'list the access rules of a plan',
  endpoint: 'GET /plans/:plan_id/data-access-rules',
  command: 'plan rules',
  fields: { plan_id: OFFER_ID },
  answer: ADMINISTERED_RULE_LIST,
  run: async ({ store, catalog }, values) => {
    const { offerId } = await OFFERS.existing(store, values.plan_id);
    return found(
      (await store.rules.listOfHolder({ offerId })).map((rule) => ruleView(rule, catalog)),
    );
  },
});

export const OFFER_OPERATIONS: readonly Operation[] = [
  createOffer,
  listOffers,
  showOffer,
  updateOffer,
  deleteOffer,
  assignOffer,
  ...OFFER_RULE_OPERATIONS,
  listOfferRules,
];
