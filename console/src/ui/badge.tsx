import { sentenceCase } from '../format/words';
import styles from './badge.module.css';

export type BadgeKind = 'good' | 'warning' | 'danger' | 'quiet';

/** A state in a word or two, with a capital; the colour only repeats what the word says. */
export function Badge({ kind, children }: { kind: BadgeKind; children: string }) {
  return <span className={`${styles.badge} ${styles[kind]}`}>{sentenceCase(children)}</span>;
}
