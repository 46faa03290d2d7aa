import styles from './name-mark.module.css';

/** Ticks above a lake that mirrors them, and the name. */
export function NameMark() {
  return (
    <span className={styles.mark}>
      <svg viewBox="0 0 32 32" className={styles.sign} aria-hidden>
        <rect width="32" height="32" rx="8" className={styles.night} />
        <path d="M0 19h32v5a8 8 0 0 1-8 8H8a8 8 0 0 1-8-8z" className={styles.lake} />
        <path d="M8 17v-4M13.3 17V9M18.7 17V6M24 17v-6.5" className={styles.ticks} />
        <path d="M8 22v2.5M13.3 22v4.5M18.7 22v6M24 22v3.5" className={styles.mirrored} />
      </svg>
      Ticklake
    </span>
  );
}
