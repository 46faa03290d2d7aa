import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
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

const PAUSE_MS = 250;

interface TextOfField {
  readonly value: string;
  readonly onValueChange: (text: string) => void;
}

/**
 * The field of a text that is kept elsewhere, such as in the address, once the person pauses
 * typing. What changes it there, such as going back, changes what is typed.
 */
export function useSearchText<F extends TextOfField>(field: F): F {
  const { value: kept, onValueChange: keep } = field;
  const [typed, setTyped] = useState(kept);
  const known = useRef(kept);
  const keepTyped = useEffectEvent((text: string) => {
    known.current = text;
    keep(text.trim() && text);
  });
  useEffect(() => {
    if (kept === known.current) return;
    known.current = kept;
    setTyped(kept);
  }, [kept]);
  useEffect(() => {
    if (typed === known.current) return;
    const timer = setTimeout(() => keepTyped(typed), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return { ...field, value: typed, onValueChange: setTyped };
}
