import {
  infiniteQueryOptions,
  QueryClient,
  type QueryKey,
  queryOptions,
} from '@tanstack/react-query';
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
  EnquiryList,
  FirstSteps,
  Identity,
  QueryForm,
  Quotas,
  RowPage,
  Session as SessionAnswer,
  Usage,
} from '@ticklake/client';
import {
  ApiFailure,
  clientState,
  everyRow,
  getJson,
  type QueryParameters,
  queryString,
} from './client';

const STALE_MS = 15_000;
const RETRIES_MAX = 2;

/** An answer of the service stays what it is; only a server that did not answer is asked again. */
function isWorthRetrying(failureCount: number, error: Error): boolean {
  return !(error instanceof ApiFailure) && failureCount < RETRIES_MAX;
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: STALE_MS,
      retry: isWorthRetrying,
      networkMode: 'always',
      // A refused request is sent again by a click alone: it would be counted, too.
      refetchOnWindowFocus: ({ state }) => state.status !== 'error',
    },
    mutations: { networkMode: 'always' },
  },
});

/** The answer of a path, known by the parts of it: a change touches all that begins like it. */
export function answerQuery<T>(
  path: string,
  options: { readonly staleTime?: number; readonly refetchInterval?: number } = {},
) {
  const queryKey: QueryKey = path.slice(1).split(/[/?]/);
  const queryFn = ({ signal }: { signal: AbortSignal }) => getJson<T>(path, signal);
  return queryOptions({ queryKey, queryFn, ...options });
}

/** All rows of a path that gives them page by page. */
export function rowsQuery<Row>(queryKey: QueryKey, path: string, parameters = {}) {
  const queryFn = ({ signal }: { signal: AbortSignal }) => everyRow<Row>(path, parameters, signal);
  return queryOptions({ queryKey, queryFn });
}

interface Page {
  readonly pagination: Readonly<Partial<Record<'next_after' | 'next_before', number | null>>>;
}

/** The rows of a path page by page, as they are asked for: each page says where the next begins. */
export function pagesQuery<Rows extends Page>(
  queryKey: QueryKey,
  path: string,
  asked: QueryParameters,
) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      getJson<Rows>(`${path}${queryString({ ...asked, ...pageParam })}`, signal),
    initialPageParam: {} as QueryParameters | null,
    getNextPageParam: ({ pagination: { next_after: after, next_before: before } }) =>
      (after ?? before ?? null) === null ? null : { after, before },
  });
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

export const ownAccountQuery = answerQuery<Identity>('/account/my');
export const quotasQuery = answerQuery<Quotas>('/account/my/quotas');
export const myUsageQuery = answerQuery<Usage>('/account/my/usage');
export const keysQuery = answerQuery<readonly ApiKey[]>('/account/my/api-keys');
export const accessRulesQuery = answerQuery<readonly DataAccessRule[]>(
  '/account/my/data-access-rules',
);
export const myAccessRequestsQuery = answerQuery<AccessRequestPage>('/account/my/access-requests');
export const openAccessRequestsQuery = answerQuery<AccessRequestPage>(
  '/access-requests?state=open',
);
/** Requests of people without an account. */
export const enquiriesQuery = answerQuery<EnquiryList>('/enquiries');
export const accessRequestsQuery = answerQuery<AccessRequestPage>('/access-requests');
export const firstStepsQuery = answerQuery<FirstSteps>('/account/my/first-steps', { staleTime: 0 });

const LONG = { staleTime: 5 * 60_000 };

export const catalogueQuery = answerQuery<readonly DatasetRow[]>('/meta/datasets', LONG);

/** Datasets with their columns, for a search, and which of them the account may read. */
export const catalogueEntriesQuery = answerQuery<readonly CatalogueEntry[]>('/meta/catalogue');

export const ownCatalogueQuery = answerQuery<readonly DatasetRow[]>('/meta/datasets/my');

function ofDataset<T>(topic: string, options?: { readonly staleTime: number }) {
  return (datasetId: string) =>
    answerQuery<T>(`/meta/datasets/${encodeURIComponent(datasetId)}/${topic}`, options);
}

export const datasetInfoQuery = ofDataset<DatasetInfo>('info', LONG);
export const columnsQuery = ofDataset<readonly Column[]>('columns', LONG);
/** Only of a dataset that the account may read. */
export const datasetStatusQuery = ofDataset<DatasetStatus>('status');
export const queryShapeQuery = ofDataset<QueryForm>('query');
/** Ten rows that the account may read; asking for them counts as a request for rows. */
export const datasetPreviewQuery = ofDataset<RowPage>('preview', LONG);
export const datasetRulesQuery = ofDataset<DatasetRules>('rules', LONG);
export const datasetVersionsQuery = ofDataset<DatasetVersionPage>('versions');

/** A version never changes. */
export const datasetVersionQuery = (datasetId: string, version: number) =>
  ofDataset<DatasetVersionDetail>(`versions/${version}`, LONG)(datasetId);

/** The days of a year. Counting them counts as scanned. */
export const datasetCoverageQuery = (datasetId: string, year: number) =>
  ofDataset<DatasetCoverage>(`coverage?start=${year}-01-01&end=${year}-12-31`, LONG)(datasetId);

export type Alert = AlertList[number];

export const alertsQuery = answerQuery<AlertList>('/admin/alerts', { refetchInterval: 60_000 });
