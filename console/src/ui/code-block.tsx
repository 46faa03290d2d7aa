import styles from './code-block.module.css';
import { CopyButton } from './copy-button';

/** Text of a program, with a button that copies it. */
export function CodeBlock({ text, label = 'Code' }: { text: string; label?: string }) {
  return (
    <div className={styles.block}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll what has the focus */}
      <section className={`scroll-edges ${styles.scroll}`} tabIndex={0} aria-label={label}>
        <pre className={styles.code}>
          <code>{text}</code>
        </pre>
      </section>
      <div className={styles.copy}>
        <CopyButton text={text} />
      </div>
    </div>
  );
}
