import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { ServerUnreachable } from '../api/api-failure';
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
      <Page title="This screen could not be shown">
        <Notice kind="danger">{error instanceof Error ? error.message : String(error)}</Notice>
        <div>
          <Button onClick={() => void router.invalidate()}>Try again</Button>
        </div>
      </Page>
    </Apart>
  );
}

export function NotFound() {
  return (
    <main>
      <Apart>
        <Page title="There is no such screen">
          <p>
            <Link to="/">To the overview</Link>
          </p>
        </Page>
      </Apart>
    </main>
  );
}
