import type { QueryKey } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useChange } from '../api/use-change';
import { ConfirmDialog } from './confirm-dialog';
import { useToasts } from './toasts';

/** A change that is made once the person has confirmed it. */
export interface Confirmation {
  readonly title: string;
  /** Says what will happen and whether it can be undone. */
  readonly description: ReactNode;
  readonly confirmLabel: string;
  readonly isDangerous?: boolean;
  readonly send: () => Promise<unknown>;
  /** Beginnings of the keys of the queries that show what is changed. */
  readonly touches: readonly QueryKey[];
  /** Said once it is done. */
  readonly done: string;
}

interface ConfirmChangeProps {
  /** Null: nothing is asked. */
  confirmation: Confirmation | null;
  onClose: () => void;
}

function Asked({ confirmation, onClose }: ConfirmChangeProps & { confirmation: Confirmation }) {
  const toasts = useToasts();
  const { send, touches, done, ...shown } = confirmation;
  const change = useChange({
    send,
    touches,
    onDone: () => {
      toasts.add({ title: done });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      {...shown}
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
