import { type QueryKey, queryOptions, useQuery } from '@tanstack/react-query';
import type {
  AdministeredApiKey,
  AdministeredIdentity,
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
import { postJson, queryString } from '../api/client';
import { answerQuery, pagesQuery, rowsQuery } from '../api/queries';
import type { AuditFilter, HistoryFilter } from './searches';
import { auditParameters } from './searches';

const AUDIT_PAGE_ROWS = 100;
const HISTORY_PAGE_ROWS = 50;
const DIFF_ROWS = 200;

export const accountsQuery = rowsQuery<AdministeredIdentity>(['identities', 'all'], '/identities');
export const plansQuery = rowsQuery<Plan>(['plans', 'all'], '/plans');
export const planQuery = (planId: number) => answerQuery<Plan>(`/plans/${planId}`);

/** A change of an account or of a plan concerns others too, also what the owner may read. */
export const ACCOUNT_TOUCHES: readonly QueryKey[] = [
  ...[['identities'], ['plans'], ['account'], ['meta']],
];

function ofAccount<T>(topic: string) {
  return (accountId: number) => answerQuery<T>(`/identities/${accountId}${topic}`);
}

export const accountQuery = ofAccount<AdministeredIdentity>('');
export const accountKeysQuery = ofAccount<readonly AdministeredApiKey[]>('/api-keys');
export const accountLimitsQuery = ofAccount<QuotaLimits>('/quotas');
export const accountUsageQuery = ofAccount<Usage>('/usage');

/** Months as `YYYY-MM`, both inclusive. */
export const usageByMonthQuery = (from: string, to: string) =>
  answerQuery<MonthlyUsage>(`/usage-by-month${queryString({ from, to })}`);

export function peopleQuery(accountId: number | null) {
  const parameters = accountId === null ? {} : { identity_id: accountId };
  return rowsQuery<Person>(['people', accountId], '/people', parameters);
}

export const personSessionsQuery = (personId: number) =>
  answerQuery<readonly PersonSession[]>(`/people/${personId}/sessions`);

export const publicationsQuery = answerQuery<readonly Publication[]>('/publication-status');

/** All datasets, as the options of a field. */
export function useDatasetOptions() {
  const { data = [] } = useQuery(publicationsQuery);
  return data.map(({ dataset_id: value, dataset_name: label }) => ({ value, label, hint: value }));
}

export const requestBoardQuery = answerQuery<RequestBoard>('/requests');

export const auditLogQuery = (filter: AuditFilter) =>
  pagesQuery<AuditPage>(['audit-log', filter], '/audit-log', {
    ...auditParameters(filter),
    limit: AUDIT_PAGE_ROWS,
  });

const PUBLICATIONS = '/admin/publications';

export function historyQuery({ dataset, state }: HistoryFilter) {
  const key = ['admin', 'publications', 'history', dataset, state];
  const asked = { dataset_id: dataset, state, limit: HISTORY_PAGE_ROWS };
  return pagesQuery<PublicationPage>(key, PUBLICATIONS, asked);
}

export const publicationRecordQuery = (id: string) =>
  answerQuery<PublicationRecord>(`${PUBLICATIONS}/${encodeURIComponent(id)}`);

export const PUBLISHED_QUERIES: readonly QueryKey[] = [
  ...[['publication-status'], ['admin'], ['meta']],
];

export function versionDiffQuery(datasetId: string, version: number, current: number) {
  const asked = { dataset_id: datasetId, from_version: version, to_version: current };
  const query = queryString({ ...asked, limit: DIFF_ROWS });
  return answerQuery<PublicationDiff>(`${PUBLICATIONS}/diff${query}`);
}

export const pruningQuery = queryOptions({
  queryKey: ['admin', 'publications', 'prune'],
  queryFn: () => postJson<Pruning>(`${PUBLICATIONS}/prune`, { dry_run: true }),
  gcTime: 0,
});

export function publicationDiffQuery(publicationId: number) {
  const query = queryString({ publication_id: publicationId, limit: DIFF_ROWS });
  return answerQuery<PublicationDiff>(`${PUBLICATIONS}/diff${query}`);
}
