import type { ReactNode } from 'react';
import styles from './notice.module.css';

interface NoticeProps {
  kind: 'info' | 'warning' | 'danger' | 'good';
  title?: string;
  children?: ReactNode;
}

/** A message in the flow of the page; one of danger is read out at once. */
export function Notice({ kind, title, children }: NoticeProps) {
  return (
    <div
      className={`${styles.notice} ${styles[kind]}`}
      role={kind === 'danger' ? 'alert' : 'status'}
    >
      {title && <strong>{title}</strong>}
      {children && <div>{children}</div>}
    </div>
  );
}
