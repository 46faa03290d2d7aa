import { QueryClient, type QueryKey, queryOptions } from '@tanstack/react-query';
import type {
  AccessRequestPage,
  AlertList,
  ApiKey,
  CatalogueEntry,
  Column,
  DataAccessRule,
  DatasetCoverage,
  DatasetInfo,
  DatasetRow,
  DatasetRules,
  DatasetStatus,
  DatasetVersionDetail,
  DatasetVersionPage,
  FirstSteps,
  Identity,
  QueryForm,
  Quotas,
  RowPage,
  Session as SessionAnswer,
  Usage,
} from '@ticklake/client';
import { ApiFailure, clientState, getJson } from './client';

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

export function answerQuery<T>(
  queryKey: QueryKey,
  path: string,
  options: { readonly staleTime?: number; readonly refetchInterval?: number } = {},
) {
  const queryFn = ({ signal }: { signal: AbortSignal }) => getJson<T>(path, signal);
  return queryOptions({ queryKey, queryFn, ...options });
}

/** Remembers the token of a session that was just begun, found or ended. */
export function keepSession(session: SessionAnswer): SessionAnswer {
  clientState.csrfToken = session.person && session.csrf_token;
  if (session.person) clientState.personId = session.person.person_id;
  return session;
}

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }) => keepSession(await getJson<SessionAnswer>('/session', signal)),
  staleTime: Number.POSITIVE_INFINITY,
});

export const identityQuery = answerQuery<Identity>(['account'], '/account/my');

export const quotasQuery = answerQuery<Quotas>(['account', 'quotas'], '/account/my/quotas');

export const myUsageQuery = answerQuery<Usage>(['account', 'usage'], '/account/my/usage');

export const keysQuery = answerQuery<readonly ApiKey[]>(
  ['account', 'keys'],
  '/account/my/api-keys',
);

export const accessRulesQuery = answerQuery<readonly DataAccessRule[]>(
  ['account', 'rules'],
  '/account/my/data-access-rules',
);

export const myAccessRequestsQuery = answerQuery<AccessRequestPage>(
  ['account', 'access-requests'],
  '/account/my/access-requests',
);

export const openAccessRequestsQuery = answerQuery<AccessRequestPage>(
  ['access-requests', 'open'],
  '/access-requests?state=open',
);
export const accessRequestsQuery = answerQuery<AccessRequestPage>(
  ['access-requests', 'all'],
  '/access-requests',
);

export const firstStepsQuery = answerQuery<FirstSteps>(
  ['account', 'first-steps'],
  '/account/my/first-steps',
  { staleTime: 0 },
);

const CATALOGUE_STALE_MS = 5 * 60_000;

export const catalogueQuery = answerQuery<readonly DatasetRow[]>(['catalogue'], '/meta/datasets', {
  staleTime: CATALOGUE_STALE_MS,
});

/** Datasets with their columns, for a search, and which of them the account may read. */
export const catalogueEntriesQuery = answerQuery<readonly CatalogueEntry[]>(
  ['catalogue', 'entries'],
  '/meta/catalogue',
  { staleTime: STALE_MS },
);

export const ownCatalogueQuery = answerQuery<readonly DatasetRow[]>(
  ['catalogue', 'own'],
  '/meta/datasets/my',
);

function ofDataset<T>(
  topic: 'info' | 'columns' | 'status' | 'query' | 'rules' | 'versions',
  staleTime: number,
) {
  return (datasetId: string) =>
    queryOptions({
      queryKey: ['dataset', datasetId, topic],
      queryFn: ({ signal }) =>
        getJson<T>(`/meta/datasets/${encodeURIComponent(datasetId)}/${topic}`, signal),
      staleTime,
    });
}

export const datasetInfoQuery = ofDataset<DatasetInfo>('info', CATALOGUE_STALE_MS);

export const columnsQuery = ofDataset<readonly Column[]>('columns', CATALOGUE_STALE_MS);

/** Only of a dataset that the account may read. */
export const datasetStatusQuery = ofDataset<DatasetStatus>('status', STALE_MS);

export const queryShapeQuery = ofDataset<QueryForm>('query', STALE_MS);

/** Ten rows that the account may read; asking for them counts as a request for rows. */
export const datasetPreviewQuery = (datasetId: string) =>
  answerQuery<RowPage>(
    ['dataset', datasetId, 'preview'],
    `/meta/datasets/${encodeURIComponent(datasetId)}/preview`,
    { staleTime: CATALOGUE_STALE_MS },
  );

export const datasetRulesQuery = ofDataset<DatasetRules>('rules', CATALOGUE_STALE_MS);

export const datasetVersionsQuery = ofDataset<DatasetVersionPage>('versions', STALE_MS);

/** A version never changes. */
export const datasetVersionQuery = (datasetId: string, version: number) =>
  answerQuery<DatasetVersionDetail>(
    ['dataset', datasetId, 'versions', version],
    `/meta/datasets/${encodeURIComponent(datasetId)}/versions/${version}`,
    { staleTime: CATALOGUE_STALE_MS },
  );

/** The days of a year. Counting them counts as scanned. */
export const datasetCoverageQuery = (datasetId: string, year: number) =>
  answerQuery<DatasetCoverage>(
    ['dataset', datasetId, 'coverage', year],
    `/meta/datasets/${encodeURIComponent(datasetId)}/coverage?start=${year}-01-01&end=${year}-12-31`,
    { staleTime: CATALOGUE_STALE_MS },
  );

const REFRESH_MS = 60_000;

export type Alert = AlertList[number];

export const alertsQuery = answerQuery<AlertList>(['alerts'], '/admin/alerts', {
  refetchInterval: REFRESH_MS,
});
