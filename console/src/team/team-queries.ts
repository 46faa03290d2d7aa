import { queryOptions } from '@tanstack/react-query';
import type { Person } from '@ticklake/client';
import { everyRow } from '../api/every-row';

export const TEAM_PATH = '/account/my/people';

/** Beginning with the key of all queries of people. */
export const teamQuery = queryOptions({
  queryKey: ['people', 'team'],
  queryFn: ({ signal }) => everyRow<Person>(TEAM_PATH, {}, signal),
});
