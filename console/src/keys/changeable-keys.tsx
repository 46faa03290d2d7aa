import type { ApiKey, NewApiKey } from '@ticklake/client';
import { useState } from 'react';
import { type Confirmation, ConfirmChange } from '../ui/confirm-dialog';
import { useKeyAccount } from './key-account';
import { keyActConfirmation } from './key-acts';
import { pendingRotations, useRotations } from './key-rotations';
import { type KeyActions, KeysTable } from './keys-table';
import { RenameKeyDialog } from './rename-key-dialog';
import { RotateKey, type RotationStep } from './rotate-key';
import { RotationReminders } from './rotation-reminders';

/** The keys, and the dialogs of what can be done with one of them. */
export function ChangeableKeys({ keys, isFull }: { keys: readonly ApiKey[]; isFull: boolean }) {
  const account = useKeyAccount();
  const [renamed, setRenamed] = useState<ApiKey | null>(null);
  const [asked, setAsked] = useState<Confirmation | null>(null);
  const [rotation, setRotation] = useState<RotationStep | null>(null);
  const { rotations, remember, forget } = useRotations();
  const actions: KeyActions = {
    onRename: setRenamed,
    onRotate: (oldKey) => setRotation({ step: 'create', oldKey }),
    onAct: (act, key) => setAsked(keyActConfirmation(act, key, account)),
  };
  const begin = (oldKey: ApiKey, newKey: NewApiKey) => {
    remember({ oldKeyId: oldKey.key_id, newKeyId: newKey.key_id });
    setRotation({ step: 'copy', oldKey, newKey });
  };
  return (
    <>
      <RotationReminders
        pending={pendingRotations(rotations, keys)}
        onContinue={(pending) => setRotation({ step: 'switch', ...pending })}
        onForget={forget}
      />
      <KeysTable keys={keys} actions={actions} />
      {renamed && <RenameKeyDialog apiKey={renamed} onClose={() => setRenamed(null)} />}
      <ConfirmChange confirmation={asked} onClose={() => setAsked(null)} />
      <RotateKey at={rotation} isFull={isFull} onStep={setRotation} onCreated={begin} />
    </>
  );
}
