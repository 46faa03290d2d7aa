import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from './button';
import styles from './code-block.module.css';

const SHOWN_MS = 2000;

type Outcome = 'copied' | 'refused' | null;

const OUTCOME_TEXTS = { copied: 'Copied', refused: 'Select the text to copy it' };

/** Browsers have no clipboard for pages that came neither over https nor from this machine. */
async function copied(text: string): Promise<Outcome> {
  try {
    await navigator.clipboard.writeText(text);
    return 'copied';
  } catch {
    return 'refused';
  }
}

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [outcome, setOutcome] = useState<Outcome>(null);
  useEffect(() => {
    if (outcome === null) return;
    const timer = setTimeout(() => setOutcome(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  return (
    <Button
      icon={outcome === 'copied' ? Check : Copy}
      onClick={async () => setOutcome(await copied(text))}
    >
      <span aria-live="polite">{outcome === null ? label : OUTCOME_TEXTS[outcome]}</span>
    </Button>
  );
}

interface CodeBlockProps {
  text: string;
  label?: string;
  copyLabel?: string;
  /** Long lines are broken, as of an address. */
  isWrapped?: boolean;
}

export function CodeBlock(props: CodeBlockProps) {
  const { text, label = 'Code', copyLabel = 'Copy', isWrapped = false } = props;
  return (
    <div className={styles.block}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll what has the focus */}
      <section className={`scroll-edges ${styles.scroll}`} tabIndex={0} aria-label={label}>
        <pre className={`${styles.code} ${isWrapped ? styles.wrapped : ''}`}>
          <code>{text}</code>
        </pre>
      </section>
      <div className={styles.copy}>
        <CopyButton text={text} label={copyLabel} />
      </div>
    </div>
  );
}
