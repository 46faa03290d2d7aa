import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import styles from './empty-state.module.css';

/** Stands where something will be, once there is something, and says what. */
export function EmptyState({ icon: Icon, children }: { icon: LucideIcon; children: ReactNode }) {
  return (
    <div className={styles.empty} role="status">
      <Icon size={24} aria-hidden className={styles.icon} />
      <p>{children}</p>
    </div>
  );
}
