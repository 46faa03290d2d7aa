import type { ApiKey, NewApiKey } from '@ticklake/client';
import type { ReactNode } from 'react';
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

const STEP_COUNT = 4;

interface StepDialogProps {
  oldKey: ApiKey;
  number: number;
  title: string;
  text: ReactNode;
  children: ReactNode;
}

/** A step of the way from one key to another. */
function StepDialog({ oldKey, number, title, text, children }: StepDialogProps) {
  return (
    <Dialog title={`Rotate “${oldKey.name}”: ${title}`}>
      <div className={styles.text}>
        <p className={styles.step}>
          Step {number} of {STEP_COUNT}
        </p>
        {text}
      </div>
      {children}
    </Dialog>
  );
}

interface RotateKeyProps {
  oldKey: ApiKey;
  account: KeyAccount;
  isFull: boolean;
  remember: (rotation: Rotation) => void;
}

/** The first step, after which the second key is shown as the next one. */
export function RotateKey({ oldKey, account, isFull, remember }: RotateKeyProps) {
  const initial = { name: oldKey.name, expires_in: lifetimeOf(oldKey), expires_at: '' };
  const copy = (newKey: NewApiKey) => {
    remember({ oldKeyId: oldKey.key_id, newKeyId: newKey.key_id });
    const onClose = () => askToSwitch({ oldKey, newKey }, account);
    showDialog(<NewKeyDialog created={newKey} onClose={onClose} />);
  };
  return (
    <StepDialog
      {...{ oldKey, number: 1, title: 'create the second key' }}
      text={
        <p>
          A second key takes the place of <KeyEnd apiKey={oldKey} />. Both work until you revoke the
          old one, so that nothing is interrupted.
        </p>
      }
    >
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
        <KeyForm {...{ account, initial }} onCreated={copy} submitLabel="Create second key" />
      )}
    </StepDialog>
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

/** The third step, which may last for days. */
export function askToSwitch(pending: PendingRotation, account: KeyAccount): void {
  const { oldKey, newKey } = pending;
  showDialog(
    <StepDialog
      {...{ oldKey, number: 3, title: 'switch your programs' }}
      text={
        <>
          <p>
            Give the new key to every program that uses the old one. This page reminds you until the
            old one is revoked, also when you come back later.
          </p>
          <ul className={styles.uses} aria-live="polite">
            <LastUse what="Old key" apiKey={oldKey} />
            <LastUse what="New key" apiKey={newKey} />
          </ul>
        </>
      }
    >
      <DialogActions>
        <Button onClick={closeDialog}>Later</Button>
        <Button kind="primary" onClick={() => showDialog(<RevokeKey {...{ pending, account }} />)}>
          All programs use the new key
        </Button>
      </DialogActions>
    </StepDialog>,
  );
}

function RevokeKey({ pending, account }: { pending: PendingRotation; account: KeyAccount }) {
  const { oldKey } = pending;
  const change = useChange({
    send: (act: 'deactivate' | 'delete') => postJson(`${account.keyPath(oldKey.key_id)}/${act}`),
    touches: account.touches,
    closes: true,
  });
  return (
    <StepDialog
      {...{ oldKey, number: 4, title: 'revoke the old key' }}
      text={
        <p>
          Programs that still use <KeyEnd apiKey={oldKey} /> will be refused. A deactivated key can
          be activated again; a deleted one is gone for good.
        </p>
      }
    >
      {change.error && <Notice kind="danger">{change.error.message}</Notice>}
      <DialogActions>
        <Button onClick={() => askToSwitch(pending, account)}>Back</Button>
        <Button isBusy={change.isPending} onClick={() => change.mutate('deactivate')}>
          Deactivate old key
        </Button>
        <Button kind="danger" isBusy={change.isPending} onClick={() => change.mutate('delete')}>
          Delete old key
        </Button>
      </DialogActions>
    </StepDialog>
  );
}
