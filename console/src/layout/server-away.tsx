import { useQueryClient } from '@tanstack/react-query';
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import type { Role } from '@ticklake/client';
import type { ReactNode } from 'react';
import { connection, ServerUnreachable } from '../api/client';
import { useServerBack } from '../api/server-back';
import { useStore } from '../api/store';
import { FailureNotice, Notice, Page } from '../ui/page';
import styles from './apart.module.css';

/** The frame of content that replaces a screen, with or without navigation beside it. */
function Apart({ children }: { children: ReactNode }) {
  return <div className={styles.apart}>{children}</div>;
}

/** In place of what cannot be shown until the server answers. */
export function ServerAway({ onBack }: { onBack: () => void }) {
  useServerBack(true, onBack);
  return (
    <Apart>
      <Page title="Can’t reach the server">
        <Notice kind="warning">
          It may be starting up or unreachable. This page retries every two seconds and continues
          when the server is back.
        </Notice>
      </Page>
    </Apart>
  );
}

/** A screen that could not be shown; the rest of the console goes on. */
export function ScreenFailure({ error }: ErrorComponentProps) {
  const router = useRouter();
  if (error instanceof ServerUnreachable) {
    return <ServerAway onBack={() => void router.invalidate()} />;
  }
  return (
    <Apart>
      <Page title="Couldn’t show this page">
        <FailureNotice error={error} onRetry={() => void router.invalidate()} />
      </Page>
    </Apart>
  );
}

export function NotFound() {
  return (
    <Page title="Page not found">
      <Link to="/">Go to the overview</Link>
    </Page>
  );
}

export function RoleRefusal({ roles }: { roles: readonly Role[] }) {
  return (
    <Page title="No access to this page">
      <Notice kind="info">
        It is for {roles.map((role) => `${role}s`).join(' and ')}. Ask one, or{' '}
        <Link to="/">go to the overview</Link>.
      </Notice>
    </Page>
  );
}

/** Shown while the server does not answer; asks until it does, then loads what is shown anew. */
export function ConnectionBanner() {
  const queryClient = useQueryClient();
  const isReachable = useStore(connection);
  useServerBack(!isReachable, () => void queryClient.invalidateQueries());
  if (isReachable) return null;
  return (
    <div className={styles.banner} role="alert">
      Can’t reach the server. What you see may be out of date. This page updates when the server is
      back.
    </div>
  );
}
