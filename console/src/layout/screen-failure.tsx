import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { mayHelpToRetry, ServerUnreachable } from '../api/api-failure';
import { Button } from '../ui/button';
import { Notice } from '../ui/notice';
import { Page } from '../ui/page';
import { Apart } from './apart';
import { ServerAway } from './server-away';

/** A screen that could not be shown; the rest of the console goes on. */
export function ScreenFailure({ error }: ErrorComponentProps) {
  const router = useRouter();
  if (error instanceof ServerUnreachable) {
    return <ServerAway onBack={() => void router.invalidate()} />;
  }
  return (
    <Apart>
      <Page title="Couldn’t show this page">
        <Notice kind="danger">{error instanceof Error ? error.message : String(error)}</Notice>
        {mayHelpToRetry(error) && (
          <div>
            <Button onClick={() => void router.invalidate()}>Try again</Button>
          </div>
        )}
      </Page>
    </Apart>
  );
}

export function NotFound() {
  return (
    <main>
      <Apart>
        <Page title="Page not found">
          <p>
            <Link to="/">Go to the overview</Link>
          </p>
        </Page>
      </Apart>
    </main>
  );
}
