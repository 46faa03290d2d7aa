/** The query of what needs an owner. */
import { queryOptions } from '@tanstack/react-query';
import type { AlertList } from '@ticklake/client';
import { getJson } from '../api/client';

const REFRESH_MS = 60_000;

export type Alert = AlertList[number];

export const alertsQuery = queryOptions({
  queryKey: ['alerts'],
  queryFn: ({ signal }) => getJson<AlertList>('/admin/alerts', signal),
  refetchInterval: REFRESH_MS,
});
