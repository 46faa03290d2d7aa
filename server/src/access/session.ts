/** Sessions: how one is begun, told by its token, and when it is over. */
import { hash, randomBytes } from 'node:crypto';
import type { Account } from '../store/accounts.ts';
import type { ControlStore, StoreTransaction } from '../store/control-store.ts';
import type { Person } from '../store/people.ts';
import type { NewSession, Session, SessionHolder } from '../store/sessions.ts';
import { storageProblem } from '../store/store-errors.ts';
import { accountStatus } from './account-status.ts';
import type { PersonCaller } from './authenticate.ts';

const TOKEN_BYTES = 32;

/** The form of a token. */
export const TOKEN = /^[\w-]{43}$/;

/** 64 bits: far more than needed to tell a person's sessions apart. */
const SESSION_ID_DIGITS = 16;

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

/** The hash by which a session is found. */
export function hashToken(token: string): string {
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

/**
 * Names a session to people: nobody comes from it to the token, nor to the hash that the store has.
 */
export function sessionIdOf({ tokenHash }: Pick<Session, 'tokenHash'>): string {
  return hash('sha256', `session ${tokenHash}`, 'hex').slice(0, SESSION_ID_DIGITS);
}

/** Sessions that are not over. */
export function liveSessions(
  sessions: readonly Session[],
  nowMs: number,
  limits: SessionLimits,
): Session[] {
  return sessions.filter((session) => nowMs < expiresAtMs(session, limits));
}

/** The token is known to nobody else, nor can it be read again. */
export async function beginSession(
  { sessions }: Pick<StoreTransaction, 'sessions'>,
  session: Omit<NewSession, 'tokenHash'>,
  { sessionIdleMs, sessionMs }: SessionLimits,
): Promise<string> {
  const { personId, createdAtMs: nowMs } = session;
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  await sessions.deleteOver(nowMs - sessionMs, nowMs - sessionIdleMs);
  await sessions.keepNewestOf(personId, SESSIONS_MAX - 1);
  await sessions.create({ tokenHash: hashToken(token), ...session });
  return token;
}

export async function endSession(
  { sessions }: Pick<StoreTransaction, 'sessions'>,
  token: string,
): Promise<void> {
  await sessions.end(hashToken(token));
}

/**
 * True if a person may sign in or stay signed in: only owners may when their account is deactivated
 * or its contract has ended.
 */
export function mayBeSignedIn(person: Person, account: Account | null, nowMs: number): boolean {
  if (!person.isActive) return false;
  if (person.role === 'owner') return true;
  return account !== null && accountStatus(account, nowMs) === 'active';
}

/** The person of a session, if it is live; null where it is over or was not found. */
export function liveSession(
  holder: SessionHolder | null,
  nowMs: number,
  limits: SessionLimits,
): PersonCaller | null {
  if (!holder || nowMs >= expiresAtMs(holder.session, limits)) return null;
  return mayBeSignedIn(holder.person, holder.account, nowMs) ? { key: null, ...holder } : null;
}

/** Counts a live session as used; gives it back as it is then. */
export async function noteUse(
  store: Pick<ControlStore, 'transaction'>,
  session: Session,
  nowMs: number,
  { sessionIdleMs }: SessionLimits,
): Promise<Session> {
  if (nowMs - session.seenAtMs < Math.min(SEEN_EVERY_MS, sessionIdleMs / SEEN_PARTS)) {
    return session;
  }
  try {
    await store.transaction(({ sessions }) => sessions.setSeen(session.tokenHash, nowMs));
  } catch (error) {
    // The next use can be stored instead.
    if (storageProblem(error) !== null) return session;
    throw error;
  }
  return { ...session, seenAtMs: nowMs };
}
