import { useRouter } from '@tanstack/react-router';
import { type RefObject, useEffect } from 'react';

/** After another screen was opened, the focus goes to its title, which is then read out. */
export function useFocusOnNavigation(content: RefObject<HTMLElement | null>): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        if (fromLocation === undefined || !pathChanged) return;
        const target = content.current?.querySelector('h1') ?? content.current;
        target?.focus({ preventScroll: true });
      }),
    [router, content],
  );
}
