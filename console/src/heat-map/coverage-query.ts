/** The query of the heat map. */
import { queryOptions } from '@tanstack/react-query';
import type { CoverageMap } from '@ticklake/client';
import { getJson, queryString } from '../api/client';

export function coverageMapQuery(start: string, end: string) {
  return queryOptions({
    // What is published is what it shows.
    queryKey: ['publication', 'coverage', start, end],
    queryFn: ({ signal }) =>
      getJson<CoverageMap>(`/admin/coverage${queryString({ start, end })}`, signal),
  });
}
