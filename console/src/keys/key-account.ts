import type { QueryKey } from '@tanstack/react-query';
import { keysQuery, ownAccountQuery } from '../api/queries';
import { useSession } from '../session/session';

export interface KeyAccount {
  /** No key may expire later; null: its contract has no end. */
  readonly contractEndsAt: string | null;
  readonly keysPath: string;
  /** The act follows it. */
  readonly keyPath: (keyId: number) => string;
  /** Beginnings of the keys of the queries that show them. */
  readonly touches: readonly QueryKey[];
}

const OWN_KEYS_PATH = '/account/my/api-keys';

const OWN: Omit<KeyAccount, 'contractEndsAt'> = {
  keysPath: OWN_KEYS_PATH,
  keyPath: (keyId) => `${OWN_KEYS_PATH}/${keyId}`,
  touches: [keysQuery.queryKey, ownAccountQuery.queryKey],
};

/** The person's own account. */
export function useOwnKeys(): KeyAccount {
  const { account } = useSession();
  return { ...OWN, contractEndsAt: account?.contract_ends_at ?? null };
}
