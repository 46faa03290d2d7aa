import { CSPProvider } from '@base-ui/react/csp-provider';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, Suspense, use, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { clientState, loadSiteConfig } from './api/client';
import { ServerAway } from './layout/server-away';
import { applyStoredTheme } from './layout/theme-choice';
import { loadScreen, router } from './router';
import { forgetSession } from './session/session';
import './theme.css';

/** Learns where the interface is; false where the server does not answer. */
async function configure(): Promise<boolean> {
  return (await loadSiteConfig()) !== null;
}

function Console({ first }: { first: Promise<boolean> }) {
  const [configured, setConfigured] = useState(first);
  if (use(configured)) return <RouterProvider router={router} />;
  return <ServerAway onBack={() => setConfigured(configure())} />;
}

function start(container: HTMLElement): void {
  applyStoredTheme();
  loadScreen();
  clientState.onSignedOut = () => {
    forgetSession();
    void router.invalidate();
  };
  createRoot(container).render(
    <StrictMode>
      <CSPProvider disableStyleElements>
        <Suspense>
          <Console first={configure()} />
        </Suspense>
      </CSPProvider>
    </StrictMode>,
  );
}

const container = document.getElementById('root');
if (container === null) throw new Error('index.html has no #root');
start(container);
