/** Caller questions: is there a key, is it known and live, is its account live. */
import { ApiError } from '../errors.ts';
import type { ControlStore } from '../store/control-store.ts';
import type { Credential } from '../store/credentials.ts';
import { hashKey, keyStatus } from './api-key.ts';

export type Caller = Credential;

/**
 * The caller behind the value of an `X-API-KEY` header, '' without one. The store is asked at each request, so a
 * change made by any process counts from the next request on.
 */
export function authenticate(store: ControlStore, header: string, nowMs: number): Caller {
  const rawKey = header.trim();
  if (rawKey === '') throw new ApiError(401, 'Not authenticated');
  const credential = store.credentials.find(hashKey(rawKey));
  if (!credential?.key.isActive) throw new ApiError(401, 'Invalid API key');
  if (!credential.identity.isActive) throw new ApiError(410, 'The account is deactivated');
  if (keyStatus(credential.key, nowMs) === 'expired') {
    throw new ApiError(410, 'The API key access has expired');
  }
  return credential;
}
