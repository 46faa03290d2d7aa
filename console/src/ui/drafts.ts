/**
 * Texts that people typed and did not send, by the name of the form: it outlives a session that
 * ends, until the same person signs in again in this tab. Kept in memory alone, and never of a form
 * with a password.
 */
import { useEffect, useEffectEvent, useState } from 'react';
import { clientState } from '../api/client';

const drafts = new Map<string, unknown>();

function keyOf(name: string): string {
  return `${clientState.personId}/${name}`;
}

/** Opens the form of this name where a session ended over it. */
export function useReopened(name: string, open: () => void): void {
  const reopen = useEffectEvent(() => {
    if (drafts.has(keyOf(name))) open();
  });
  useEffect(() => reopen(), []);
}

/** Drops what was kept of everybody. */
export function forgetDrafts(): void {
  drafts.clear();
}

/** State that is kept under a name while it is not null; without a name it is kept nowhere. */
export function useDraft<T>(name: string | undefined) {
  const [key] = useState(() => (name === undefined ? undefined : keyOf(name)));
  const [draft, setDraft] = useState<T | null>(
    () => ((key === undefined ? undefined : drafts.get(key)) as T | undefined) ?? null,
  );
  useEffect(() => {
    if (key === undefined) return;
    if (draft === null) drafts.delete(key);
    else drafts.set(key, draft);
    return () => {
      // Whoever leaves the form has been asked; a session that ended has not.
      if (clientState.csrfToken !== null) drafts.delete(key);
    };
  }, [key, draft]);
  return [draft, setDraft] as const;
}
