import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { CountedRequestPage, Usage } from '@ticklake/client';
import { getJson, queryString } from '../api/client';
import type { UsagePeriod } from './usage-period';

const PAGE_ROWS = 50;

export function usageQuery({ from, to }: UsagePeriod) {
  return queryOptions({
    queryKey: ['account', 'usage', from, to],
    queryFn: ({ signal }) =>
      getJson<Usage>(`/account/my/usage${queryString({ from, to })}`, signal),
    placeholderData: keepPreviousData,
  });
}

/** The requests of the account, the latest first. */
export function requestsQuery(isRefused: boolean) {
  return infiniteQueryOptions({
    queryKey: ['account', 'requests', isRefused],
    queryFn: ({ pageParam, signal }) => {
      const asked = { is_refused: String(isRefused), before: pageParam, limit: PAGE_ROWS };
      return getJson<CountedRequestPage>(`/account/my/requests${queryString(asked)}`, signal);
    },
    initialPageParam: null as number | null,
    getNextPageParam: ({ pagination }) => pagination.next_before,
  });
}
