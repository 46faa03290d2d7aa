import { useBlocker } from '@tanstack/react-router';
import { clientState } from '../api/client';
import { ConfirmDialog } from './confirm-dialog';

/** Asks before another screen is opened or the tab is closed, while something typed is not sent. */
export function LeaveGuard({ isDirty }: { isDirty: boolean }) {
  const blocker = useBlocker({
    // Where the session has ended, what was typed is kept instead.
    shouldBlockFn: ({ current, next }) =>
      isDirty && clientState.csrfToken !== null && current.pathname !== next.pathname,
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  });
  return (
    <ConfirmDialog
      isOpen={blocker.status === 'blocked'}
      title="Leave without saving?"
      description="What you entered here will be lost."
      confirmLabel="Leave"
      isDangerous
      isBusy={false}
      onConfirm={() => blocker.proceed?.()}
      onClose={() => blocker.reset?.()}
    />
  );
}
