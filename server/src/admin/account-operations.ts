/** Operations on accounts: who may call, from where, with how many keys, within which quotas. */
import { ApiError } from '../base/errors.ts';
import { listed } from '../base/printable.ts';
import { legalText, nullable } from '../schema/schema.ts';
import {
  type Account,
  type HeldOffer,
  type QuotaAmounts,
  type QuotaLimits,
  UNLIMITED,
} from '../store/accounts.ts';
import type { StoreReader } from '../store/control-store.ts';
import {
  QUANTITIES,
  QUANTITY_NAMES,
  type QuantityField,
  type QuotaSpan,
} from '../store/quantities.ts';
import { ACCOUNT_PAGE, ADMINISTERED_ACCOUNT, QUOTA_LIMITS } from './answers.ts';
import { asOptional, optional, refuse, required } from './field.ts';
import { COUNT, FLAG, ID, LIMIT, NAME, partsOf, SUBNETS, TIME } from './field-kinds.ts';
import { found, type Operation, type OperationContext, operation } from './operation.ts';
import {
  ACCOUNT_ID,
  ACCOUNTS,
  OFFERS,
  PAGE_FIELDS,
  page,
  recordsOf,
  requireNoAdminTerms,
} from './records.ts';
import { accountView, limitsView } from './views.ts';

const DEFAULT_MAX_ACTIVE_API_KEYS = 5;

const NAME_FIELD = required(NAME, 'Unique name of the account', '--name N');
const ADMIN_HELP = 'Let the account administer all accounts';
const ADMIN_OPTION = '--admin';
const MAX_KEYS_HELP = 'Maximum number of active, unexpired API keys';
const SUBNETS_HELP = 'CIDR subnets that requests may come from; an empty list allows any address';
const SUBNET_OPTION = {
  option: '--subnet CIDR...',
  description: 'subnet that requests may come from; may be given more than once',
};

const CONTRACT_END = optional(
  nullable(TIME, 'none'),
  `Its own end of contract, from when on all requests are refused: ${legalText(TIME)}; null means that of its plan, or no end`,
  {
    option: '--contract-ends TIME',
    description: 'refuse all requests from this time on (a date means 00:00 UTC), or none',
  },
);

const OFFER_FIELD = optional(nullable(ID, 'none'), 'Id of its plan; null means none', {
  option: '--plan ID',
  description: 'id of the plan that the account gets, or none',
});

/** The offer that was asked for; undefined: it stays as it was. */
async function heldOffer(
  { store, nowMs }: OperationContext,
  offerId: number | null | undefined,
  before: HeldOffer | null,
): Promise<HeldOffer | null> {
  if (offerId === undefined || offerId === before?.offerId) return before;
  if (offerId === null) return null;
  return { offerId: (await OFFERS.existing(store, offerId)).offerId, givenAtMs: nowMs };
}

async function requireFreeName(
  store: StoreReader,
  name: string,
  accountId: number | null,
): Promise<void> {
  const owner = await store.accounts.findByName(name);
  if (owner === null || owner.accountId === accountId) return;
  refuse('name', 'name_taken', `is already the name of account ${owner.accountId}`, name);
}

/** Somebody has to be left who can undo what is done. */
async function requireOtherAdmin(store: StoreReader, account: Account): Promise<void> {
  if (!account.isAdmin || !account.isActive) return;
  if ((await store.accounts.countActiveAdmins()) > 1) return;
  if ((await store.people.countActiveOwners()) > 0) return;
  throw new ApiError(
    'conflict',
    'The last active administrator cannot lose the admin flag or be deactivated',
  );
}

export const createAccount = operation({
  name: 'createIdentity',
  summary: 'create an account, which has no data access at first',
  endpoint: 'POST /identities',
  command: 'identity create',
  fields: {
    name: NAME_FIELD,
    is_admin: optional(FLAG, `${ADMIN_HELP}; default: false`, ADMIN_OPTION),
    max_active_api_keys: optional(
      COUNT,
      `${MAX_KEYS_HELP}; default: ${DEFAULT_MAX_ACTIVE_API_KEYS}`,
      '--max-keys N',
    ),
    ip_subnets: optional(SUBNETS, SUBNETS_HELP, SUBNET_OPTION),
    contract_ends_at: CONTRACT_END,
    plan_id: OFFER_FIELD,
  },
  answer: ADMINISTERED_ACCOUNT,
  refusals: ['not found', 'conflict'],
  run: async (context, values) => {
    const { store, nowMs } = context;
    await requireFreeName(store, values.name, null);
    const isAdmin = values.is_admin ?? false;
    const contractEndsAtMs = values.contract_ends_at ?? null;
    const offer = await heldOffer(context, values.plan_id, null);
    requireNoAdminTerms({ isAdmin, contractEndsAtMs, offer });
    const accountId = await store.accounts.create({
      name: values.name,
      isAdmin,
      maxActiveApiKeys: values.max_active_api_keys ?? DEFAULT_MAX_ACTIVE_API_KEYS,
      ipSubnets: values.ip_subnets ?? [],
      limits: UNLIMITED,
      contractEndsAtMs,
      offer,
      createdAtMs: nowMs,
    });
    return ACCOUNTS.made(context, accountId);
  },
});

const listAccounts = operation({
  name: 'listIdentities',
  summary: 'list the accounts',
  endpoint: 'GET /identities',
  command: 'identity list',
  fields: {
    plan_id: optional(ID, 'Only accounts that have this plan', '--plan ID'),
    name: optional(
      NAME,
      'Only accounts whose name has this text in it, in any case',
      '--name TEXT',
    ),
    ...PAGE_FIELDS,
  },
  answer: ACCOUNT_PAGE,
  run: async ({ store, nowMs }, values) =>
    page(
      values,
      (after, limit) =>
        store.accounts.list(after, limit, { offerId: values.plan_id, nameText: values.name }),
      ({ accountId }) => accountId,
      (account) => accountView(account, nowMs),
    ),
});

const showAccount = operation({
  name: 'showIdentity',
  summary: 'show an account',
  endpoint: 'GET /identities/:identity_id',
  command: 'identity show',
  fields: { identity_id: ACCOUNT_ID },
  answer: ADMINISTERED_ACCOUNT,
  run: async (context, values) => found(await ACCOUNTS.shown(context, values.identity_id)),
});

export const updateAccount = operation({
  name: 'updateIdentity',
  summary: 'change an account; options that are left out change nothing',
  endpoint: 'POST /identities/:identity_id/update',
  command: 'identity update',
  fields: {
    identity_id: ACCOUNT_ID,
    name: asOptional(NAME_FIELD),
    is_admin: optional(FLAG, ADMIN_HELP, ADMIN_OPTION, {
      option: '--no-admin',
      flag: false,
      description: 'no longer let the account administer all accounts',
    }),
    max_active_api_keys: optional(
      COUNT,
      `${MAX_KEYS_HELP}; existing keys stay active`,
      '--max-keys N',
    ),
    ip_subnets: optional(SUBNETS, `${SUBNETS_HELP}. Replaces the list`, SUBNET_OPTION, {
      option: '--no-subnets',
      flag: [],
      description: 'allow requests from anywhere',
    }),
    contract_ends_at: CONTRACT_END,
    plan_id: OFFER_FIELD,
  },
  needsOne: true,
  answer: ADMINISTERED_ACCOUNT,
  refusals: ['conflict'],
  run: async (context, values) =>
    ACCOUNTS.altered(context, values.identity_id, async (before) => {
      const { store } = context;
      const name = values.name ?? before.name;
      await requireFreeName(store, name, before.accountId);
      const isAdmin = values.is_admin ?? before.isAdmin;
      if (!isAdmin) await requireOtherAdmin(store, before);
      const { contract_ends_at: contractEndsAtMs = before.own.contractEndsAtMs } = values;
      const offer = await heldOffer(context, values.plan_id, before.offer);
      requireNoAdminTerms({ isAdmin, contractEndsAtMs, offer });
      await store.accounts.update(before.accountId, {
        name,
        isAdmin,
        maxActiveApiKeys: values.max_active_api_keys ?? before.maxActiveApiKeys,
        ipSubnets: values.ip_subnets ?? before.ipSubnets,
        contractEndsAtMs,
        offer,
      });
    }),
});

const deactivateAccount = operation({
  name: 'deactivateIdentity',
  summary: 'refuse all requests of an account until it is activated again',
  endpoint: 'POST /identities/:identity_id/deactivate',
  command: 'identity deactivate',
  fields: { identity_id: ACCOUNT_ID },
  answer: ADMINISTERED_ACCOUNT,
  refusals: ['conflict'],
  run: async (context, { identity_id }) =>
    ACCOUNTS.altered(context, identity_id, async (before) => {
      await requireOtherAdmin(context.store, before);
      await context.store.accounts.update(identity_id, { isActive: false });
    }),
});

const activateAccount = operation({
  name: 'activateIdentity',
  summary: 'activate a deactivated account',
  endpoint: 'POST /identities/:identity_id/activate',
  command: 'identity activate',
  fields: { identity_id: ACCOUNT_ID },
  answer: ADMINISTERED_ACCOUNT,
  run: async (context, { identity_id }) =>
    ACCOUNTS.altered(context, identity_id, () =>
      context.store.accounts.update(identity_id, { isActive: true }),
    ),
});

export const ACCOUNT_OPERATIONS: readonly Operation[] = [
  createAccount,
  listAccounts,
  showAccount,
  updateAccount,
  deactivateAccount,
  activateAccount,
];

const RULES = QUANTITY_NAMES.map((quantity) => QUANTITIES[quantity]);

const LIMITS = partsOf(
  RULES.map(({ field }) => field),
  LIMIT,
);

const SPAN_TEXTS: Readonly<Record<QuotaSpan, string>> = {
  month: 'in a month',
  minute: 'in any 60 seconds',
};

function spanField(span: QuotaSpan) {
  const options = RULES.map(({ field, option }) => ({
    option: `--${span}-${option.word} ${option.value}`,
    at: [field],
    description: `maximum ${option.noun} ${SPAN_TEXTS[span]}, or unlimited`,
  }));
  const nouns = listed(RULES.map(({ noun }) => noun));
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

const LIMITED_ACCOUNTS = recordsOf(
  ['account', 'identity'],
  ({ accounts }, id) => accounts.find(id),
  async (account, { store: { offers } }) =>
    limitsView(account, account.offer && (await offers.find(account.offer.offerId))),
);

const setLimits = operation({
  name: 'setQuotaLimits',
  summary: 'set the own limits of an account; options that are left out change nothing',
  endpoint: 'POST /identities/:identity_id/quotas',
  command: 'quota set',
  fields: { identity_id: ACCOUNT_ID, ...LIMITS_FIELDS },
  needsOne: true,
  answer: QUOTA_LIMITS,
  run: async (context, values) =>
    LIMITED_ACCOUNTS.altered(context, values.identity_id, ({ accountId, own }) => {
      const limits = mergedLimits(own.limits, values);
      return context.store.accounts.update(accountId, { limits });
    }),
});

const showLimits = operation({
  name: 'showQuotaLimits',
  summary: 'show the limits of an account, its own and those of its plan; null means unlimited',
  endpoint: 'GET /identities/:identity_id/quotas',
  command: 'quota show',
  fields: { identity_id: ACCOUNT_ID },
  answer: QUOTA_LIMITS,
  run: async (context, values) => found(await LIMITED_ACCOUNTS.shown(context, values.identity_id)),
});

export const QUOTA_OPERATIONS: readonly Operation[] = [setLimits, showLimits];
