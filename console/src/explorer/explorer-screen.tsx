import { useQuery } from '@tanstack/react-query';
import type { DataScan } from '@ticklake/client';
import { Play } from 'lucide-react';
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { AskForAccess } from '../access/ask-for-access';
import { queryShapeQuery } from '../api/queries';
import { bytesText, plural } from '../format/amounts';
import { Button } from '../ui/button';
import { Loaded } from '../ui/loading';
import { Notice } from '../ui/notice';
import { Page } from '../ui/page';
import { ContractFields } from './contract-fields';
import { DatasetList } from './dataset-list';
import { type DatasetShape, identifierColumns } from './dataset-shape';
import { DownloadPanel } from './download-panel';
import { requestOf, requestPath } from './explorer-request';
import screenStyles from './explorer-screen.module.css';
import { MoreButton } from './more-button';
import { hasHiddenProblem } from './more-text';
import { DatasetChoice, LineFields, MoreFields } from './query-form';
import styles from './query-form.module.css';
import { hasProblems, queryProblems } from './query-problems';
import { refusedFields } from './refused-fields';
import { Results } from './results';
import { type ExplorerQueryState, useExplorerQuery } from './use-explorer-query';
import { useForgivenCase } from './use-forgiven-case';
import { useLastDate } from './use-last-date';
import { useRun } from './use-run';
import { useScan } from './use-scan';

/** Part of the window's height below which results are scrolled to. */
const RESULTS_TOP_MAX = 0.6;

function scanText(scan: DataScan | null, isAsking: boolean): string {
  if (scan === null) return isAsking ? 'Estimating what the query scans…' : '';
  const { rows_scanned: rows, bytes_scanned: bytes, is_exact: isExact } = scan;
  return `Scans ${isExact ? '' : 'at most '}${plural(rows, 'row')}, ${bytesText(bytes)}`;
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

/** With "More" open, the results may lie below the screen: who runs a query shall see that something happened. */
function showResults(results: HTMLElement | null): void {
  const { top } = results?.getBoundingClientRect() ?? { top: 0 };
  if (top > innerHeight * RESULTS_TOP_MAX) results?.scrollIntoView();
}

/** What the chart shows is part of the address, too; another variant is another dataset. */
function chartControls({ chart, chooseChart, edit }: ExplorerQueryState) {
  const onVariant = (dataset: string) => edit({ dataset, version: '' }, true);
  return { choice: chart, onChoice: chooseChart, onVariant };
}

function Explorer({ state, shape }: { state: ExplorerQueryState; shape: DatasetShape }) {
  const { query, edit, isRun, markRun } = state;
  const { request, problems, isAskable, setIsTried, scan, isAsking } = useProblems(state, shape);
  const { run, start } = useRun();
  const [isMoreOpen, setIsMoreOpen] = useState(false);
  const moreId = useId();
  const formRef = useRef<HTMLFormElement>(null);
  const resultsRef = useRef<HTMLDivElement>(null);
  const path = requestPath(request);
  const version = scan?.dataset_version ?? null;
  const isMoreShown = isMoreOpen || hasHiddenProblem(problems);
  useLastDate(query, shape, edit);
  useForgivenCase(run, state, path);
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
  // An address that was sent by others, reloaded or gone back to shows its rows, or what it lacks for that.
  useEffect(() => {
    if (!isRun || run?.path === path) return;
    if (isAskable) start(request, shape);
    else setIsTried(true);
    // The path says all of the request.
  }, [isRun, path]);
  return (
    <>
      <form ref={formRef} className={styles.form} onSubmit={submit} noValidate>
        <LineFields query={query} edit={edit} shape={shape} problems={problems} />
        <div className={styles.run}>
          <Button kind="primary" type="submit">
            <Play size={16} aria-hidden />
            Run
          </Button>
        </div>
        <ContractFields query={query} edit={edit} shape={shape} />
        <div className={`${styles.wholeLine} ${styles.actions}`}>
          <MoreButton
            query={query}
            isOpen={isMoreShown}
            onOpenChange={setIsMoreOpen}
            controls={moreId}
          />
          <p className={screenStyles.scan} role="status">
            {scanText(scan, isAsking)}
          </p>
          <DownloadPanel
            request={request}
            shape={shape}
            rowsScanned={scan?.rows_scanned ?? null}
            rowCountMax={scan?.row_count_max ?? null}
            check={check}
          />
        </div>
        <div id={moreId} className={`${styles.wholeLine} ${styles.more}`} hidden={!isMoreShown}>
          {isMoreShown && (
            <MoreFields
              query={query}
              edit={edit}
              shape={shape}
              problems={problems}
              version={version}
            />
          )}
        </div>
        {/* The results show what was refused of the query that was run. */}
        {problems[''] && run?.path !== path && (
          <div className={styles.wholeLine}>
            <Notice kind="danger">{problems['']}</Notice>
          </div>
        )}
      </form>
      <div ref={resultsRef}>
        <Results
          tab={state.tab}
          openTab={state.openTab}
          {...chartControls(state)}
          onSort={(sort) => edit({ sort }, true)}
          run={run}
          request={request}
          path={path}
          shape={shape}
          version={version}
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
    <Page title="Explorer">
      <div className={styles.explorer}>
        <div className={styles.dataset}>
          <DatasetChoice query={query} replaceQuery={replaceQuery} />
        </div>
        {query.dataset === '' ? (
          <div className={screenStyles.panel}>
            <p className={screenStyles.status}>
              Choose a dataset to see its rows as a table or a chart, and the request as code.
            </p>
            <DatasetList />
          </div>
        ) : (
          <Loaded query={shape} what="this dataset">
            {(loaded) =>
              loaded.variants.some(({ is_entitled }) => is_entitled) ? (
                <Explorer key={loaded.segment} state={state} shape={loaded} />
              ) : (
                <AskForAccess datasetId={loaded.dataset_id} />
              )
            }
          </Loaded>
        )}
      </div>
    </Page>
  );
}
