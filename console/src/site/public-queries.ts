/** What anybody may ask, where the owner has a public catalogue. */
import { queryOptions } from '@tanstack/react-query';
import type { Column, PublicDataset, SystemStatus } from '@ticklake/client';
import { getJson } from '../api/client';

const STALE_MS = 5 * 60_000;

export const publicCatalogueQuery = queryOptions({
  queryKey: ['public', 'catalogue'],
  queryFn: ({ signal }) => getJson<readonly PublicDataset[]>('/public/datasets', signal),
  staleTime: STALE_MS,
});

export const publicColumnsQuery = (datasetId: string) =>
  queryOptions({
    queryKey: ['public', datasetId, 'columns'],
    queryFn: ({ signal }) =>
      getJson<readonly Column[]>(`/public/datasets/${datasetId}/columns`, signal),
    staleTime: STALE_MS,
  });

type SampleRow = Readonly<Record<string, unknown>>;

export const publicSampleQuery = (datasetId: string) =>
  queryOptions({
    queryKey: ['public', datasetId, 'sample'],
    queryFn: ({ signal }) =>
      getJson<{ data: readonly SampleRow[] }>(`/public/datasets/${datasetId}/sample`, signal),
    staleTime: STALE_MS,
  });

export const statusQuery = queryOptions({
  queryKey: ['public', 'status'],
  queryFn: ({ signal }) => getJson<SystemStatus>('/status', signal),
});
