import { createContext, type RefObject } from 'react';

/** Asks whether what was typed may be lost, and calls `close` if so. */
type Guard = (close: () => void) => void;

/** What stands between a dialog and being closed: set by the form inside while it has something that is not sent. */
export const DialogGuard = createContext<RefObject<Guard | null> | null>(null);
