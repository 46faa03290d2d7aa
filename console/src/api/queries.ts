/** Queries that more than one screen asks. */
import { QueryClient, queryOptions } from '@tanstack/react-query';
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

export const identityQuery = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }) => getJson<Identity>('/account/my', signal),
});

export const quotasQuery = queryOptions({
  queryKey: ['account', 'quotas'],
  queryFn: ({ signal }) => getJson<Quotas>('/account/my/quotas', signal),
});

/** Usage of the current month. */
export const myUsageQuery = queryOptions({
  queryKey: ['account', 'usage'],
  queryFn: ({ signal }) => getJson<Usage>('/account/my/usage', signal),
});

export const keysQuery = queryOptions({
  queryKey: ['account', 'keys'],
  queryFn: ({ signal }) => getJson<readonly ApiKey[]>('/account/my/api-keys', signal),
});

export const accessRulesQuery = queryOptions({
  queryKey: ['account', 'rules'],
  queryFn: ({ signal }) =>
    getJson<readonly DataAccessRule[]>('/account/my/data-access-rules', signal),
});

/** What the account has asked access for. */
export const myAccessRequestsQuery = queryOptions({
  queryKey: ['account', 'access-requests'],
  queryFn: ({ signal }) => getJson<AccessRequestPage>('/account/my/access-requests', signal),
});

/** Requests that an owner has to decide, and the latest of all. */
export const openAccessRequestsQuery = queryOptions({
  queryKey: ['access-requests', 'open'],
  queryFn: ({ signal }) => getJson<AccessRequestPage>('/access-requests?state=open', signal),
});
export const accessRequestsQuery = queryOptions({
  queryKey: ['access-requests', 'all'],
  queryFn: ({ signal }) => getJson<AccessRequestPage>('/access-requests', signal),
});

export const firstStepsQuery = queryOptions({
  queryKey: ['account', 'first-steps'],
  queryFn: ({ signal }) => getJson<FirstSteps>('/account/my/first-steps', signal),
  staleTime: 0,
});

const CATALOGUE_STALE_MS = 5 * 60_000;

export const catalogueQuery = queryOptions({
  queryKey: ['catalogue'],
  queryFn: ({ signal }) => getJson<readonly DatasetRow[]>('/meta/datasets', signal),
  staleTime: CATALOGUE_STALE_MS,
});

/** The same with what a search looks at, and which of them the account may read. */
export const catalogueEntriesQuery = queryOptions({
  queryKey: ['catalogue', 'entries'],
  queryFn: ({ signal }) => getJson<readonly CatalogueEntry[]>('/meta/catalogue', signal),
  staleTime: STALE_MS,
});

/** The datasets that the account may read. */
export const ownCatalogueQuery = queryOptions({
  queryKey: ['catalogue', 'own'],
  queryFn: ({ signal }) => getJson<readonly DatasetRow[]>('/meta/datasets/my', signal),
});

/** Options of a query about one dataset of the catalogue. */
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
  queryOptions({
    queryKey: ['dataset', datasetId, 'preview'],
    queryFn: ({ signal }) =>
      getJson<RowPage>(`/meta/datasets/${encodeURIComponent(datasetId)}/preview`, signal),
    staleTime: CATALOGUE_STALE_MS,
  });

export const datasetRulesQuery = ofDataset<DatasetRules>('rules', CATALOGUE_STALE_MS);

/** The newest versions of a dataset, as many as a page has. */
export const datasetVersionsQuery = ofDataset<DatasetVersionPage>('versions', STALE_MS);

/** What a version changed, which never changes. */
export const datasetVersionQuery = (datasetId: string, version: number) =>
  queryOptions({
    queryKey: ['dataset', datasetId, 'versions', version],
    queryFn: ({ signal }) =>
      getJson<DatasetVersionDetail>(
        `/meta/datasets/${encodeURIComponent(datasetId)}/versions/${version}`,
        signal,
      ),
    staleTime: CATALOGUE_STALE_MS,
  });

/** The days of a year. Counting them counts as scanned. */
export const datasetCoverageQuery = (datasetId: string, year: number) =>
  queryOptions({
    queryKey: ['dataset', datasetId, 'coverage', year],
    queryFn: ({ signal }) =>
      getJson<DatasetCoverage>(
        `/meta/datasets/${encodeURIComponent(datasetId)}/coverage?start=${year}-01-01&end=${year}-12-31`,
        signal,
      ),
    staleTime: CATALOGUE_STALE_MS,
  });

const REFRESH_MS = 60_000;

export type Alert = AlertList[number];

export const alertsQuery = queryOptions({
  queryKey: ['alerts'],
  queryFn: ({ signal }) => getJson<AlertList>('/admin/alerts', signal),
  refetchInterval: REFRESH_MS,
});
