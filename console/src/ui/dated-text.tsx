import { Fragment } from 'react';
import styles from './dated-text.module.css';

const DATES = /(\d{4}-\d{2}(?:-\d{2})?)/;

/** A text whose dates are not broken into two lines: browsers break after their hyphens. */
export function DatedText({ text }: { text: string }) {
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
