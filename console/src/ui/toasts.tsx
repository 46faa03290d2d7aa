import { lazy, Suspense } from 'react';
import { loadPart } from '../api/server-back';
import { useStore } from '../api/store';
import { untold } from './news';

/** The list comes with the first news: screens should not wait for it. */
const ToastList = lazy(() =>
  loadPart(() => import('./toast-list')).then(({ ToastList: list }) => ({ default: list })),
);

export function Toasts() {
  if (useStore(untold) === null) return null;
  return (
    <Suspense>
      <ToastList />
    </Suspense>
  );
}
