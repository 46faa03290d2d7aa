import { useServerBack } from '../api/server-back';
import { Notice } from '../ui/notice';
import { Page } from '../ui/page';
import { Apart } from './apart';

/** In place of what cannot be shown until the server answers. */
export function ServerAway({ onBack }: { onBack: () => void }) {
  useServerBack(true, onBack);
  return (
    <Apart>
      <Page title="The server does not answer">
        <Notice kind="warning">
          It may be starting, or out of reach. This page asks again every two seconds and goes on by
          itself.
        </Notice>
      </Page>
    </Apart>
  );
}
