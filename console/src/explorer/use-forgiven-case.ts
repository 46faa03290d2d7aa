import { useEffect, useSyncExternalStore } from 'react';
import { identifierInUpperCase } from './forgiven-case';
import type { ExplorerQueryState } from './use-explorer-query';
import type { Run } from './use-run';

const subscribeToNothing = () => () => undefined;

/** Asks once more, in upper case, where that is what the service has rows for. */
export function useForgivenCase(run: Run | null, state: ExplorerQueryState, path: string): void {
  const { query, edit, isRun } = state;
  const rows = useSyncExternalStore(
    run?.store.subscribe ?? subscribeToNothing,
    () => run?.store.state() ?? null,
  );
  const upper =
    rows !== null && isRun && run?.path === path
      ? identifierInUpperCase(query.identifier, rows)
      : null;
  useEffect(() => {
    if (upper !== null) edit({ identifier: upper }, true);
    // Once for an answer.
  }, [upper]);
}
