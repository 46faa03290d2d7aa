/** The changes to an account's keys. */
import { postJson } from '../api/client';
import type { ApiKeyRecord } from '../api/records';
import { useChange } from '../api/use-change';
import { useKeyAccount } from './key-account';
import { type KeyValues, keyBody } from './key-form';

export interface NewKey extends ApiKeyRecord {
  /** The key itself, told this once. */
  readonly api_key: string;
}

export function useCreateKey(onDone: (key: NewKey) => void) {
  const { keysPath, touches } = useKeyAccount();
  return useChange({
    send: (values: KeyValues) => postJson<NewKey>(keysPath, keyBody(values)),
    touches,
    onDone,
  });
}

export function useRenameKey(keyId: number, onDone: (key: ApiKeyRecord) => void) {
  const { keyPath, touches } = useKeyAccount();
  return useChange({
    send: ({ name }: { name: string }) =>
      postJson<ApiKeyRecord>(`${keyPath(keyId)}/rename`, { name }),
    touches,
    onDone,
  });
}

/** Ends what a key is good for: for now, or for good. */
export function useRevokeKey(keyId: number, onDone: () => void) {
  const { keyPath, touches } = useKeyAccount();
  return useChange({
    send: (act: 'deactivate' | 'delete') => postJson(`${keyPath(keyId)}/${act}`),
    touches,
    onDone,
  });
}
