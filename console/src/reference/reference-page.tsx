import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { apiUrl, getJson } from '../api/client';
import { foundText } from '../format/texts';
import { CodeBlock } from '../ui/copy-button';
import { Card, Loaded, Notice } from '../ui/page';
import { SearchField } from '../ui/search-field';
import {
  groupedOperations,
  matchingOperations,
  namedOperation,
  type OpenApiDocument,
  type Operation,
  operationsOf,
} from './openapi';
import { MethodName, OperationDetail } from './operation-detail';
import styles from './reference-page.module.css';

function subscribe(listener: () => void): () => void {
  window.addEventListener('hashchange', listener);
  return () => window.removeEventListener('hashchange', listener);
}

function name(): string {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return '';
  }
}

/** The name after the `#` of the address; '' without one. */
function useNamedOperation(): string {
  return useSyncExternalStore(subscribe, name);
}

const FIRST_STEPS = [
  { id: 'listDatasets', text: 'Every dataset of the catalogue' },
  { id: 'showQueryForm', text: 'How to request a dataset' },
  { id: 'read_eq_daily_ohlc', text: 'Daily prices' },
  { id: 'showManifest', text: 'A whole result as files' },
  { id: 'showMyQuotas', text: 'Your usage and limits' },
] as const;

function ReferenceIntroduction({ version, unknown }: { version: string; unknown: string }) {
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

interface OperationListProps {
  operations: readonly Operation[];
  shownId: string;
}

function OperationList({ operations, shownId }: OperationListProps) {
  const [text, setText] = useState('');
  const found = matchingOperations(operations, text);
  const named = Map.groupBy(operations, ({ summary }) => summary);
  return (
    <nav className={styles.list} aria-label="Operations">
      <SearchField
        label="Search operations"
        name="operations"
        placeholder="Name, path or word"
        value={text}
        onValueChange={setText}
      />
      <p role="status" className={styles.count}>
        {foundText(found.length, operations.length, 'operation')}
      </p>
      {groupedOperations(found).map((group) => (
        <section key={group.title} aria-label={group.title}>
          <h2>{group.title}</h2>
          <ul>
            {group.operations.map(({ id, method, summary, path }) => (
              <li key={id}>
                <a href={`#${id}`} aria-current={id === shownId ? 'page' : undefined}>
                  <MethodName method={method} />
                  <span>
                    {summary}
                    {named.get(summary)!.length > 1 && <code>{path}</code>}
                  </span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}

function Reference({ document: api }: { document: OpenApiDocument }) {
  const name = useNamedOperation();
  const operations = useMemo(() => operationsOf(api), [api]);
  const shown = namedOperation(operations, name);
  const content = useRef<HTMLElement>(null);
  useEffect(() => {
    document.title = `${shown?.summary ?? 'API reference'} – API reference`;
    if (name === '') return;
    window.scrollTo(0, 0);
    content.current?.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
  }, [shown, name]);
  return (
    <div className={styles.frame}>
      <main ref={content} className={styles.content}>
        {shown ? (
          <OperationDetail key={shown.id} operation={shown} schemas={api.components.schemas} />
        ) : (
          <ReferenceIntroduction version={api.info.version} unknown={name} />
        )}
      </main>
      <OperationList operations={operations} shownId={shown?.id ?? ''} />
    </div>
  );
}

export function ReferencePage() {
  const api = useQuery({
    queryKey: ['openapi'],
    queryFn: ({ signal }) => getJson<OpenApiDocument>('/openapi.json', signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (api.data) return <Reference document={api.data} />;
  return (
    <main className={styles.loading}>
      <h1>API reference</h1>
      <Loaded query={api} what={`the description of ${apiUrl()}`}>
        {() => null}
      </Loaded>
    </main>
  );
}
