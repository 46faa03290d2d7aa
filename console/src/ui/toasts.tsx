import { Toast } from '@base-ui/react/toast';
import { X } from 'lucide-react';
import styles from './toasts.module.css';

/** Short news of what was done; `useToasts().add({ title })` from any screen. */
export const useToasts = Toast.useToastManager;

export const ToastProvider = Toast.Provider;

/** Not the dialog that the library makes of a toast: it asks nothing. */
const GROUP = { role: 'group', 'aria-modal': undefined } as const;

export function ToastList() {
  const { toasts } = Toast.useToastManager();
  return (
    <Toast.Portal>
      <Toast.Viewport className={styles.viewport}>
        {toasts.map((toast) => (
          <Toast.Root key={toast.id} toast={toast} className={styles.toast} {...GROUP}>
            <Toast.Content className={styles.content}>
              <div>
                <Toast.Title className={styles.title} />
                <Toast.Description className={styles.description} />
              </div>
              <Toast.Close className={styles.close} aria-label="Dismiss">
                <X size={16} aria-hidden />
              </Toast.Close>
            </Toast.Content>
          </Toast.Root>
        ))}
      </Toast.Viewport>
    </Toast.Portal>
  );
}
