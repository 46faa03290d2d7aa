import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { type ContextType, createContext, type ReactNode, type RefObject, useRef } from 'react';
import styles from './dialog.module.css';

/** Asks whether what was typed may be lost, and calls `close` if so. */
type Guard = (close: () => void) => void;

/** Set by the form inside while it has something that is not sent. */
export const DialogGuard = createContext<RefObject<Guard | null> | null>(null);

interface DialogProps {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  description?: ReactNode;
  children?: ReactNode;
  /** False: only a button inside closes it, for what must not be lost by a stray click. */
  isDismissible?: boolean;
  /** For fields that stand in two columns. */
  isWide?: boolean;
}

const FIELDS = 'input, textarea';

/**
 * A modal dialog: the focus stays inside and returns to where it came from. Escape, the cross and a
 * click outside ask first if a form inside has something that is not sent; a form's own Cancel does
 * not.
 */
export function Dialog({
  isOpen,
  onClose,
  title,
  description,
  children,
  isDismissible = true,
  isWide = false,
}: DialogProps) {
  const popup = useRef<HTMLDivElement>(null);
  const guard: ContextType<typeof DialogGuard> = useRef(null);
  // Fields come before the button that closes the dialog.
  const firstField = () => popup.current?.querySelector<HTMLElement>(FIELDS) ?? true;
  return (
    <BaseDialog.Root
      open={isOpen}
      disablePointerDismissal={!isDismissible}
      onOpenChange={(open, details) => {
        if (open) return;
        if (!isDismissible && details.reason === 'escape-key') return;
        if (guard.current) guard.current(onClose);
        else onClose();
      }}
    >
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className={styles.backdrop} />
        <BaseDialog.Popup
          ref={popup}
          className={`${styles.popup} ${isWide ? styles.wide : ''}`}
          initialFocus={firstField}
        >
          <div className={styles.head}>
            <BaseDialog.Title className={styles.title}>{title}</BaseDialog.Title>
            {isDismissible && (
              <BaseDialog.Close className={styles.close} aria-label="Close">
                <X size={18} aria-hidden />
              </BaseDialog.Close>
            )}
          </div>
          {description && (
            <BaseDialog.Description className={styles.description}>
              {description}
            </BaseDialog.Description>
          )}
          <DialogGuard value={guard}>{children}</DialogGuard>
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}

export function DialogActions({ children }: { children: ReactNode }) {
  return <div className={styles.actions}>{children}</div>;
}
