import { lazy, Suspense, useMemo, useState } from 'react';
import { loadPart } from '../api/server-back';
import { countText } from '../format/amounts';
import { Button } from '../ui/button';
import { ComboboxField } from '../ui/combobox-field';
import { Notice } from '../ui/notice';
import { BarChart, type BarChartProps } from './bar-chart';
import { barPlan, symbolsOf, withFrontContract } from './bar-request';
import { type ChartPlan, chartPlan, neededColumns } from './chart-plan';
import type { SeriesBuilder } from './chart-series';
import { chartFacts } from './chart-summary';
import type { DatasetShape } from './dataset-shape';
import styles from './explorer-screen.module.css';
import type { RowStore, RowsState } from './row-store';
import { CHART_ROWS_MAX, useChartSeries } from './use-chart-series';

/** The library that draws comes with the first chart. */
const ChartView = lazy(() =>
  loadPart(() => import('./chart-view')).then((part) => ({ default: part.ChartView })),
);

interface RowsChartProps {
  store: RowStore;
  state: RowsState;
  /** Shape of the rows' dataset. */
  shape: DatasetShape;
}

function MoreRows({ store, state }: Pick<RowsChartProps, 'store' | 'state'>) {
  const { rowCount, end, isReading } = state;
  const used = Math.min(rowCount, CHART_ROWS_MAX);
  if (end === 'reached' && rowCount <= CHART_ROWS_MAX) {
    return (
      <p className={styles.status}>
        Showing {rowCount === 1 ? 'the one row' : `all ${countText(rowCount)} rows`}.
      </p>
    );
  }
  return (
    <div className={styles.more}>
      <p className={styles.status}>Showing the first {countText(used)} rows.</p>
      {rowCount < CHART_ROWS_MAX && (
        <Button isBusy={isReading} onClick={() => store.want(0, rowCount)}>
          Load more rows
        </Button>
      )}
    </div>
  );
}

function InstrumentChart({ builder, timeZone }: { builder: SeriesBuilder; timeZone: string }) {
  const instruments = builder.instruments();
  const [chosen, setChosen] = useState('');
  const instrument = instruments.includes(chosen) ? chosen : (instruments[0] ?? '');
  const series = useMemo(() => builder.series(instrument), [builder, instrument]);
  return (
    <>
      {instruments.length > 1 && (
        <div className={styles.instrument}>
          <ComboboxField
            label="Instrument"
            name="instrument"
            value={instrument}
            options={instruments.map((name) => ({ value: name, label: name }))}
            onValueChange={setChosen}
            description={`One of ${countText(instruments.length)} in these rows`}
          />
        </div>
      )}
      {chartFacts(series).length === 0 ? (
        <Notice kind="info" title="Nothing to draw">
          These rows have no prices for {instrument || 'an instrument'}.
        </Notice>
      ) : (
        <Suspense fallback={<p role="status">Loading the chart…</p>}>
          <ChartView series={series} timeZone={timeZone} />
        </Suspense>
      )}
    </>
  );
}

function missingColumns(plan: ChartPlan, columns: readonly string[]): string[] {
  return neededColumns(plan).filter((name) => !columns.includes(name));
}

/** Draws the rows of the query, from its first one on. */
function RowsChart({ store, state, shape }: RowsChartProps) {
  const plan = useMemo(() => chartPlan(shape.columns.map(({ name }) => name)), [shape]);
  const missing = plan && state.columns ? missingColumns(plan, state.columns) : [];
  const builder = useChartSeries(store, state, missing.length > 0 ? null : plan);
  if (plan === null) {
    return (
      <Notice kind="info" title="No chart for this dataset">
        Charts show bars, daily values, trades and quotes.
      </Notice>
    );
  }
  if (missing.length > 0) {
    return (
      <Notice kind="info" title="The chart needs more columns">
        Add these columns, or select all: {missing.join(', ')}
      </Notice>
    );
  }
  if (state.end === 'reached' && state.rowCount === 0) {
    return <Notice kind="info">The query returned no rows.</Notice>;
  }
  if (state.error !== null) {
    return (
      <Notice kind="danger" title="Couldn’t load rows">
        {state.error instanceof Error ? state.error.message : String(state.error)}
      </Notice>
    );
  }
  if (builder === null) return <p role="status">Loading rows…</p>;
  return (
    <div className={styles.panel}>
      <MoreRows store={store} state={state} />
      <InstrumentChart builder={builder} timeZone={shape.time_zone} />
    </div>
  );
}

type ChartPanelProps = RowsChartProps & Omit<BarChartProps, 'plan'>;

/** Bars of named instruments are read for the chart; of all else, the rows of the query are drawn. */
export function ChartPanel({ store, state, ...props }: ChartPanelProps) {
  const { shape, request } = props;
  const plan = useMemo(
    () => barPlan(chartPlan(shape.columns.map(({ name }) => name)), shape),
    [shape],
  );
  if (plan === null || symbolsOf(request, shape).length === 0) {
    return <RowsChart store={store} state={state} shape={shape} />;
  }
  return <BarChart {...props} request={withFrontContract(request, plan, shape)} plan={plan} />;
}
