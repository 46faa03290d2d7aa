/** Queries that more than one screen asks. */
import { QueryClient, queryOptions } from '@tanstack/react-query';
import { ApiFailure } from './api-failure';
import { clientState, getJson } from './client';
import type {
  AccessRuleRecord,
  ApiKeyRecord,
  CatalogueRow,
  Identity,
  Quotas,
  SessionAnswer,
} from './records';

const STALE_MS = 15_000;
const RETRIES_MAX = 2;

/** An answer of the service stays what it is; only a server that did not answer is asked again. */
function isWorthRetrying(failureCount: number, error: Error): boolean {
  return !(error instanceof ApiFailure) && failureCount < RETRIES_MAX;
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: STALE_MS, retry: isWorthRetrying, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
});

/** Remembers the token of a session that was just begun, found or ended. */
export function keepSession(session: SessionAnswer): SessionAnswer {
  clientState.csrfToken = session.csrf_token ?? null;
  return session;
}

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }) => keepSession(await getJson<SessionAnswer>('/session', signal)),
  staleTime: Number.POSITIVE_INFINITY,
});

export const identityQuery = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }) => getJson<Identity>('/account/my', signal),
});

export const quotasQuery = queryOptions({
  queryKey: ['account', 'quotas'],
  queryFn: ({ signal }) => getJson<Quotas>('/account/my/quotas', signal),
});

export const keysQuery = queryOptions({
  queryKey: ['account', 'keys'],
  queryFn: ({ signal }) => getJson<readonly ApiKeyRecord[]>('/account/my/api-keys', signal),
});

export const accessRulesQuery = queryOptions({
  queryKey: ['account', 'rules'],
  queryFn: ({ signal }) =>
    getJson<readonly AccessRuleRecord[]>('/account/my/data-access-rules', signal),
});

export const catalogueQuery = queryOptions({
  queryKey: ['catalogue'],
  queryFn: ({ signal }) => getJson<readonly CatalogueRow[]>('/meta/datasets', signal),
  staleTime: 5 * 60_000,
});
