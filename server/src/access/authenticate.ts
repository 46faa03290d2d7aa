/**
 * Finds out who calls: whether there is a key, whether it is known and active, and whether its
 * account is.
 */
import { ApiError } from '../base/errors.ts';
import type { Account } from '../store/accounts.ts';
import type { Credential } from '../store/api-keys.ts';
import type { SessionHolder } from '../store/sessions.ts';
import { accountStatus } from './account-status.ts';
import { hashKey, keyStatus } from './api-key.ts';

/** An account, known by one of its keys. */
export type KeyCaller = Credential;

/** A person who is signed in. */
export interface PersonCaller extends SessionHolder {
  readonly key: null;
}

/** The caller. Without a key it is a person. */
export type Caller = KeyCaller | PersonCaller;

const REFUSALS = {
  deactivated: 'The account is deactivated',
  ended: "The account's contract has ended",
} as const;

/** An ApiError 'gone' unless the account is active. */
function requireActive(account: Account, nowMs: number): void {
  const status = accountStatus(account, nowMs);
  if (status !== 'active') throw new ApiError('gone', REFUSALS[status]);
}

/**
 * The account that a request is about; 'not found' for a person without one, 'gone' for one that is
 * deactivated or whose contract has ended.
 */
export function requireAccount({ account }: Pick<Caller, 'account'>, nowMs: number): Account {
  if (account === null) throw new ApiError('not found', 'You do not belong to an account');
  requireActive(account, nowMs);
  return account;
}

/**
 * The hash by which the key in an `X-API-KEY` header is found; an ApiError 'not authenticated'
 * where it holds none.
 */
export function keyHashOf(header: string): string {
  const rawKey = header.trim();
  if (rawKey === '') throw new ApiError('not authenticated', 'Not authenticated');
  return hashKey(rawKey);
}

/**
 * The caller of a key that was found, or was not; an ApiError 'not authenticated' or 'gone' unless
 * it may be used.
 */
export function requireLiveKey(credential: Credential | null, nowMs: number): KeyCaller {
  if (!credential?.key.isActive) throw new ApiError('not authenticated', 'Invalid API key');
  requireActive(credential.account, nowMs);
  if (keyStatus(credential.key, nowMs) === 'expired') {
    throw new ApiError('gone', 'The API key access has expired');
  }
  return credential;
}
