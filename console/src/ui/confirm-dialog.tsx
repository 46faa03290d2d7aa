import type { ReactNode } from 'react';
import { Button } from './button';
import { Dialog, DialogActions } from './dialog';
import { Notice } from './notice';

interface ConfirmDialogProps {
  isOpen: boolean;
  title: string;
  /** Says what will happen and whether it can be undone. */
  description: ReactNode;
  confirmLabel: string;
  isDangerous?: boolean;
  isBusy: boolean;
  /** Why it failed the last time. */
  error?: string | undefined;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks before something that people may regret. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  return (
    <Dialog
      isOpen={props.isOpen}
      onClose={props.onClose}
      title={props.title}
      description={props.description}
    >
      {props.error && <Notice kind="danger">{props.error}</Notice>}
      <DialogActions>
        <Button onClick={props.onClose}>Cancel</Button>
        <Button
          kind={props.isDangerous ? 'danger' : 'primary'}
          isBusy={props.isBusy}
          onClick={props.onConfirm}
        >
          {props.confirmLabel}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
