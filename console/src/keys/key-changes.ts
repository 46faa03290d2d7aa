/** What can be changed about the keys of the account. */
import { postJson } from '../api/client';
import { identityQuery, keysQuery } from '../api/queries';
import type { ApiKeyRecord } from '../api/records';
import { useChange } from '../api/use-change';
import { type KeyValues, keyBody } from './key-form';

export const OWN_KEYS_PATH = '/account/my/api-keys';
export const KEY_TOUCHES = [keysQuery.queryKey, identityQuery.queryKey];

export interface NewKey extends ApiKeyRecord {
  /** The key itself, told this once. */
  readonly api_key: string;
}

export function useCreateKey(onDone: (key: NewKey) => void) {
  return useChange({
    send: (values: KeyValues) => postJson<NewKey>(OWN_KEYS_PATH, keyBody(values)),
    touches: KEY_TOUCHES,
    onDone,
  });
}

export function useRenameKey(keyId: number, onDone: (key: ApiKeyRecord) => void) {
  return useChange({
    send: ({ name }: { name: string }) =>
      postJson<ApiKeyRecord>(`${OWN_KEYS_PATH}/${keyId}/rename`, { name }),
    touches: KEY_TOUCHES,
    onDone,
  });
}

/** Ends what a key is good for: for now, or for good. */
export function useRevokeKey(keyId: number, onDone: () => void) {
  return useChange({
    send: (act: 'deactivate' | 'delete') => postJson(`${OWN_KEYS_PATH}/${keyId}/${act}`),
    touches: KEY_TOUCHES,
    onDone,
  });
}
