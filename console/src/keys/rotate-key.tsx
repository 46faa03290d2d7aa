import type { ApiKey, NewApiKey } from '@ticklake/client';
import { type ReactNode, useState } from 'react';
import { postJson } from '../api/client';
import { relativeText } from '../format/texts';
import { Button } from '../ui/button';
import { Dialog, DialogActions } from '../ui/dialog';
import { closeDialog, showDialog } from '../ui/open-dialog';
import { Notice } from '../ui/page';
import { useChange } from '../ui/use-change';
import type { KeyAccount } from './key-account';
import { lifetimeOf } from './key-form';
import type { PendingRotation, Rotation } from './key-rotations';
import { KeyEnd } from './key-texts';
import { KeyForm, NewKeyDialog } from './new-key';
import styles from './rotate-key.module.css';

/** Between `switch` and `revoke` days may pass. */
export type RotationStep =
  | { readonly step: 'create'; readonly oldKey: ApiKey }
  | { readonly step: 'copy'; readonly oldKey: ApiKey; readonly newKey: NewApiKey }
  | ({ readonly step: 'switch' } & PendingRotation)
  | ({ readonly step: 'revoke' } & PendingRotation);

interface StepProps<Step extends RotationStep['step']> {
  at: Extract<RotationStep, { step: Step }>;
  account: KeyAccount;
  onStep: (next: RotationStep) => void;
}

const STEP_COUNT = 4;

function StepText({ number, children }: { number: number; children: ReactNode }) {
  return (
    <div className={styles.text}>
      <p className={styles.step}>
        Step {number} of {STEP_COUNT}
      </p>
      {children}
    </div>
  );
}

interface CreateStepProps extends Omit<StepProps<'create'>, 'onStep'> {
  isFull: boolean;
  onCreated: (newKey: NewApiKey) => void;
}

function CreateStep({ at: { oldKey }, account, isFull, onCreated }: CreateStepProps) {
  const initial = { name: oldKey.name, expires_in: lifetimeOf(oldKey), expires_at: '' };
  return (
    <>
      <StepText number={1}>
        <p>
          A second key takes the place of <KeyEnd apiKey={oldKey} />. Both work until you revoke the
          old one, so that nothing is interrupted.
        </p>
      </StepText>
      {isFull ? (
        <>
          <Notice kind="warning" title="No room for a second key">
            The account has reached its limit of active keys. Deactivate or delete one first.
          </Notice>
          <DialogActions>
            <Button onClick={closeDialog}>Close</Button>
          </DialogActions>
        </>
      ) : (
        <KeyForm {...{ account, initial, onCreated }} submitLabel="Create second key" />
      )}
    </>
  );
}

function LastUse({ apiKey, what }: { apiKey: ApiKey; what: string }) {
  const { last_used_at: usedAt } = apiKey;
  return (
    <li>
      {what} <KeyEnd apiKey={apiKey} />:{' '}
      {usedAt ? `last used ${relativeText(usedAt, Date.now())}` : 'never used'}
    </li>
  );
}

function SwitchStep({ at, onStep }: Omit<StepProps<'switch'>, 'account'>) {
  return (
    <>
      <StepText number={3}>
        <p>
          Give the new key to every program that uses the old one. This page reminds you until the
          old one is revoked, also when you come back later.
        </p>
        <ul className={styles.uses} aria-live="polite">
          <LastUse what="Old key" apiKey={at.oldKey} />
          <LastUse what="New key" apiKey={at.newKey} />
        </ul>
      </StepText>
      <DialogActions>
        <Button onClick={closeDialog}>Later</Button>
        <Button kind="primary" onClick={() => onStep({ ...at, step: 'revoke' })}>
          All programs use the new key
        </Button>
      </DialogActions>
    </>
  );
}

function RevokeStep({ at, account, onStep }: StepProps<'revoke'>) {
  const { keyPath, touches } = account;
  const change = useChange({
    send: (act: 'deactivate' | 'delete') => postJson(`${keyPath(at.oldKey.key_id)}/${act}`),
    touches,
    onDone: closeDialog,
  });
  return (
    <>
      <StepText number={4}>
        <p>
          Programs that still use <KeyEnd apiKey={at.oldKey} /> will be refused. A deactivated key
          can be activated again; a deleted one is gone for good.
        </p>
      </StepText>
      {change.error && <Notice kind="danger">{change.error.message}</Notice>}
      <DialogActions>
        <Button onClick={() => onStep({ ...at, step: 'switch' })}>Back</Button>
        <Button isBusy={change.isPending} onClick={() => change.mutate('deactivate')}>
          Deactivate old key
        </Button>
        <Button kind="danger" isBusy={change.isPending} onClick={() => change.mutate('delete')}>
          Delete old key
        </Button>
      </DialogActions>
    </>
  );
}

const TITLES: Readonly<Record<RotationStep['step'], string>> = {
  create: 'Create the second key',
  copy: 'Copy the second key',
  switch: 'Switch your programs',
  revoke: 'Revoke the old key',
};

interface RotateKeyProps {
  begin: RotationStep;
  account: KeyAccount;
  isFull: boolean;
  remember: (rotation: Rotation) => void;
}

/** The way from one key to another: create, copy, switch, revoke. */
export function RotateKey({ begin, account, isFull, remember }: RotateKeyProps) {
  const [at, onStep] = useState(begin);
  const { oldKey } = at;
  const copy = (newKey: NewApiKey) => {
    remember({ oldKeyId: oldKey.key_id, newKeyId: newKey.key_id });
    showDialog(
      <RotateKey {...{ account, isFull, remember }} begin={{ step: 'copy', oldKey, newKey }} />,
    );
  };
  if (at.step === 'copy') {
    return <NewKeyDialog created={at.newKey} onClose={() => onStep({ ...at, step: 'switch' })} />;
  }
  return (
    <Dialog title={`Rotate “${oldKey.name}”: ${TITLES[at.step].toLowerCase()}`}>
      {at.step === 'create' && <CreateStep {...{ at, account, isFull }} onCreated={copy} />}
      {at.step === 'switch' && <SwitchStep at={at} onStep={onStep} />}
      {at.step === 'revoke' && <RevokeStep {...{ at, account, onStep }} />}
    </Dialog>
  );
}
