/** Sessions: how one is begun, told by its token, and when it is over. */
import { hash, randomBytes } from 'node:crypto';
import type { ControlStore } from '../store/control-store.ts';
import type { Person } from '../store/people.ts';
import type { Session } from '../store/sessions.ts';
import { storageProblem } from '../store/sqlite/database.ts';
import type { PersonCaller } from './authenticate.ts';

const TOKEN_BYTES = 32;

/** The form of a token. */
export const TOKEN = /^[\w-]{43}$/;

/** Sessions of one person; another one ends the oldest. */
const SESSIONS_MAX = 20;

/** A use is stored only if the last stored one is this long ago, or this part of the idle time. */
const SEEN_EVERY_MS = 60_000;
const SEEN_PARTS = 10;

export interface SessionLimits {
  /** How long a session lasts without being used, and how long at most. */
  readonly sessionIdleMs: number;
  readonly sessionMs: number;
}

function hashToken(token: string): string {
  return hash('sha256', token, 'hex');
}

/**
 * The CSRF token that a change needs besides the cookie. It is derived from the session's token, so
 * only whoever can read the session's answers knows it, and it need not be stored.
 */
export function csrfTokenOf(token: string): string {
  return hash('sha256', `csrf ${token}`, 'base64url');
}

export function expiresAtMs(
  { createdAtMs, seenAtMs }: Session,
  { sessionIdleMs, sessionMs }: SessionLimits,
): number {
  return Math.min(createdAtMs + sessionMs, seenAtMs + sessionIdleMs);
}

/** Part of a transaction. The token is known to nobody else, nor can it be read again. */
export function beginSession(
  { sessions }: ControlStore,
  personId: number,
  nowMs: number,
  { sessionIdleMs, sessionMs }: SessionLimits,
): string {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  sessions.deleteOver(nowMs - sessionMs, nowMs - sessionIdleMs);
  sessions.keepNewestOf(personId, SESSIONS_MAX - 1);
  sessions.create({ tokenHash: hashToken(token), personId, createdAtMs: nowMs });
  return token;
}

export function endSession({ sessions }: ControlStore, token: string): void {
  sessions.end(hashToken(token));
}

/** Whether a person may sign in or stay signed in: only owners may when their account is deactivated. */
export function mayBeSignedIn(store: ControlStore, person: Person): boolean {
  if (!person.isActive) return false;
  if (person.role === 'owner') return true;
  return person.identityId !== null && store.identities.find(person.identityId)?.isActive === true;
}

/** The person of a live session; null where there is none. It counts as used. */
export function findSession(
  store: ControlStore,
  token: string,
  nowMs: number,
  limits: SessionLimits,
): PersonCaller | null {
  const session = store.sessions.find(hashToken(token));
  if (!session || nowMs >= expiresAtMs(session, limits)) return null;
  const person = store.people.find(session.personId);
  if (!person || !mayBeSignedIn(store, person)) return null;
  const { identityId } = person;
  const identity = identityId === null ? null : store.identities.find(identityId);
  return { key: null, person, identity, session: used(store, session, nowMs, limits) };
}

function used(
  store: ControlStore,
  session: Session,
  nowMs: number,
  { sessionIdleMs }: SessionLimits,
): Session {
  if (nowMs - session.seenAtMs < Math.min(SEEN_EVERY_MS, sessionIdleMs / SEEN_PARTS)) {
    return session;
  }
  // Another request's change may be in progress. A failure here could undo its whole transaction.
  if (store.isInTransaction) return session;
  try {
    store.sessions.setSeen(session.tokenHash, nowMs);
  } catch (error) {
    // The next use can be stored instead.
    if (storageProblem(error) !== null) return session;
    throw error;
  }
  return { ...session, seenAtMs: nowMs };
}
