/** A key with its identity, as callers are known by it. */
import type { ApiKey } from './api-keys.ts';
import type { Identity } from './identities.ts';

export interface Credential {
  /** Without what each use of the key changes. */
  readonly key: Omit<ApiKey, 'lastUsedAtMs'>;
  readonly identity: Identity;
}
