/** Activating, deactivating and deleting a key: what is asked before, and what is said after. */
import type { ApiKey } from '@ticklake/client';
import { postJson } from '../api/client';
import type { Confirmation } from '../ui/confirm-dialog';
import type { KeyAccount } from './key-account';

export type KeyAct = 'activate' | 'deactivate' | 'delete';

interface ActText {
  readonly verb: string;
  readonly description: string;
  readonly done: string;
  readonly isDangerous: boolean;
}

const TEXTS: Readonly<Record<KeyAct, ActText>> = {
  activate: {
    verb: 'Activate',
    description: 'The key works again immediately.',
    done: 'activated',
    isDangerous: false,
  },
  deactivate: {
    verb: 'Deactivate',
    description:
      'The key stops working until you activate it again. This makes room for another active key.',
    done: 'deactivated',
    isDangerous: true,
  },
  delete: {
    verb: 'Delete',
    description: 'The key stops working immediately. This cannot be undone.',
    done: 'deleted',
    isDangerous: true,
  },
};

export function keyActConfirmation(
  act: KeyAct,
  key: ApiKey,
  { keyPath, touches }: KeyAccount,
): Confirmation {
  const { verb, description, done, isDangerous } = TEXTS[act];
  return {
    title: `${verb} “${key.name}” (…${key.reference})?`,
    description,
    confirmLabel: `${verb} the key`,
    isDangerous,
    send: () => postJson(`${keyPath(key.key_id)}/${act}`),
    touches,
    done: `The key “${key.name}” was ${done}`,
  };
}
