import { useMemo } from 'react';
import { Notice } from '../ui/notice';
import { Tabs } from '../ui/tabs';
import type { BarChartProps } from './bar-chart';
import { ChartPanel } from './chart-panel';
import type { DatasetShape } from './dataset-shape';
import type { ExplorerRequest } from './explorer-request';
import styles from './explorer-screen.module.css';
import type { ExplorerTab } from './explorer-search';
import { RequestPanel } from './request-panel';
import { RowsPanel } from './rows-panel';
import { type Run, useRowsState } from './use-run';

type ChartControls = Pick<BarChartProps, 'choice' | 'onChoice' | 'onVariant'>;

/** The result of a run, as rows or as a chart. Separate from the form, which changes independently. */
function RunResult({
  run,
  isStale,
  as,
  ...chart
}: ChartControls & { run: Run; isStale: boolean; as: 'rows' | 'chart' }) {
  const { store, shape, request } = run;
  const state = useRowsState(store);
  const columns = useMemo(() => {
    const typeOf = new Map(shape.columns.map(({ name, data_type }) => [name, data_type]));
    return (state.columns ?? []).map((name) => ({ name, dataType: typeOf.get(name) ?? null }));
  }, [shape, state.columns]);
  return (
    <div className={styles.panel}>
      {isStale && (
        <Notice kind="warning">The query has changed. Run it again to update these rows.</Notice>
      )}
      {as === 'chart' ? (
        <ChartPanel store={store} state={state} shape={shape} request={request} {...chart} />
      ) : (
        <RowsPanel store={store} state={state} columns={columns} scrollTop={run.scrollTop} />
      )}
    </div>
  );
}

interface ResultsProps extends ChartControls {
  tab: ExplorerTab;
  openTab: (tab: ExplorerTab) => void;
  run: Run | null;
  /** The request of the form in its current state. */
  request: ExplorerRequest;
  path: string;
  shape: DatasetShape;
  /** The version that the request would read now; null while it is not known. */
  version: number | null;
}

export function Results(props: ResultsProps) {
  const { tab, openTab, run, request, path, shape, version, choice, onChoice, onVariant } = props;
  const result = (as: 'rows' | 'chart') =>
    run === null ? (
      <Notice kind="info">Run the query to see its rows.</Notice>
    ) : (
      <RunResult
        key={run.path}
        {...{ run, as, choice, onChoice, onVariant }}
        isStale={run.path !== path}
      />
    );
  return (
    <Tabs
      label="Results"
      open={tab}
      onOpenChange={openTab}
      tabs={[
        { name: 'rows', label: 'Rows', content: () => result('rows') },
        { name: 'chart', label: 'Chart', content: () => result('chart') },
        {
          name: 'request',
          label: 'Request',
          content: () => <RequestPanel request={request} shape={shape} version={version} />,
        },
      ]}
    />
  );
}
