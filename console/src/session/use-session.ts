/** Who is signed in. */

import { useRouteContext } from '@tanstack/react-router';
import type { Person, Role, Session as SessionAnswer } from '@ticklake/client';

export interface Session {
  readonly person: Person;
  /** The account whose screens the person sees; null for an owner without one. */
  readonly identity: Extract<SessionAnswer, { person: Person }>['identity'];
  /** The address that the server sees this browser at. */
  readonly sourceAddress: string;
}

export function sessionOf(answer: SessionAnswer): Session | null {
  if (answer.person === null) return null;
  const { person, identity, source_address: sourceAddress } = answer;
  return { person, identity, sourceAddress };
}

/** As the screens found it when they were opened: they stay whole until the way to sign-in is made. */
export function useSession(): Session {
  return useRouteContext({ from: '/signed-in' }).session;
}

const CHANGING_ROLES: readonly Role[] = ['manager', 'owner'];

/** Whether the person may change keys and the allow-list of the account. */
export function mayChange({ person }: Session): boolean {
  return CHANGING_ROLES.includes(person.role);
}
