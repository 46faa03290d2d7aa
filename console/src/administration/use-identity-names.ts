import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { identitiesQuery } from './queries';

/** Names of identities by their ids; `Identity 3` while the name is not known. */
export function useIdentityNames(): (identityId: number) => string {
  const { data } = useQuery(identitiesQuery);
  const names = useMemo(
    () => new Map(data?.map(({ identity_id, name }) => [identity_id, name])),
    [data],
  );
  return (identityId) => names.get(identityId) ?? `Account ${identityId}`;
}
