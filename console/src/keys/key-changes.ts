/** The changes to an account's keys. */
import type { ApiKey, NewApiKey } from '@ticklake/client';
import { postJson } from '../api/client';
import { useChange } from '../api/use-change';
import { useKeyAccount } from './key-account';
import { type KeyValues, keyBody } from './key-form';

export function useCreateKey(onDone: (key: NewApiKey) => void) {
  const { keysPath, touches } = useKeyAccount();
  return useChange({
    send: (values: KeyValues) => postJson<NewApiKey>(keysPath, keyBody(values)),
    touches,
    onDone,
  });
}

export function useRenameKey(keyId: number, onDone: (key: ApiKey) => void) {
  const { keyPath, touches } = useKeyAccount();
  return useChange({
    send: ({ name }: { name: string }) => postJson<ApiKey>(`${keyPath(keyId)}/rename`, { name }),
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
