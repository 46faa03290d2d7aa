import { CSPProvider } from '@base-ui/react/csp-provider';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { clientState, loadSiteConfig } from './api/client';
import { ServerAway } from './layout/server-away';
import { applyStoredTheme } from './layout/theme-choice';
import { router } from './router';
import { forgetSession } from './session/session';
import './theme.css';

/** Learns where the interface is; false where the server does not answer. */
async function configure(): Promise<boolean> {
  return (await loadSiteConfig()) !== null;
}

function Console({ first }: { first: boolean }) {
  const [isConfigured, setConfigured] = useState(first);
  if (isConfigured) return <RouterProvider router={router} />;
  return <ServerAway onBack={async () => setConfigured(await configure())} />;
}

async function start(container: HTMLElement): Promise<void> {
  applyStoredTheme();
  // The line is idle until the screen asks for its data.
  document.fonts.load('1em Inter').catch(() => undefined);
  clientState.onSignedOut = () => {
    forgetSession();
    void router.invalidate();
  };
  // Not in a component that suspends: React would hold back what follows for 300 ms.
  const isConfigured = await configure();
  createRoot(container).render(
    <StrictMode>
      <CSPProvider disableStyleElements>
        <Console first={isConfigured} />
      </CSPProvider>
    </StrictMode>,
  );
}

const container = document.getElementById('root');
if (container === null) throw new Error('index.html has no #root');
void start(container);
