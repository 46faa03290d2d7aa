import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { identityQuery, keysQuery } from '../api/queries';
import type { ApiKeyRecord } from '../api/records';
import { plural } from '../format/amounts';
import { mayChange, useSession } from '../session/use-session';
import { type Confirmation, ConfirmChange } from '../ui/confirm-change';
import { Loaded } from '../ui/loading';
import { Notice } from '../ui/notice';
import { Page } from '../ui/page';
import { GenerateKey } from './generate-key';
import { keyActConfirmation } from './key-acts';
import type { NewKey } from './key-changes';
import { pendingRotations, useRotations } from './key-rotations';
import { type KeyActions, KeysTable } from './keys-table';
import { RenameKeyDialog } from './rename-key-dialog';
import { RotateKey, type RotationStep } from './rotate-key';
import { RotationReminders } from './rotation-reminders';

const REFRESH_MS = 10_000;

/** How many keys are active of those that may be. */
function Ceiling({ active, max }: { active: number; max: number }) {
  const count = `${active} of ${plural(max, 'key')} active.`;
  if (active < max) return <span id="ceiling">{count}</span>;
  return (
    <span id="ceiling">
      {count} No further key can be generated: deactivate or delete one first.
    </span>
  );
}

/** The keys, and the dialogs of what can be done with one of them. */
function ChangeableKeys({ keys, isFull }: { keys: readonly ApiKeyRecord[]; isFull: boolean }) {
  const [renamed, setRenamed] = useState<ApiKeyRecord | null>(null);
  const [asked, setAsked] = useState<Confirmation | null>(null);
  const [rotation, setRotation] = useState<RotationStep | null>(null);
  const { rotations, remember, forget } = useRotations();
  const actions: KeyActions = {
    onRename: setRenamed,
    onRotate: (oldKey) => setRotation({ step: 'create', oldKey }),
    onAct: (act, key) => setAsked(keyActConfirmation(act, key)),
  };
  const begin = (oldKey: ApiKeyRecord, newKey: NewKey) => {
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
      <RenameKeyDialog apiKey={renamed} onClose={() => setRenamed(null)} />
      <ConfirmChange confirmation={asked} onClose={() => setAsked(null)} />
      <RotateKey at={rotation} isFull={isFull} onStep={setRotation} onCreated={begin} />
    </>
  );
}

export function KeysScreen() {
  const isManager = mayChange(useSession());
  const identity = useQuery(identityQuery);
  const keys = useQuery({ ...keysQuery, refetchInterval: REFRESH_MS });
  const max = identity.data?.max_active_api_keys;
  const active = keys.data?.filter(({ status }) => status === 'active').length;
  const isKnown = max !== undefined && active !== undefined;
  const isFull = isKnown && active >= max;
  return (
    <Page
      title="API keys"
      description={isKnown && <Ceiling active={active} max={max} />}
      actions={isManager && isKnown && <GenerateKey isFull={isFull} />}
    >
      {!isManager && (
        <Notice kind="info">Only managers of the account may generate and change keys.</Notice>
      )}
      <Loaded query={keys} what="API keys">
        {(data) =>
          isManager ? (
            <ChangeableKeys keys={data} isFull={isFull} />
          ) : (
            <KeysTable keys={data} actions={null} />
          )
        }
      </Loaded>
    </Page>
  );
}
