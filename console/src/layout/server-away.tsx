import { useServerBack } from '../api/server-back';
import { Notice } from '../ui/notice';
import { Page } from '../ui/page';
import { Apart } from './apart';

/** In place of what cannot be shown until the server answers. */
export function ServerAway({ onBack }: { onBack: () => void }) {
  useServerBack(true, onBack);
  return (
    <Apart>
      <Page title="Can’t reach the server">
        <Notice kind="warning">
          It may be starting up or unreachable. This page retries every two seconds and continues
          when the server is back.
        </Notice>
      </Page>
    </Apart>
  );
}
