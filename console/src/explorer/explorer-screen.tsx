import { useQuery } from '@tanstack/react-query';
import type { DataScan } from '@ticklake/client';
import { Play } from 'lucide-react';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { queryShapeQuery } from '../api/queries';
import { bytesText, countText } from '../format/amounts';
import { Button } from '../ui/button';
import { Loaded } from '../ui/loading';
import { Notice } from '../ui/notice';
import { Card, Page } from '../ui/page';
import { type DatasetShape, identifierColumns } from './dataset-shape';
import { DownloadPanel } from './download-panel';
import { requestOf, requestPath } from './explorer-request';
import styles from './explorer-screen.module.css';
import { DatasetChoice, QueryFields } from './query-form';
import formStyles from './query-form.module.css';
import { hasProblems, queryProblems } from './query-problems';
import { refusedFields } from './refused-fields';
import { Results } from './results';
import { type ExplorerQueryState, useExplorerQuery } from './use-explorer-query';
import { useLastDate } from './use-last-date';
import { useRun } from './use-run';
import { useScan } from './use-scan';

function scanText(scan: DataScan | null, isAsking: boolean): string {
  if (scan === null) return isAsking ? 'Estimating what the query scans…' : '';
  const { rows_scanned: rows, bytes_scanned: bytes } = scan;
  return `Scans ${countText(rows)} rows, ${bytesText(bytes)}`;
}

/** Which problems are shown: what is not there yet only once it was tried to run. */
function useProblems(state: ExplorerQueryState, shape: DatasetShape) {
  const { query } = state;
  const [isTried, setIsTried] = useState(false);
  const request = requestOf(query, shape);
  const { wrong, missing } = queryProblems(query, shape);
  const isAskable = !hasProblems(wrong) && !hasProblems(missing);
  const { scan, error, isAsking } = useScan(
    isAskable && shape.is_entitled ? requestPath(request, {}, 'data-scan') : null,
  );
  const refused = refusedFields(error, request, identifierColumns(shape) !== null);
  const problems = { ...refused, ...(isTried ? missing : {}), ...wrong };
  return { request, problems, isAskable, setIsTried, scan, isAsking };
}

function focusFirstInvalid(form: HTMLFormElement | null): void {
  form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
}

/** The form is about as tall as a screen: who runs it shall see that something happened. */
function showResults(results: HTMLElement | null): void {
  results?.scrollIntoView({ block: 'nearest' });
}

function Explorer({ state, shape }: { state: ExplorerQueryState; shape: DatasetShape }) {
  const { query, edit, isRun, markRun } = state;
  const { request, problems, isAskable, setIsTried, scan, isAsking } = useProblems(state, shape);
  const { run, start } = useRun();
  const formRef = useRef<HTMLFormElement>(null);
  const resultsRef = useRef<HTMLDivElement>(null);
  const path = requestPath(request);
  useLastDate(query, shape, edit);
  const check = () => {
    setIsTried(true);
    if (!isAskable) setTimeout(() => focusFirstInvalid(formRef.current));
    return isAskable;
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!check()) return;
    markRun();
    start(request, shape);
    setTimeout(() => showResults(resultsRef.current));
  };
  // An address that was sent by others, reloaded or gone back to shows its rows.
  useEffect(() => {
    if (isRun && isAskable && run?.path !== path) start(request, shape);
    // The path says all of the request.
  }, [isRun, path]);
  return (
    <>
      <Card>
        <form ref={formRef} className={formStyles.form} onSubmit={submit} noValidate>
          <QueryFields
            query={query}
            edit={edit}
            shape={shape}
            problems={problems}
            version={scan?.dataset_version ?? null}
          />
          {/* The results show what was refused of the query that was run. */}
          {problems[''] && run?.path !== path && <Notice kind="danger">{problems['']}</Notice>}
          <div className={styles.actions}>
            <Button kind="primary" type="submit">
              <Play size={16} aria-hidden />
              Run
            </Button>
            <p className={styles.scan} role="status">
              {scanText(scan, isAsking)}
            </p>
            <DownloadPanel
              request={request}
              shape={shape}
              rowsScanned={scan?.rows_scanned ?? null}
              check={check}
            />
          </div>
        </form>
      </Card>
      <div ref={resultsRef} className={run === null ? '' : styles.results}>
        <Results
          tab={state.tab}
          openTab={state.openTab}
          run={run}
          request={request}
          path={path}
          shape={shape}
          version={scan?.dataset_version ?? null}
        />
      </div>
    </>
  );
}

export function ExplorerScreen() {
  const state = useExplorerQuery();
  const { query, replaceQuery } = state;
  const shape = useQuery({ ...queryShapeQuery(query.dataset), enabled: query.dataset !== '' });
  return (
    <Page
      title="Explorer"
      description="Query a dataset, view the rows as a table or a chart, and copy the request as code."
    >
      <Card>
        <DatasetChoice query={query} replaceQuery={replaceQuery} />
      </Card>
      {query.dataset !== '' && (
        <Loaded query={shape} what="this dataset">
          {(loaded) => <Explorer key={loaded.segment} state={state} shape={loaded} />}
        </Loaded>
      )}
    </Page>
  );
}
