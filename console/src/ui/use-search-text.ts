import { useEffect, useEffectEvent, useRef, useState } from 'react';

const PAUSE_MS = 250;

/**
 * A text that is kept elsewhere, such as in the address, once the person pauses typing. What changes
 * it there, such as going back, changes what is typed.
 */
export function useSearchText(kept: string, keep: (text: string) => void) {
  const [typed, setTyped] = useState(kept);
  const known = useRef(kept);
  const keepTyped = useEffectEvent((text: string) => {
    known.current = text;
    keep(text);
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
  return [typed, setTyped] as const;
}
