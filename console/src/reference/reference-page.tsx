import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import { apiUrl, getJson } from '../api/client';
import { Loaded } from '../ui/loading';
import { namedOperation, type OpenApiDocument, operationsOf } from './openapi';
import { OperationDetail } from './operation-detail';
import { OperationList } from './operation-list';
import { ReferenceIntroduction } from './reference-introduction';
import styles from './reference-page.module.css';
import { useNamedOperation } from './use-named-operation';

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

/** Every operation of the interface, as the document that the server makes describes it. */
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
