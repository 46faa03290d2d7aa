import type { ReactNode } from 'react';
import styles from './two-lines.module.css';

/** A value, and below it quietly what belongs to it. */
export function TwoLines({ first, second }: { first: ReactNode; second: ReactNode }) {
  return (
    <span className={styles.lines}>
      <span>{first}</span>
      <span className={styles.second}>{second}</span>
    </span>
  );
}
