import { useId, useState } from 'react';
import { apiUrl } from '../api/client';
import { CheckboxField } from '../ui/checkbox-field';
import { CopyButton } from '../ui/copy-button';
import type { DatasetShape } from './dataset-shape';
import type { ExplorerRequest } from './explorer-request';
import { pinnedTo } from './pinned-version';
import styles from './request-panel.module.css';
import type { Snippet } from './snippet';
import { snippetsOf } from './snippets';

function SnippetCard({ snippet }: { snippet: Snippet }) {
  const id = useId();
  return (
    <section className={styles.snippet} aria-labelledby={id}>
      <div className={styles.head}>
        <h2 id={id} className={styles.title}>
          {snippet.label}
        </h2>
        <CopyButton text={snippet.text} label={`Copy ${snippet.label}`} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll what has the focus */}
      <pre tabIndex={0} className={styles.code} data-snippet={snippet.name}>
        {snippet.text}
      </pre>
    </section>
  );
}

interface RequestPanelProps {
  request: ExplorerRequest;
  shape: DatasetShape;
  /** The version that it would read now; null while it is not known. */
  version: number | null;
}

/** The request of the form as it stands, ready to be copied. */
export function RequestPanel({ request, shape, version }: RequestPanelProps) {
  const [isPinned, setIsPinned] = useState(true);
  const known = version ? String(version) : null;
  const shown = isPinned ? pinnedTo(request, known) : request;
  return (
    <div className={styles.panel}>
      <p>
        Each program reads the API key from the environment variable <code>TICKLAKE_KEY</code>,
        reads all rows, and waits when a per-minute limit is reached. The clients are part of
        Ticklake.
      </p>
      {known !== null && pinnedTo(request, known) !== request && (
        <CheckboxField
          label={`Read version ${known}, whatever is published later`}
          name="pin"
          isChecked={isPinned}
          onCheckedChange={setIsPinned}
        />
      )}
      {snippetsOf(shown, shape, apiUrl()).map((snippet) => (
        <SnippetCard key={snippet.name} snippet={snippet} />
      ))}
    </div>
  );
}
