import { ChevronLeft } from 'lucide-react';
import { Fragment, type ReactNode, useEffect } from 'react';
import styles from './dated-text.module.css';

const DATES = /(\d{4}-\d{2}(?:-\d{2})?)/;

/** A text whose dates are not broken into two lines: browsers break after their hyphens. */
function DatedText({ text }: { text: string }) {
  // Every second part is a date.
  return text.split(DATES).map((part, at) =>
    at % 2 === 1 ? (
      <span key={at} className={styles.date}>
        {part}
      </span>
    ) : (
      <Fragment key={at}>{part}</Fragment>
    ),
  );
}

interface PageProps {
  title: string;
  back?: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
}

/** The frame of a screen: its title, also the document's, and what can be done on it. */
export function Page({ title, back, description, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} – Ticklake`;
  }, [title]);
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <div>
          {back && (
            <p className={styles.back}>
              <ChevronLeft size={16} aria-hidden />
              {back}
            </p>
          )}
          {/* Takes the focus when the screen was opened from another one. */}
          <h1 tabIndex={-1}>
            <DatedText text={title} />
          </h1>
          {description && <p className={styles.description}>{description}</p>}
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

interface CardProps {
  title?: string;
  actions?: ReactNode;
  children: ReactNode;
}

export function Card({ title, actions, children }: CardProps) {
  return (
    <section className={styles.card}>
      {title && (
        <div className={styles.cardHead}>
          <h2>
            <DatedText text={title} />
          </h2>
          {actions}
        </div>
      )}
      {children}
    </section>
  );
}
