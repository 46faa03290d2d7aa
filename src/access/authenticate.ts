/** Caller questions: is there a key, is it known and live, is its account live. */
import { ApiError } from '../errors.ts';
import type { ApiKey } from '../store/api-keys.ts';
import type { ControlStore } from '../store/control-store.ts';
import type { Identity } from '../store/identities.ts';
import { hashKey, keyStatus } from './api-key.ts';

export interface Caller {
  readonly identity: Identity;
  readonly key: ApiKey;
}

/** No identity has it. An unknown key costs the same look-ups as a known one. */
const NOBODY = 0;

/**
 * The caller behind the value of an `X-API-KEY` header. The store is asked at each request, so a
 * change made by any process counts from the next request on.
 */
export function authenticate(
  store: ControlStore,
  header: string | undefined,
  nowMs: number,
): Caller {
  const rawKey = header?.trim() ?? '';
  if (rawKey === '') throw new ApiError(401, 'Not authenticated');
  const key = store.keys.findByHash(hashKey(rawKey));
  const identity = store.identities.find(key?.identityId ?? NOBODY);
  if (!key || !identity || !key.isActive) throw new ApiError(401, 'Invalid API key');
  if (!identity.isActive) throw new ApiError(410, 'The account is deactivated');
  if (keyStatus(key, nowMs) === 'expired') {
    throw new ApiError(410, 'The API key access has expired');
  }
  return { identity, key };
}
