import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { DataScan } from '@ticklake/client';
import { Play } from 'lucide-react';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { AskForAccess } from '../access/ask-for-access';
import { ownCatalogueQuery, queryShapeQuery } from '../api/queries';
import { bytesText, plural } from '../format/texts';
import { Button } from '../ui/button';
import { Notice, Page, Query } from '../ui/page';
import { focusFirstInvalid } from '../ui/use-form';
import { ContractFields } from './contract-fields';
import styles from './dataset-list.module.css';
import { type DatasetShape, filterableColumns, identifierColumns } from './dataset-shape';
import { DownloadPanel } from './download-panel';
import { ExampleButton } from './example-button';
import { takesIdentifier } from './example-query';
import { isUnfinished } from './explorer-query';
import { requestOf, requestPath } from './explorer-request';
import screenStyles from './explorer-screen.module.css';
import { DatasetChoice, LineFields, type OpenPanels, PanelButtons, Panels } from './query-form';
import formStyles from './query-form.module.css';
import { useLastDate, useScan } from './query-hooks';
import { hasProblems, panelsWithProblems, queryProblems, refusedFields } from './query-problems';
import { type QueryActs, Results } from './results';
import { useRun } from './row-store';
import { chooseVariant, type ExplorerQueryState, useExplorerQuery } from './use-explorer-query';
import { useForgivenCase } from './use-forgiven-case';

function DatasetList() {
  const { data: datasets = [] } = useQuery(ownCatalogueQuery);
  return (
    <div className={styles.groups}>
      {[...Map.groupBy(datasets, ({ data_group }) => data_group)].map(([group, rows]) => (
        <section key={group} className={styles.group}>
          <h2>{group}</h2>
          <ul className={styles.list}>
            {rows.map(({ dataset_id: id, dataset_name: name }) => (
              <li key={id}>
                <Link to="/explorer" search={{ dataset: id }} className={styles.link}>
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

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
  const isSound = isAskable && Object.keys(refused).every((field) => field === '');
  return { request, problems, isSound, setIsTried, scan, isAsking };
}

/** Open panels may push the results below the screen: who runs a query shall see them. */
function showResults(results: HTMLElement | null): void {
  const { top } = results?.getBoundingClientRect() ?? { top: 0 };
  if (top > innerHeight * RESULTS_TOP_MAX) results?.scrollIntoView();
}

function Explorer({ state, shape }: { state: ExplorerQueryState; shape: DatasetShape }) {
  const { query, edit, isRun, markRun } = state;
  const { request, problems, isSound, setIsTried, scan, isAsking } = useProblems(state, shape);
  const { run, start } = useRun();
  const [openPanels, setOpenPanels] = useState<OpenPanels>(new Set());
  const resultsRef = useRef<HTMLDivElement>(null);
  const fields = { query, edit, shape, problems };
  const path = requestPath(request);
  const version = scan?.dataset_version ?? null;
  // An open panel stays open while the problem is fixed: typing there must not lose the field.
  const needed = panelsWithProblems(problems).filter((name) => !openPanels.has(name));
  if (needed.length > 0) setOpenPanels(openPanels.union(new Set(needed)));
  // A link without a day runs with the last one.
  useLastDate(query, shape, (change) => edit(change, isRun));
  useForgivenCase(run, state, path);
  const check = () => {
    setIsTried(true);
    if (!isSound) setTimeout(() => focusFirstInvalid(resultsRef.current?.parentElement));
    return isSound;
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!check()) return;
    markRun();
    start(request, shape);
    setTimeout(() => showResults(resultsRef.current));
  };
  // An address that was sent, reloaded or gone back to shows its rows, or what it lacks for them.
  useEffect(() => {
    if (!isRun || run?.path === path) return;
    if (isSound) start(request, shape);
    else setIsTried(true);
    // The path says all of the request.
  }, [isRun, path]);
  // Whoever goes on in the table without a value has given the filter up.
  const filters = query.filters.filter((filter) => !isUnfinished(filter));
  const queryActs: QueryActs = {
    onSort: (sort) => edit({ sort, filters }, true),
    columns: query.columns,
    onColumns: (columns) => edit({ columns, filters }, true),
    filterable: filterableColumns(shape, query.identifier).map(({ name }) => name),
    onFilter: (column) => {
      edit({ filters: [...filters, { column, operator: 'eq', value: '' }] });
      setOpenPanels(openPanels.union(new Set(['filters'])));
      const field = `[name="filter-${filters.length}-value"]`;
      setTimeout(() => resultsRef.current?.querySelector<HTMLElement>(field)?.focus());
    },
  };
  return (
    <>
      <form className={formStyles.form} onSubmit={submit} noValidate>
        <LineFields {...fields} />
        <div className={formStyles.run}>
          <Button icon={Play} kind="primary" type="submit">
            Run
          </Button>
          {query.identifier === '' && takesIdentifier(shape) && shape.is_entitled && (
            <ExampleButton shape={shape} isWanted={state.isExampleWanted} />
          )}
        </div>
        <ContractFields {...fields} />
        {/* The results show what was refused of the query that was run. */}
        {problems[''] && run?.path !== path && (
          <div className={formStyles.wholeLine}>
            <Notice kind="danger">{problems['']}</Notice>
          </div>
        )}
      </form>
      {/* Outside of the form: Enter in a box or on a chart is no new run. */}
      <div ref={resultsRef}>
        <Results
          onVariant={(dataset) => chooseVariant(state, dataset, true)}
          queryActs={queryActs}
          {...{ run, request, path, shape, version }}
          aside={
            <div className={formStyles.actions}>
              <PanelButtons query={query} open={openPanels} onOpenChange={setOpenPanels} />
              <DownloadPanel {...{ request, shape, scan, check }} />
            </div>
          }
          below={
            <form onSubmit={submit} noValidate>
              <Panels {...fields} open={openPanels} version={version} />
              <input type="submit" hidden />
            </form>
          }
        />
        <p className={screenStyles.scan} role="status">
          {scanText(scan, isAsking)}
        </p>
      </div>
    </>
  );
}

/** `AVQX, US Equities Daily OHLC`: several tabs of the Explorer are told apart by it. */
function useTabTitle({ identifier, dataset }: ExplorerQueryState['query']): string {
  const { data } = useQuery(ownCatalogueQuery);
  const name = data?.find(({ dataset_id: id }) => id === dataset)?.dataset_name ?? dataset;
  return [identifier, name].filter(Boolean).join(', ') || 'Explorer';
}

export default function ExplorerScreen() {
  const state = useExplorerQuery();
  const { query, replaceQuery } = state;
  return (
    <Page title="Explorer" tabTitle={useTabTitle(query)} isTitleUnseen={query.dataset !== ''}>
      <div className={formStyles.explorer}>
        <div className={formStyles.dataset}>
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
          <Query of={queryShapeQuery(query.dataset)} what="this dataset">
            {(loaded) =>
              loaded.variants.some(({ is_entitled }) => is_entitled) ? (
                <Explorer key={loaded.segment} state={state} shape={loaded} />
              ) : (
                <AskForAccess datasetId={loaded.dataset_id} />
              )
            }
          </Query>
        )}
      </div>
    </Page>
  );
}
