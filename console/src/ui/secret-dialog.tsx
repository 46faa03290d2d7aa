import type { ReactNode } from 'react';
import { Button } from './button';
import { CopyButton } from './copy-button';
import { Dialog, DialogActions } from './dialog';
import { Notice } from './notice';
import styles from './secret-dialog.module.css';

interface SecretDialogProps {
  secret: string | null;
  title: string;
  /** Kind of secret: `API key`, `Initial password`. */
  label: string;
  warning: ReactNode;
  doneLabel?: string;
  onClose: () => void;
  children?: ReactNode;
}

/**
 * Shows what the service tells once and never again. Neither a click beside it nor Escape closes
 * it, so that the secret is not lost by accident.
 */
export function SecretDialog({
  secret,
  title,
  label,
  warning,
  doneLabel = 'I have stored it',
  onClose,
  children,
}: SecretDialogProps) {
  return (
    <Dialog isOpen={secret !== null} onClose={onClose} title={title} isDismissible={false}>
      <Notice kind="warning">{warning}</Notice>
      <dl className={styles.list}>
        <dt className={styles.label}>{label}</dt>
        <dd className={styles.secret}>
          <code>{secret}</code>
        </dd>
      </dl>
      {children}
      <DialogActions>
        <CopyButton text={secret ?? ''} label="Copy" />
        <Button kind="primary" onClick={onClose}>
          {doneLabel}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
