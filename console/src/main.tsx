import { CSPProvider } from '@base-ui/react/csp-provider';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { clientState } from './api/client';
import { applyStoredTheme } from './layout/theme-choice';
import { router } from './router';
import { forgetSession } from './session/end-session';
import './theme.css';

interface ConsoleConfig {
  readonly api: string;
}

async function start(container: HTMLElement): Promise<void> {
  applyStoredTheme();
  const response = await fetch(`${import.meta.env.BASE_URL}config.json`);
  const { api } = (await response.json()) as ConsoleConfig;
  clientState.apiPath = api;
  clientState.onSignedOut = () => {
    forgetSession();
    void router.invalidate();
  };
  createRoot(container).render(
    <StrictMode>
      <CSPProvider disableStyleElements>
        <RouterProvider router={router} />
      </CSPProvider>
    </StrictMode>,
  );
}

const container = document.getElementById('root');
if (container === null) throw new Error('index.html has no #root');
void start(container);
