import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { clientState } from '../api/client';
import { sessionQuery } from '../api/queries';
import { useSession } from './use-session';

/**
 * Looks, when the person comes back to this tab, whether the session was ended or begun anew in
 * another one: nobody is asked to sign in, somebody else sees their own screens.
 */
export function useSessionWatch(): void {
  const { person } = useSession();
  const { data } = useQuery({ ...sessionQuery, refetchOnWindowFocus: 'always' });
  const shownId = person.person_id;
  const currentId = data?.person?.person_id ?? null;
  useEffect(() => {
    if (data === undefined || currentId === shownId) return;
    if (currentId === null) clientState.onSignedOut();
    else location.reload();
  }, [data, currentId, shownId]);
}
