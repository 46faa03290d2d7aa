import { infiniteQueryOptions, type QueryKey, queryOptions } from '@tanstack/react-query';
import type {
  AdministeredApiKey,
  AdministeredIdentity,
  AdministeredRule,
  AuditPage,
  MonthlyUsage,
  Person,
  PersonSession,
  Plan,
  Pruning,
  Publication,
  PublicationDiff,
  PublicationPage,
  PublicationRecord,
  QuotaLimits,
  RequestBoard,
  Usage,
} from '@ticklake/client';
import { everyRow, getJson, postJson, queryString } from '../api/client';
import { answerQuery } from '../api/queries';
import type { AuditFilter, HistoryFilter } from './searches';
import { auditParameters } from './searches';

const AUDIT_PAGE_ROWS = 100;
const HISTORY_PAGE_ROWS = 50;
const DIFF_ROWS = 200;

export const identitiesQuery = queryOptions({
  queryKey: ['identities'],
  queryFn: ({ signal }) => everyRow<AdministeredIdentity>('/identities', {}, signal),
});

export const plansQuery = queryOptions({
  queryKey: ['plans'],
  queryFn: ({ signal }) => everyRow<Plan>('/plans', {}, signal),
});

export const planQuery = (planId: number) =>
  answerQuery<Plan>(['plan', planId, ''], `/plans/${planId}`);

export const planRulesQuery = (planId: number) =>
  answerQuery<readonly AdministeredRule[]>(
    ['plan', planId, 'rules'],
    `/plans/${planId}/data-access-rules`,
  );

/** Keys of what a change of a plan concerns: it counts for many accounts. */
export const PLAN_TOUCHES: readonly QueryKey[] = [
  ...[['plans'], ['plan'], ['identity'], ['identities'], ['account']],
  ...[['catalogue', 'own'], ['dataset']],
];

function ofIdentity<T>(topic: string) {
  return (identityId: number) =>
    answerQuery<T>(['identity', identityId, topic], `/identities/${identityId}${topic}`);
}

/** Keys of what a change of an identity concerns, which may be the owner's own account. */
export function identityTouches(identityId: number): readonly QueryKey[] {
  return [
    ['identity', identityId],
    identitiesQuery.queryKey,
    ['plans'],
    ['plan'],
    ['account'],
    ['catalogue', 'own'],
    ['dataset'],
  ];
}

export const administeredIdentityQuery = ofIdentity<AdministeredIdentity>('');
export const identityKeysQuery = ofIdentity<readonly AdministeredApiKey[]>('/api-keys');
export const identityRulesQuery = ofIdentity<readonly AdministeredRule[]>('/data-access-rules');
export const identityLimitsQuery = ofIdentity<QuotaLimits>('/quotas');
export const identityUsageQuery = ofIdentity<Usage>('/usage');

/** Months as `YYYY-MM`, both inclusive. */
export const usageByMonthQuery = (from: string, to: string) =>
  answerQuery<MonthlyUsage>(
    ['usage-by-month', from, to],
    `/usage-by-month${queryString({ from, to })}`,
  );

export function peopleQuery(identityId: number | null) {
  return queryOptions({
    queryKey: ['people', identityId],
    queryFn: ({ signal }) =>
      everyRow<Person>('/people', identityId === null ? {} : { identity_id: identityId }, signal),
  });
}

export const personSessionsQuery = (personId: number) =>
  answerQuery<readonly PersonSession[]>(
    ['person-sessions', personId],
    `/people/${personId}/sessions`,
  );

export const publicationsQuery = answerQuery<readonly Publication[]>(
  ['publications'],
  '/publication-status',
);

export const requestBoardQuery = answerQuery<RequestBoard>(['requests'], '/requests');

export function auditLogQuery(filter: AuditFilter) {
  return infiniteQueryOptions({
    queryKey: ['audit-log', filter],
    queryFn: ({ pageParam, signal }) => {
      const parameters = { ...auditParameters(filter), after: pageParam, limit: AUDIT_PAGE_ROWS };
      return getJson<AuditPage>(`/audit-log${queryString(parameters)}`, signal);
    },
    initialPageParam: null as number | null,
    getNextPageParam: (page) => page.pagination.next_after,
  });
}

export function historyQuery({ dataset, state }: HistoryFilter) {
  return infiniteQueryOptions({
    queryKey: ['history', dataset, state],
    queryFn: ({ pageParam, signal }) => {
      const asked = { dataset_id: dataset, state, before: pageParam, limit: HISTORY_PAGE_ROWS };
      return getJson<PublicationPage>(`/admin/publications${queryString(asked)}`, signal);
    },
    initialPageParam: null as number | null,
    getNextPageParam: (page) => page.pagination.next_before,
  });
}

export const publicationRecordQuery = (id: string) =>
  answerQuery<PublicationRecord>(
    ['publication', id, 'record'],
    `/admin/publications/${encodeURIComponent(id)}`,
  );

export const PUBLISHED_QUERIES: readonly QueryKey[] = [
  ...[['publications'], ['publication'], ['history'], ['catalogue'], ['dataset']],
];

export function versionDiffQuery(datasetId: string, version: number, current: number) {
  const asked = { dataset_id: datasetId, from_version: version, to_version: current };
  const query = queryString({ ...asked, limit: DIFF_ROWS });
  return answerQuery<PublicationDiff>(
    ['publication', 'versions', datasetId, version, current],
    `/admin/publications/diff${query}`,
  );
}

export const pruningQuery = queryOptions({
  queryKey: ['publication', 'pruning'],
  queryFn: () => postJson<Pruning>('/admin/publications/prune', { dry_run: true }),
  gcTime: 0,
});

export function publicationDiffQuery(publicationId: number) {
  const query = queryString({ publication_id: publicationId, limit: DIFF_ROWS });
  return answerQuery<PublicationDiff>(
    ['publication', String(publicationId), 'diff'],
    `/admin/publications/diff${query}`,
  );
}
