import type { ReactNode } from 'react';
import styles from './apart.module.css';

/** The frame of content that replaces a screen, with or without navigation beside it. */
export function Apart({ children }: { children: ReactNode }) {
  return <div className={styles.apart}>{children}</div>;
}
