import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { plansQuery } from './queries';

/** Names of plans by their ids; `Plan 3` while the name is not known. */
export function usePlanNames(): (planId: number) => string {
  const { data } = useQuery(plansQuery);
  const names = useMemo(() => new Map(data?.map(({ plan_id, name }) => [plan_id, name])), [data]);
  return (planId) => names.get(planId) ?? `Plan ${planId}`;
}
