import { useQuery } from '@tanstack/react-query';
import { useRouteContext } from '@tanstack/react-router';
import type { Role, Session as SessionAnswer } from '@ticklake/client';
import { useEffect } from 'react';
import { clientState, postJson } from '../api/client';
import { keepSession, queryClient, sessionQuery } from '../api/queries';
import { Store } from '../api/store';

export type Session = NonNullable<ReturnType<typeof sessionOf>>;

/** The account is null for an owner without one; the address is that which the server sees. */
export function sessionOf(answer: SessionAnswer) {
  if (answer.person === null) return null;
  const { person, identity: account, source_address: sourceAddress } = answer;
  return { person, account, sourceAddress };
}

/** As the screens found it when opened: they stay whole until the way to sign-in is made. */
export function useSession(): Session {
  return useRouteContext({ from: '/signed-in' }).session;
}

const CHANGING_ROLES: readonly Role[] = ['manager', 'owner'];

export function mayChange({ person }: Session): boolean {
  return CHANGING_ROLES.includes(person.role);
}

export function forgetSession(): void {
  queryClient.clear();
  queryClient.setQueryData(sessionQuery.queryKey, keepSession({ person: null }));
}

/** Ends whichever session this browser still has, where somebody else comes in. */
export async function endOwnSession(): Promise<void> {
  const session = await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 });
  if (session.person !== null) await postJson('/session/end');
  forgetSession();
}

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

/** Whose password was just chosen in this tab, for the screen that signs in; '' for nobody. */
export const chosenEmail = new Store('');
