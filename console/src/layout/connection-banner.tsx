import { useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { connection } from '../api/connection';
import { useServerBack } from '../api/server-back';
import styles from './connection-banner.module.css';

/** Shown while the server does not answer; asks again until it does, then loads what is shown anew. */
export function ConnectionBanner() {
  const queryClient = useQueryClient();
  const isReachable = useSyncExternalStore(connection.subscribe, connection.isReachable);
  useServerBack(!isReachable, () => void queryClient.invalidateQueries());
  if (isReachable) return null;
  return (
    <div className={styles.banner} role="alert">
      Can’t reach the server. What you see may be out of date. This page updates when the server is
      back.
    </div>
  );
}
