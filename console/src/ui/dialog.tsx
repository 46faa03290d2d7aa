import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { Button } from './button';
import list from './confirm-dialog.module.css';
import { CopyButton } from './copy-button';
import styles from './dialog.module.css';
import { closeDialog, showDialog } from './open-dialog';
import { Notice } from './page';
import secretStyles from './secret-dialog.module.css';
import { type ChangeOptions, useChange } from './use-change';

interface DialogProps {
  /** Absent: it is put away. */
  onClose?: () => void;
  title: string;
  description?: ReactNode;
  children?: ReactNode;
  /** False: only a button inside closes it, for what must not be lost by a stray click. */
  isDismissible?: boolean;
  /** For fields that stand in two columns. */
  isWide?: boolean;
}

const FIELDS = 'input, textarea';
/** A form says so of itself. */
const UNSENT = 'form[data-unsent]';

/**
 * A modal dialog, open while it is shown: the focus stays inside and returns to where it came from.
 * Escape, the cross and a click outside ask first if a form inside has something that is not sent;
 * a form's own Cancel does not.
 */
export function Dialog(props: DialogProps) {
  const { onClose = closeDialog, title, description, children } = props;
  const { isDismissible = true, isWide = false } = props;
  const popup = useRef<HTMLDivElement>(null);
  const [isLeaving, setIsLeaving] = useState(false);
  // Fields come before the button that closes the dialog.
  const firstField = () => popup.current?.querySelector<HTMLElement>(FIELDS) ?? true;
  return (
    <BaseDialog.Root
      open
      disablePointerDismissal={!isDismissible}
      onOpenChange={(open, details) => {
        if (open) return;
        if (!isDismissible && details.reason === 'escape-key') return;
        if (popup.current?.querySelector(UNSENT)) setIsLeaving(true);
        else onClose();
      }}
    >
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className={styles.backdrop} />
        <BaseDialog.Popup
          ref={popup}
          className={`${styles.popup} ${isWide ? styles.wide : ''}`}
          initialFocus={firstField}
        >
          <div className={styles.head}>
            <BaseDialog.Title className={styles.title}>{title}</BaseDialog.Title>
            {isDismissible && (
              <BaseDialog.Close className={styles.close} aria-label="Close">
                <X size={18} aria-hidden />
              </BaseDialog.Close>
            )}
          </div>
          {description && (
            <BaseDialog.Description className={styles.description}>
              {description}
            </BaseDialog.Description>
          )}
          {children}
          {isLeaving && <LeaveQuestion onLeave={onClose} onStay={() => setIsLeaving(false)} />}
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}

export function DialogActions({ children }: { children: ReactNode }) {
  return <div className={styles.actions}>{children}</div>;
}

interface ConfirmDialogProps {
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
  onClose?: () => void;
}

export function Sentences({ sentences }: { sentences: readonly string[] }) {
  if (sentences.length === 1) return <p>{sentences[0]}</p>;
  return (
    <ul className={list.list}>
      {sentences.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
}

function ConfirmDialog(props: ConfirmDialogProps) {
  const { sentences = [], confirmLabel, cancelLabel = 'Cancel', isDangerous = false } = props;
  const { onClose = closeDialog } = props;
  return (
    <Dialog onClose={onClose} title={props.title} description={props.description}>
      {sentences.length > 0 && <Sentences sentences={sentences} />}
      {props.error && <Notice kind="danger">{props.error}</Notice>}
      <DialogActions>
        <Button onClick={onClose}>{cancelLabel}</Button>
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

interface LeaveQuestionProps {
  onLeave: () => void;
  onStay: () => void;
}

/** Asks whether what was typed and not sent may be lost. */
export function LeaveQuestion({ onLeave, onStay }: LeaveQuestionProps) {
  return (
    <ConfirmDialog
      title="Leave without saving?"
      description="What you entered here will be lost."
      confirmLabel="Leave"
      isDangerous
      onConfirm={onLeave}
      onClose={onStay}
    />
  );
}

/** A change that is made once the person has confirmed it. */
export interface Confirmation<Answer = unknown>
  extends Omit<ConfirmDialogProps, 'isBusy' | 'error' | 'onConfirm'>,
    ChangeOptions<undefined, Answer> {}

/** Asks before a change, makes it, and says that it was made or why not. */
export function ConfirmChange<Answer>(confirmation: Confirmation<Answer>) {
  const change = useChange({ ...confirmation, closes: true });
  return (
    <ConfirmDialog
      {...confirmation}
      isBusy={change.isPending}
      error={change.error?.message}
      onConfirm={() => change.mutate(undefined)}
    />
  );
}

export function confirmChange(confirmation: Confirmation): void {
  showDialog(<ConfirmChange {...confirmation} />);
}

interface SecretDialogProps {
  secret: string;
  title: string;
  /** Kind of secret: `API key`, `Initial password`. */
  label: string;
  warning: ReactNode;
  doneLabel?: string;
  onClose?: () => void;
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
  onClose = closeDialog,
  children,
}: SecretDialogProps) {
  return (
    <Dialog onClose={onClose} title={title} isDismissible={false}>
      <Notice kind="warning">{warning}</Notice>
      <dl className={secretStyles.list}>
        <dt className={secretStyles.label}>{label}</dt>
        <dd className={secretStyles.secret}>
          <code>{secret}</code>
        </dd>
      </dl>
      {children}
      <DialogActions>
        <CopyButton text={secret} label="Copy" />
        <Button kind="primary" onClick={onClose}>
          {doneLabel}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
