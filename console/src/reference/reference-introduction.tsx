import { apiUrl } from '../api/client';
import { CodeBlock } from '../ui/code-block';
import { Notice } from '../ui/notice';
import { Card } from '../ui/page';
import styles from './reference-page.module.css';

const FIRST_STEPS = [
  { id: 'listDatasets', text: 'Every dataset of the catalogue' },
  { id: 'showQueryForm', text: 'How to request a dataset' },
  { id: 'read_eq_daily_ohlc', text: 'Daily prices' },
  { id: 'showManifest', text: 'A whole result as files' },
  { id: 'showMyQuotas', text: 'Your usage and limits' },
] as const;

/** What holds for all operations. */
export function ReferenceIntroduction({ version, unknown }: { version: string; unknown: string }) {
  return (
    <>
      <header className={styles.head}>
        <h1 tabIndex={-1}>API reference</h1>
        <p className={styles.quiet}>
          Version {version} of the interface. Every operation, with its parameters, legal values and
          answers.
        </p>
      </header>
      {unknown !== '' && <Notice kind="warning">There is no operation “{unknown}”.</Notice>}
      <Card title="Addresses and keys">
        <p>
          All paths are below <code>{apiUrl()}</code>. Programs send their key in the header{' '}
          <code>X-API-KEY</code>; keys are made in the console, under API keys.
        </p>
        <CodeBlock
          text={`export TICKLAKE_KEY=…\ncurl --header "X-API-KEY: $TICKLAKE_KEY" '${apiUrl('/meta/datasets/my')}'`}
        />
        <p>
          More on <a href="/docs/http">the HTTP interface</a>, on{' '}
          <a href="/docs/queries">asking for rows</a>, and clients for{' '}
          <a href="/docs/clients/python">Python</a> and{' '}
          <a href="/docs/clients/typescript">TypeScript</a>. Programs read{' '}
          <a href={apiUrl('/openapi.json')}>the OpenAPI document</a>.
        </p>
      </Card>
      <Card title="Where to begin">
        <ul className={styles.steps}>
          {FIRST_STEPS.map(({ id, text }) => (
            <li key={id}>
              <a href={`#${id}`}>{text}</a>
            </li>
          ))}
        </ul>
      </Card>
    </>
  );
}
