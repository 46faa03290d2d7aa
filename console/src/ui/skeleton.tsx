import styles from './skeleton.module.css';

/** As wide as the lines of a text are. */
const LINE_WIDTHS = [styles.long, styles.middle, styles.long, styles.short] as const;

/** The place of something that is being loaded. Said to screen readers; shown only where loading takes a while. */
export function Skeleton({ what }: { what: string }) {
  return (
    <div role="status" className={styles.skeleton}>
      <span className="visually-hidden">Loading {what}…</span>
      {LINE_WIDTHS.map((width, at) => (
        <span key={at} className={`${styles.line} ${width}`} aria-hidden />
      ))}
    </div>
  );
}
