/** Whose keys are shown and changed. */
import type { QueryKey } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { identityQuery, keysQuery } from '../api/queries';

export interface KeyAccount {
  /** Where keys are made. */
  readonly keysPath: string;
  /** Where one of them is changed; the act follows. */
  readonly keyPath: (keyId: number) => string;
  /** Beginnings of the keys of the queries that show them. */
  readonly touches: readonly QueryKey[];
}

const OWN_KEYS_PATH = '/account/my/api-keys';

const OWN: KeyAccount = {
  keysPath: OWN_KEYS_PATH,
  keyPath: (keyId) => `${OWN_KEYS_PATH}/${keyId}`,
  touches: [keysQuery.queryKey, identityQuery.queryKey],
};

/** The person's own account, unless another one is given. */
export const KeyAccountContext = createContext(OWN);

export function useKeyAccount(): KeyAccount {
  return useContext(KeyAccountContext);
}
