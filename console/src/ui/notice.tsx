import { CircleAlert, CircleCheck, Info, TriangleAlert, X } from 'lucide-react';
import type { ReactNode } from 'react';
import styles from './notice.module.css';

const ICONS = {
  info: Info,
  warning: TriangleAlert,
  danger: CircleAlert,
  good: CircleCheck,
} as const;

interface NoticeProps {
  kind: keyof typeof ICONS;
  title?: string;
  /** Puts the notice away; absent: it stays. */
  onDismiss?: () => void;
  children?: ReactNode;
}

/** A message in the flow of the page, with the sign of its kind; one of danger is read out at once. */
export function Notice({ kind, title, onDismiss, children }: NoticeProps) {
  const Icon = ICONS[kind];
  return (
    <div
      className={`${styles.notice} ${styles[kind]}`}
      role={kind === 'danger' ? 'alert' : 'status'}
    >
      <Icon size={18} aria-hidden className={styles.icon} />
      <div className={styles.body}>
        {title && <strong>{title}</strong>}
        {children && <div>{children}</div>}
      </div>
      {onDismiss && (
        <button type="button" className={styles.dismiss} aria-label="Dismiss" onClick={onDismiss}>
          <X size={16} aria-hidden />
        </button>
      )}
    </div>
  );
}
