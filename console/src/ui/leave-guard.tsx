import { useBlocker } from '@tanstack/react-router';
import { useContext, useEffect, useState } from 'react';
import { clientState } from '../api/client';
import { ConfirmDialog, DialogGuard } from './dialog';

interface Place {
  readonly pathname: string;
  readonly search: object;
}

function tabOf({ search }: Place): unknown {
  return 'tab' in search ? search.tab : undefined;
}

/** Screens show the form of one tab at a time; other parts of the address leave it as it is. */
function isLeft(current: Place, next: Place): boolean {
  return current.pathname !== next.pathname || tabOf(current) !== tabOf(next);
}

/** Asks when a dialog around it is to be closed; `close` is null unless it was. */
function useClosing(isDirty: boolean) {
  const guard = useContext(DialogGuard);
  const [close, setClose] = useState<(() => void) | null>(null);
  useEffect(() => {
    if (!guard || !isDirty) return;
    guard.current = (next) => setClose(() => next);
    return () => {
      guard.current = null;
    };
  }, [guard, isDirty]);
  return { close, stay: () => setClose(null) };
}

/**
 * Asks before another screen or tab is opened, the dialog is dismissed or the browser's tab is
 * closed, while something typed is not sent.
 */
export function LeaveGuard({ isDirty }: { isDirty: boolean }) {
  const { close, stay } = useClosing(isDirty);
  const blocker = useBlocker({
    // If the session has ended, what was typed is kept instead.
    shouldBlockFn: ({ current, next }) =>
      isDirty && clientState.csrfToken !== null && isLeft(current, next),
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  });
  if (blocker.status !== 'blocked' && close === null) return null;
  return (
    <ConfirmDialog
      title="Leave without saving?"
      description="What you entered here will be lost."
      confirmLabel="Leave"
      isDangerous
      onConfirm={() => {
        stay();
        close?.();
        blocker.proceed?.();
      }}
      onClose={() => {
        stay();
        blocker.reset?.();
      }}
    />
  );
}
