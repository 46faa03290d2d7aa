import { Play } from 'lucide-react';
import { type ReactNode, type RefObject, useMemo, useRef, useState } from 'react';
import { useStore } from '../api/store';
import { EmptyState, Notice } from '../ui/page';
import { Tabs } from '../ui/tabs';
import { ChartPanel } from './chart-panel';
import type { ChartControls as Controls } from './chart-view';
import type { DatasetShape } from './dataset-shape';
import { type SortRow, sortOfText } from './explorer-query';
import type { ExplorerRequest } from './explorer-request';
import styles from './explorer-screen.module.css';
import { type GridLook, rememberedLook, rememberLook } from './grid';
import type { HeaderActs } from './grid-parts';
import { lookBackText } from './look-back';
import { RequestPanel } from './request-panel';
import type { Run } from './row-store';
import type { KeptGrid } from './rows-panel';
import { RowsPanel } from './rows-panel';
import { useLook } from './use-explorer-query';

/** Columns that numbers of securities stand in. */
const NUMBER_NAMES: readonly string[] = ['ASID', 'SecId'];

type ChartControls = Pick<Controls, 'onVariant'>;

/** Changes of the query from the head of the table. */
export interface QueryActs extends Pick<HeaderActs, 'onSort' | 'filterable' | 'onFilter'> {
  /** Empty: all of them. */
  columns: readonly string[];
  onColumns: (columns: readonly string[]) => void;
}

interface GridControls extends QueryActs {
  look: GridLook;
  onLook: (look: GridLook) => void;
  kept: RefObject<KeptGrid>;
}

function sortOf({ parameters }: ExplorerRequest): readonly SortRow[] {
  return sortOfText(parameters.find(({ field }) => field === 'sort')?.value);
}

/** The result of a run, as rows or as a chart; the form changes independently of it. */
function RunResult({
  run,
  isStale,
  as,
  grid,
  ...chart
}: ChartControls & { run: Run; isStale: boolean; as: 'rows' | 'chart'; grid: GridControls }) {
  const { store, shape, request } = run;
  const state = useStore(store);
  const columns = useMemo(() => {
    const typeOf = new Map(shape.columns.map(({ name, data_type }) => [name, data_type]));
    const identifiers = [...shape.identifier_columns, ...NUMBER_NAMES];
    return (state.columns ?? []).map((name) => ({
      name,
      dataType: typeOf.get(name) ?? null,
      isIdentifier: identifiers.includes(name),
    }));
  }, [shape, state.columns]);
  const { kept, columns: asked, onColumns, ...looks } = grid;
  // Rows of some columns do not tell which ones all would be.
  const isPart = asked.length > 0 || request.parameters.some(({ field }) => field === 'columns');
  const left = isPart ? asked : columns.map(({ name }) => name);
  const onHide = (hidden: string) => onColumns(left.filter((name) => name !== hidden));
  const acts = { ...looks, onHide: left.length > 1 ? onHide : null, sort: sortOf(request) };
  return (
    <div className={styles.panel}>
      {isStale && (
        <Notice kind="warning">The query has changed. Run it again to update these rows.</Notice>
      )}
      {as === 'chart' ? (
        <ChartPanel {...{ state, shape, request, ...chart }} onRetry={() => store.retry()} />
      ) : (
        <RowsPanel
          {...{ store, state, columns, acts, kept }}
          scrollTop={run.scrollTop}
          lookBack={lookBackText(request.parameters, shape)}
        />
      )}
    </div>
  );
}

interface ResultsProps extends ChartControls {
  run: Run | null;
  request: ExplorerRequest;
  path: string;
  shape: DatasetShape;
  version: number | null;
  queryActs: QueryActs;
  aside: ReactNode;
  below: ReactNode;
}

export function Results(props: ResultsProps) {
  const { run, request, path, shape, version, onVariant } = props;
  const { tab, look: show } = useLook();
  const [look, setLook] = useState(rememberedLook);
  const kept = useRef<KeptGrid>({ selection: null });
  const onLook = (next: GridLook) => {
    rememberLook(next);
    setLook(next);
  };
  const grid = { look, onLook, ...props.queryActs, kept };
  const result = (as: 'rows' | 'chart') =>
    run === null ? (
      <EmptyState icon={Play}>Run the query to see its rows.</EmptyState>
    ) : (
      <RunResult key={run.path} {...{ run, as, onVariant, grid }} isStale={run.path !== path} />
    );
  return (
    <Tabs
      label="Results"
      open={tab}
      onOpenChange={(next) => show({ tab: next })}
      aside={props.aside}
      below={props.below}
      tabs={[
        { name: 'rows', label: 'Rows', content: () => result('rows') },
        { name: 'chart', label: 'Chart', content: () => result('chart') },
        {
          name: 'request',
          label: 'Code',
          content: () => <RequestPanel request={request} shape={shape} version={version} />,
        },
      ]}
    />
  );
}
