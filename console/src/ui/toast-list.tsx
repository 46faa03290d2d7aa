import { Toast } from '@base-ui/react/toast';
import { X } from 'lucide-react';
import { useEffect } from 'react';
import { useStore } from '../api/store';
import { untold } from './news';
import styles from './toasts.module.css';

/** Not the dialog that the library makes of a toast: it asks nothing. */
const GROUP = { role: 'group', 'aria-modal': undefined } as const;

function Toasts() {
  const { toasts, add } = Toast.useToastManager();
  const news = useStore(untold);
  useEffect(() => {
    if (!news?.length) return;
    untold.set([]);
    for (const each of news) add(each);
  }, [news, add]);
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

export function ToastList() {
  return (
    <Toast.Provider>
      <Toasts />
    </Toast.Provider>
  );
}
