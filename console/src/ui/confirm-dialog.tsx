import type { ReactNode } from 'react';
import { Button } from './button';
import styles from './confirm-dialog.module.css';
import { Dialog, DialogActions } from './dialog';
import { Notice } from './notice';
import { type ChangeOptions, useChange } from './use-change';

interface ConfirmDialogProps {
  isOpen: boolean;
  title: string;
  description: ReactNode;
  sentences?: readonly string[];
  /** Null: there is nothing to confirm. */
  confirmLabel: string | null;
  cancelLabel?: string;
  isDangerous?: boolean;
  isBusy?: boolean;
  error?: string | undefined;
  onConfirm: () => void;
  onClose: () => void;
}

export function Sentences({ sentences }: { sentences: readonly string[] }) {
  if (sentences.length === 1) return <p>{sentences[0]}</p>;
  return (
    <ul className={styles.list}>
      {sentences.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { sentences = [], confirmLabel, cancelLabel = 'Cancel', isDangerous = false } = props;
  return (
    <Dialog
      isOpen={props.isOpen}
      onClose={props.onClose}
      title={props.title}
      description={props.description}
    >
      {sentences.length > 0 && <Sentences sentences={sentences} />}
      {props.error && <Notice kind="danger">{props.error}</Notice>}
      <DialogActions>
        <Button onClick={props.onClose}>{cancelLabel}</Button>
        {confirmLabel !== null && (
          <Button
            kind={isDangerous ? 'danger' : 'primary'}
            isBusy={props.isBusy ?? false}
            onClick={props.onConfirm}
          >
            {confirmLabel}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}

/** A change that is made once the person has confirmed it. */
export interface Confirmation
  extends Pick<ConfirmDialogProps, 'title' | 'description' | 'isDangerous'>,
    ChangeOptions<undefined, unknown> {
  readonly confirmLabel: string;
}

interface ConfirmChangeProps {
  confirmation: Confirmation | null;
  onClose: () => void;
}

function Asked({ confirmation, onClose }: ConfirmChangeProps & { confirmation: Confirmation }) {
  const change = useChange({
    ...confirmation,
    onDone: (answer, input) => {
      onClose();
      confirmation.onDone?.(answer, input);
    },
  });
  return (
    <ConfirmDialog
      {...confirmation}
      isOpen
      isBusy={change.isPending}
      error={change.error?.message}
      onConfirm={() => change.mutate(undefined)}
      onClose={onClose}
    />
  );
}

/** Asks before a change, makes it, and says that it was made or why not. */
export function ConfirmChange({ confirmation, onClose }: ConfirmChangeProps) {
  return confirmation && <Asked confirmation={confirmation} onClose={onClose} />;
}
