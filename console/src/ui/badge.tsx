import styles from './badge.module.css';

export type BadgeKind = 'good' | 'warning' | 'danger' | 'quiet';

/** A state in one word; the colour only repeats what the word says. */
export function Badge({ kind, children }: { kind: BadgeKind; children: string }) {
  return <span className={`${styles.badge} ${styles[kind]}`}>{children}</span>;
}
