/** What a person has seen once and put away: remembered in this browser. */
import { X } from 'lucide-react';
import { useState } from 'react';
import { Button } from './button';

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

/** Whether `name` was put away, and putting it away. */
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
