import { useBlocker } from '@tanstack/react-router';
import { clientState } from '../api/client';
import { LeaveQuestion } from './dialog';
import { placeOf } from './open-dialog';

/**
 * Asks before another screen or tab is opened, or the browser's tab is closed, while something
 * typed is not sent.
 */
export function LeaveGuard({ isDirty }: { isDirty: boolean }) {
  const blocker = useBlocker({
    // If the session has ended, what was typed is kept instead.
    shouldBlockFn: ({ current, next }) =>
      isDirty && clientState.csrfToken !== null && placeOf(current) !== placeOf(next),
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  });
  if (blocker.status !== 'blocked') return null;
  return <LeaveQuestion onLeave={blocker.proceed} onStay={blocker.reset} />;
}
