import type { ReactNode } from 'react';
import styles from './apart.module.css';

/** What is shown in place of a screen, also where there is no navigation beside it. */
export function Apart({ children }: { children: ReactNode }) {
  return <div className={styles.apart}>{children}</div>;
}
