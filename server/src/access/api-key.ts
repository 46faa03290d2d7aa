/** API keys: how they are made, how they are kept, and what state they are in. */
import { hash, randomBytes } from 'node:crypto';
import type { ApiKey } from '../store/api-keys.ts';

export const KEY_CHARACTERS = 35;
const REFERENCE_CHARACTERS = 4;

export const KEY_STATUSES = ['active', 'deactivated', 'expired'] as const;
export type KeyStatus = (typeof KEY_STATUSES)[number];

/**
 * A new key: 35 characters of `A-Za-z0-9-_`, 210 random bits. None begins with `-`, which commands
 * would take for an option.
 */
export function generateKey(draw: () => Buffer = () => randomBytes(27)): string {
  const key = draw().toString('base64url').slice(0, KEY_CHARACTERS);
  return key.startsWith('-') ? generateKey(draw) : key;
}

/** The form in which a key is kept; a fast hash does, because a key cannot be guessed. */
export function hashKey(key: string): string {
  return hash('sha256', key, 'hex');
}

/** The part of a key that its owner may see again. */
export function keyReference(key: string): string {
  return key.slice(-REFERENCE_CHARACTERS);
}

export function keyStatus(key: Pick<ApiKey, 'isActive' | 'expiresAtMs'>, nowMs: number): KeyStatus {
  if (!key.isActive) return 'deactivated';
  return nowMs >= key.expiresAtMs ? 'expired' : 'active';
}
