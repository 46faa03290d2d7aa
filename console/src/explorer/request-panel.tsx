import { useState } from 'react';
import { apiUrl } from '../api/client';
import { CheckboxField } from '../ui/checkbox-field';
import { CodeBlock, CopyButton } from '../ui/copy-button';
import { Tabs } from '../ui/tabs';
import type { DatasetShape } from './dataset-shape';
import type { ExplorerRequest } from './explorer-request';
import { pinnedTo } from './pinned-pages';
import styles from './request-panel.module.css';
import { type Snippet, sharedLink, snippetsOf } from './snippets';

const shownAs = ({ text, label }: Snippet) => ({ text, label, copyLabel: `Copy ${label}` });

interface RequestPanelProps {
  request: ExplorerRequest;
  shape: DatasetShape;
  /** The version that it would read now; null while it is not known. */
  version: number | null;
}

/** All but the address, which is no program. */
function Programs({ snippets }: { snippets: readonly Snippet[] }) {
  const programs = snippets.filter(({ name }) => name !== 'url');
  const [chosen, setChosen] = useState('');
  const open = programs.some(({ name }) => name === chosen) ? chosen : (programs[0]?.name ?? '');
  return (
    <Tabs
      label="Programs"
      open={open}
      onOpenChange={setChosen}
      tabs={programs.map((program) => ({
        name: program.name as string,
        label: program.label,
        content: () => <CodeBlock {...shownAs(program)} />,
      }))}
    />
  );
}

export function RequestPanel({ request, shape, version }: RequestPanelProps) {
  const [isPinned, setIsPinned] = useState(true);
  const known = version ? String(version) : null;
  const shown = isPinned ? pinnedTo(request, known) : request;
  const canPin = known !== null && pinnedTo(request, known) !== request;
  const snippets = snippetsOf(shown, shape, apiUrl());
  const address = snippets.find(({ name }) => name === 'url');
  return (
    <div className={styles.panel}>
      <div className={styles.head}>
        {canPin && (
          <CheckboxField
            label={`Pin version ${known}, even when newer data is published`}
            name="pin"
            value={isPinned}
            onValueChange={setIsPinned}
          />
        )}
        <CopyButton
          text={sharedLink(location.href, canPin && isPinned ? known : null)}
          label="Copy link to these rows"
        />
      </div>
      {address && <CodeBlock {...shownAs(address)} isWrapped />}
      <Programs snippets={snippets} />
      <p className={styles.note}>
        Each program reads the API key from the environment variable <code>TICKLAKE_KEY</code>,
        reads all rows, and waits when a per-minute limit is reached. The clients are part of
        Ticklake.
      </p>
    </div>
  );
}
