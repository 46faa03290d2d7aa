import { Button } from '../ui/button';
import { Notice } from '../ui/notice';
import { KeyEnd } from './key-end';
import type { PendingRotation } from './key-rotations';
import styles from './rotation-reminders.module.css';

interface RotationRemindersProps {
  pending: readonly PendingRotation[];
  onContinue: (rotation: PendingRotation) => void;
  onForget: (oldKeyId: number) => void;
}

/** Keys that were replaced and still work. */
export function RotationReminders({ pending, onContinue, onForget }: RotationRemindersProps) {
  return pending.map((rotation) => {
    const { oldKey, newKey } = rotation;
    return (
      <Notice
        key={oldKey.key_id}
        kind="warning"
        title={`The rotation of “${oldKey.name}” is not finished`}
      >
        <p>
          The old key <KeyEnd apiKey={oldKey} /> still works beside <KeyEnd apiKey={newKey} />.
          Revoke it once all programs use the new one.
        </p>
        <div className={styles.actions}>
          <Button onClick={() => onContinue(rotation)}>Continue</Button>
          <Button kind="quiet" onClick={() => onForget(oldKey.key_id)}>
            Keep both keys
          </Button>
        </div>
      </Notice>
    );
  });
}
