import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { clientState } from '../api/client';
import { connection } from '../api/connection';
import styles from './connection-banner.module.css';

const ASK_AGAIN_MS = 2000;

/** Shown while the server does not answer; asks again until it does, then loads what is shown anew. */
export function ConnectionBanner() {
  const queryClient = useQueryClient();
  const isReachable = useSyncExternalStore(connection.subscribe, connection.isReachable);
  useEffect(() => {
    if (isReachable) return;
    const timer = setInterval(async () => {
      const response = await fetch(`${clientState.apiPath}/status`).catch(() => null);
      if (!response?.ok) return;
      connection.setReachable(true);
      await queryClient.invalidateQueries();
    }, ASK_AGAIN_MS);
    return () => clearInterval(timer);
  }, [isReachable, queryClient]);
  if (isReachable) return null;
  return (
    <div className={styles.banner} role="alert">
      The server does not answer. What you see may be old; this page goes on by itself when the
      server is back.
    </div>
  );
}
