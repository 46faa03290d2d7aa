/**
 * Judges callers by what their requests claim: as a request comes in, and again when its turn has
 * come.
 */
import { ApiError } from '../base/errors.ts';
import type { Account } from '../store/accounts.ts';
import type { Credential } from '../store/api-keys.ts';
import type { ControlStore, StoreTransaction } from '../store/control-store.ts';
import type { SessionHolder } from '../store/sessions.ts';
import { type Caller, requireAccount, requireLiveKey } from './authenticate.ts';
import { isAllowedFrom } from './ip-allow-list.ts';
import { liveSession, type SessionLimits } from './session.ts';
import type { Address } from './subnet.ts';

/** A caller's proof of identity, as a request brings it. */
export interface Claim {
  /** The hashes by which the store knows the caller; at most one is not null. */
  readonly keyHash: string | null;
  readonly tokenHash: string | null;
  /** True if it carries the CSRF token of its session, or changes nothing. */
  readonly hasCsrfToken: boolean;
  /** Rows go to sessions, too, only where the account may be used from. */
  readonly asksForRows: boolean;
  /** The address it comes from; null where nobody can know. */
  source(): Address | null;
}

/** The records that a claim leads to. */
export interface Claimed {
  readonly credential: Credential | null;
  readonly holder: SessionHolder | null;
}

/** An ApiError 'unavailable' where only the store, which is out of reach, could tell who it is. */
export function claimedNow(
  { replica, outage }: Pick<ControlStore, 'replica' | 'outage'>,
  { keyHash, tokenHash }: Claim,
): Claimed {
  const credential = keyHash === null ? null : replica.findCredential(keyHash);
  const holder = tokenHash === null ? null : replica.findSession(tokenHash);
  if (outage && !credential && !holder && (keyHash ?? tokenHash) !== null) {
    throw new ApiError('unavailable', 'Service unavailable');
  }
  return { credential, holder };
}

export async function claimedIn(
  tx: StoreTransaction,
  { keyHash, tokenHash }: Claim,
): Promise<Claimed> {
  return {
    credential: keyHash === null ? null : await tx.findCredential(keyHash),
    holder: tokenHash === null ? null : await tx.findSession(tokenHash),
  };
}

/**
 * The caller of a claim; an ApiError 'not authenticated' or 'gone' without a live session or key.
 */
export function callerOf(
  { keyHash }: Claim,
  { credential, holder }: Claimed,
  nowMs: number,
  limits: SessionLimits,
): Caller {
  const person = liveSession(holder, nowMs, limits);
  if (person) return person;
  if (keyHash === null) throw new ApiError('not authenticated', 'Not authenticated');
  return requireLiveKey(credential, nowMs);
}

/** An ApiError 'forbidden' where the caller may not ask so, or not from there. */
export function requireAllowed(caller: Caller, claim: Claim, nowMs: number): void {
  if (!caller.key && !claim.hasCsrfToken) {
    throw new ApiError('forbidden', "The request does not carry the session's CSRF token");
  }
  if (caller.key) requireSource(caller.account, claim);
  else if (claim.asksForRows) requireSource(requireAccount(caller, nowMs), claim);
}

function requireSource({ ipSubnets }: Account, claim: Claim): void {
  if (ipSubnets.length === 0 || isAllowedFrom(ipSubnets, claim.source())) return;
  throw new ApiError('forbidden', 'Forbidden: IP address not allowed');
}
