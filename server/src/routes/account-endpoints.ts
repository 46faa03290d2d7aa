/** `account/my` and what hangs below it: the caller's own account, keys and access rules. */

import { OWN_OPERATIONS } from '../admin/own-operations.ts';
import { amountsView, ownKeyView, viewOf } from '../admin/views.ts';
import { accountOf } from '../query/reader.ts';
import type { AccessRule } from '../store/access-rules.ts';
import { ACCOUNT, API_KEY_LIST, DATA_ACCESS_RULE_LIST, FIRST_STEPS, QUOTAS } from './answers.ts';
import { type KeyedEndpoint, keyedEndpoint, type PageExchange } from './endpoint.ts';
import { operationEndpoint } from './operation-endpoint.ts';

/** Without the request itself. */
async function showQuotas({ services, caller, tally }: PageExchange) {
  const { accountId, limits } = accountOf({ services, caller });
  const usage = tally.usedBefore ?? (await services.usage.counters.read(accountId));
  return {
    quotas_usage: { month: amountsView(usage.month), minute: amountsView(usage.minute) },
    quotas_limit: { month: amountsView(limits.month), minute: amountsView(limits.minute) },
  };
}

/** The store learns of a key's use a little later; that of this request is known. */
async function listKeys({ services, caller }: PageExchange) {
  const nowMs = services.clock.now();
  const keys = await services.store.keys.listOf(accountOf({ services, caller }).accountId);
  return keys.map((key) => {
    const lastUsedAtMs = key.keyId === caller.key?.keyId ? nowMs : key.lastUsedAtMs;
    return ownKeyView({ ...key, lastUsedAtMs }, nowMs);
  });
}

/** The terms of a rule, as its account may read them. */
export function shownTerms({ startDate, endDate, universe, columns }: AccessRule) {
  return {
    dataset_version: 'latest',
    start_date: startDate,
    end_date: endDate,
    universe_identifiers: universe,
    ...(columns && { columns }),
  };
}

async function showFirstSteps({ services, caller }: PageExchange) {
  const { keys, usage } = services.store;
  const { accountId } = accountOf({ services, caller });
  const { hasAsked, hasAskedByKey } = await usage.firstUses(accountId);
  return {
    has_key: (await keys.countOf(accountId)) > 0,
    has_query: hasAsked,
    has_key_query: hasAskedByKey,
  };
}

export const ACCOUNT_ENDPOINTS: readonly KeyedEndpoint[] = [
  keyedEndpoint({
    endpoint: 'GET /account/my',
    operationId: 'showMyIdentity',
    summary: 'The account that the key belongs to',
    answer: ACCOUNT,
    isMinuteExempt: true,
    handle: (exchange) => viewOf(ACCOUNT, accountOf(exchange)),
  }),
  keyedEndpoint({
    endpoint: 'GET /account/my/quotas',
    operationId: 'showMyQuotas',
    summary: 'The usage and the limits of the account, by month and by minute',
    answer: QUOTAS,
    handle: showQuotas,
  }),
  keyedEndpoint({
    endpoint: 'GET /account/my/api-keys',
    operationId: 'listMyApiKeys',
    summary: "The account's API keys, without their secret part",
    answer: API_KEY_LIST,
    handle: listKeys,
  }),
  keyedEndpoint({
    endpoint: 'GET /account/my/data-access-rules',
    operationId: 'listMyDataAccessRules',
    summary: 'The datasets that the account may read, with dates',
    answer: DATA_ACCESS_RULE_LIST,
    isMinuteExempt: true,
    handle: ({ services, caller }) =>
      services.store.replica.rulesOf(accountOf({ services, caller }).accountId).flatMap((rule) => {
        const dataset = services.catalog.byId(rule.datasetId);
        if (!dataset) return [];
        return {
          dataset_id: dataset.datasetId,
          dataset_name: dataset.name,
          dataset_text_id: dataset.textId,
          ...shownTerms(rule),
        };
      }),
  }),
  keyedEndpoint({
    endpoint: 'GET /account/my/first-steps',
    operationId: 'showMyFirstSteps',
    summary: 'The first steps of your account: a key, rows read, rows read with a key',
    answer: FIRST_STEPS,
    role: 'member',
    handle: showFirstSteps,
  }),
  ...OWN_OPERATIONS.map(({ operation, role }) => operationEndpoint(operation, { role })),
];
