import type { ReactNode } from 'react';
import { ConnectionBanner } from '../layout/connection-banner';
import { NameMark } from '../ui/name-mark';
import styles from './entrance.module.css';

/** The frame of screens for people who are not signed in. */
export function Entrance({ children }: { children: ReactNode }) {
  return (
    <>
      <div className={styles.top}>
        <ConnectionBanner />
      </div>
      <main className={styles.screen}>
        <div className={styles.content}>
          <p className={styles.brand}>
            <NameMark />
          </p>
          {children}
        </div>
      </main>
    </>
  );
}
