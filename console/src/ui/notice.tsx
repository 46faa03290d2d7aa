import { CircleAlert, CircleCheck, Info, type LucideIcon, TriangleAlert, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button } from './button';
import emptyStateStyles from './empty-state.module.css';
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

/** One of danger is read out at once. */
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

/** Stands where something will be, once there is something, and says what. */
export function EmptyState({ icon: Icon, children }: { icon: LucideIcon; children: ReactNode }) {
  return (
    <div className={emptyStateStyles.empty} role="status">
      <Icon size={24} aria-hidden className={emptyStateStyles.icon} />
      <p>{children}</p>
    </div>
  );
}

const KEY_START = 'ticklake-dismissed-';
const DISMISSED = 'yes';

function isKept(name: string): boolean {
  try {
    return localStorage.getItem(KEY_START + name) === DISMISSED;
  } catch {
    // Storage may be turned off; then it is remembered until the page is left.
    return false;
  }
}

function keep(name: string): void {
  try {
    localStorage.setItem(KEY_START + name, DISMISSED);
  } catch {
    // As above.
  }
}

export function useDismissed(name: string): readonly [boolean, () => void] {
  const [dismissedName, setDismissedName] = useState(isKept(name) ? name : null);
  const dismiss = () => {
    keep(name);
    setDismissedName(name);
  };
  return [dismissedName === name || isKept(name), dismiss];
}

export function DismissButton({ what, onDismiss }: { what: string; onDismiss: () => void }) {
  return (
    <Button kind="quiet" aria-label={`Dismiss “${what}”`} onClick={onDismiss}>
      <X size={16} aria-hidden />
    </Button>
  );
}
