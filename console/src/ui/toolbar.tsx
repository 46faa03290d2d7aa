import type { ReactNode } from 'react';
import styles from './toolbar.module.css';

interface ToolbarProps {
  label: string;
  /** Gives all fields the same width; without it, the first one takes what is left. */
  isEven?: boolean;
  children: ReactNode;
}

/** Fields side by side that choose what a list shows. */
export function Toolbar({ label, isEven, children }: ToolbarProps) {
  return (
    <search aria-label={label} className={`${styles.toolbar} ${isEven ? '' : styles.led}`}>
      {children}
    </search>
  );
}
