import { ChevronRight } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import styles from './disclosure.module.css';

export function Disclosure({ label, children }: { label: ReactNode; children: ReactNode }) {
  const [isOpen, setIsOpen] = useState(false);
  const panelId = useId();
  return (
    <div className={styles.disclosure}>
      <button
        type="button"
        className={styles.trigger}
        aria-expanded={isOpen}
        aria-controls={isOpen ? panelId : undefined}
        onClick={() => setIsOpen(!isOpen)}
      >
        <ChevronRight size={16} aria-hidden className={styles.icon} />
        {label}
      </button>
      {isOpen && (
        <div id={panelId} className={styles.panel}>
          {children}
        </div>
      )}
    </div>
  );
}
