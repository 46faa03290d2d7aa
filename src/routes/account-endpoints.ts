/** `account/my` and what hangs below it: the caller's own identity, keys and access rules. */
import { keyStatus } from '../access/api-key.ts';
import { isoSeconds } from '../clock.ts';
import type { KeyedEndpoint, KeyedExchange } from './endpoint.ts';

function showIdentity({ caller }: KeyedExchange) {
  const { identity } = caller;
  return {
    identity_id: identity.identityId,
    name: identity.name,
    max_active_api_keys: identity.maxActiveApiKeys,
    ip_subnets: identity.ipSubnets,
  };
}

function listKeys({ services, caller }: KeyedExchange) {
  return services.store.keys.listOf(caller.identity.identityId).map((key) => ({
    key_id: key.keyId,
    name: key.name,
    reference: key.reference,
    created_at: isoSeconds(key.createdAtMs),
    expires_at: isoSeconds(key.expiresAtMs),
    last_used_at: key.lastUsedAtMs === null ? null : isoSeconds(key.lastUsedAtMs),
    is_active: key.isActive,
    status: keyStatus(key, services.clock.now()),
  }));
}

function listRules({ services, caller }: KeyedExchange) {
  return services.store.rules.listOf(caller.identity.identityId).flatMap((rule) => {
    const dataset = services.catalog.byId(rule.datasetId);
    if (!dataset) return [];
    return {
      dataset_id: dataset.datasetId,
      dataset_name: dataset.name,
      dataset_text_id: dataset.textId,
      dataset_version: 'latest',
      start_date: rule.startDate,
      end_date: rule.endDate,
      universe_identifiers: rule.universe,
    };
  });
}

export const ACCOUNT_ENDPOINTS: readonly KeyedEndpoint[] = [
  {
    method: 'GET',
    path: '/account/my',
    operationId: 'showMyIdentity',
    summary: 'The identity that the key belongs to',
    responseSchema: 'Identity',
    errorStatuses: [],
    isPublic: false,
    handle: showIdentity,
  },
  {
    method: 'GET',
    path: '/account/my/api-keys',
    operationId: 'listMyApiKeys',
    summary: "All keys of the key's identity, without their secret part",
    responseSchema: 'ApiKeyList',
    errorStatuses: [],
    isPublic: false,
    handle: listKeys,
  },
  {
    method: 'GET',
    path: '/account/my/data-access-rules',
    operationId: 'listMyDataAccessRules',
    summary: 'Which datasets the identity may read, from when to when',
    responseSchema: 'DataAccessRuleList',
    errorStatuses: [],
    isPublic: false,
    handle: listRules,
  },
];
