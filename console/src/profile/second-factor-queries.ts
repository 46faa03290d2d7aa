import { queryOptions } from '@tanstack/react-query';
import type { PersonSession, SecondFactor } from '@ticklake/client';
import { getJson } from '../api/client';

export const secondFactorQuery = queryOptions({
  queryKey: ['second-factor'],
  queryFn: ({ signal }) => getJson<SecondFactor>('/session/second-factor', signal),
});

export const mySessionsQuery = queryOptions({
  queryKey: ['my-sessions'],
  queryFn: ({ signal }) => getJson<readonly PersonSession[]>('/session/all', signal),
});
