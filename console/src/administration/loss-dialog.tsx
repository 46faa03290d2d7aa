import { Button } from '../ui/button';
import { Dialog, DialogActions } from '../ui/dialog';
import { Notice } from '../ui/notice';
import styles from './loss-dialog.module.css';

interface LossDialogProps {
  title: string;
  /** Null: nothing will go. */
  description: string | null;
  /** What will go, one sentence each. */
  sentences: readonly string[];
  /** Null: there is nothing to confirm. */
  confirmLabel: string | null;
  cancelLabel?: string;
  isBusy: boolean;
  /** Why it failed the last time. */
  error?: string | undefined;
  onConfirm: () => void;
  onCancel: () => void;
}

/** What will happen, one sentence each. */
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

/** Says what will go, and has it confirmed. */
export function LossDialog(props: LossDialogProps) {
  const { title, description, sentences, confirmLabel, cancelLabel = 'Cancel' } = props;
  return (
    <Dialog isOpen onClose={props.onCancel} title={title} description={description}>
      <Sentences sentences={sentences} />
      {props.error && <Notice kind="danger">{props.error}</Notice>}
      <DialogActions>
        <Button onClick={props.onCancel}>{cancelLabel}</Button>
        {confirmLabel !== null && (
          <Button kind="danger" isBusy={props.isBusy} onClick={props.onConfirm}>
            {confirmLabel}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}
