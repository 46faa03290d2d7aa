import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, StrictMode, Suspense, use } from 'react';
import { createRoot } from 'react-dom/client';
import { loadSiteConfig, type SiteConfig } from '../api/client';
import { queryClient } from '../api/queries';
import { applyStoredTheme } from '../layout/theme-choice';
import '../theme.css';

type Shown = (config: SiteConfig | null) => ReactNode;

function Configured({ first, children }: { first: Promise<SiteConfig | null>; children: Shown }) {
  return children(use(first));
}

/** Shows in the element of this id what `children` make of the configuration; null: it is away. */
export function startPage(id: string, children: Shown): void {
  applyStoredTheme();
  const container = document.getElementById(id);
  if (container === null) throw new Error(`the page has no #${id}`);
  createRoot(container).render(
    <StrictMode>
      <CSPProvider disableStyleElements>
        <QueryClientProvider client={queryClient}>
          <Suspense>
            <Configured first={loadSiteConfig()}>{children}</Configured>
          </Suspense>
        </QueryClientProvider>
      </CSPProvider>
    </StrictMode>,
  );
}
