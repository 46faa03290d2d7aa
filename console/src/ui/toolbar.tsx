import type { ReactNode } from 'react';
import styles from './toolbar.module.css';

/** Fields side by side that choose what a list shows. */
export function Toolbar({ label, children }: { label: string; children: ReactNode }) {
  return (
    <search aria-label={label} className={styles.toolbar}>
      {children}
    </search>
  );
}
