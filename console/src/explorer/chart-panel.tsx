import { useMemo, useState } from 'react';
import { countText, plural } from '../format/texts';
import { Button } from '../ui/button';
import { ComboboxField } from '../ui/combobox-field';
import { FailureNotice, Notice } from '../ui/page';
import { BarChart, type BarChartProps, ChartFrame } from './bar-chart';
import { barPlan, symbolsOf, withFrontContract } from './bar-view';
import { type ChartPlan, chartPlan, neededColumns } from './chart-plan';
import type { DatasetShape } from './dataset-shape';
import { downloadName } from './download';
import type { ExplorerRequest } from './explorer-request';
import styles from './explorer-screen.module.css';
import { CHART_ROWS_MAX, type RowSeries, type SeriesBuilder, useChartSeries } from './row-series';
import type { RowStore, RowsState } from './row-store';

interface RowsChartProps {
  store: RowStore;
  state: RowsState;
  shape: DatasetShape;
  request: ExplorerRequest;
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

function seriesText({ drawn, merged }: RowSeries): string {
  const isTicks = 'trades' in drawn;
  const what = isTicks ? 'event' : 'row';
  const left = merged === 1 ? 'isn’t' : 'aren’t';
  const moment = isTicks ? 'millisecond' : 'time';
  return [
    isTicks
      ? `${plural(drawn.trades.length, 'trade')}, ${plural(drawn.bids.length + drawn.asks.length, 'quote')}.`
      : `${plural(drawn.time.length, 'bar')}.`,
    merged > 0 &&
      `${plural(merged, what)} ${left} drawn because a later ${what} has the same ${moment}.`,
    isTicks &&
      drawn.trades.some(({ size }) => size > 0) &&
      'The larger the dot, the larger the trade.',
    isTicks && drawn.hasBestQuotesOnly && 'Only quotes at the national best bid and ask are drawn.',
  ]
    .filter((text) => text !== false)
    .join(' ');
}

type InstrumentProps = Pick<RowsChartProps, 'shape' | 'request'> & { builder: SeriesBuilder };

function InstrumentChart({ builder, shape, request }: InstrumentProps) {
  const instruments = builder.instruments();
  const [chosen, setChosen] = useState('');
  const instrument = instruments.includes(chosen) ? chosen : (instruments[0] ?? '');
  const series = useMemo(() => builder.series(instrument), [builder, instrument]);
  const { drawn } = series;
  const isTicks = 'trades' in drawn;
  const bars = useMemo(
    () => ('trades' in drawn ? drawn : new Map([[instrument, drawn]])),
    [drawn, instrument],
  );
  const volumes = isTicks ? drawn.trades.map(({ size }) => size) : drawn.volume;
  const isEmpty = isTicks
    ? drawn.trades.length + drawn.bids.length + drawn.asks.length === 0
    : drawn.time.length === 0;
  const what = isTicks ? 'Trades over quotes' : 'Candles with volume';
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
      {isEmpty ? (
        <Notice kind="info" title="Nothing to draw">
          These rows have no prices for {instrument || 'an instrument'}.
        </Notice>
      ) : (
        <ChartFrame
          drawn={bars}
          kind={isTicks ? 'ticks' : 'candles'}
          isDaily={!isTicks && drawn.time.every((time) => time % 86_400 === 0)}
          hasVolume={volumes.some((volume) => volume > 0)}
          label={`${what}${instrument && ` of ${instrument}`}`}
          fileName={downloadName(request, shape, 'csv').replace(/\.csv$/, '')}
          shownFrom={Number.NEGATIVE_INFINITY}
          isSettled={false}
          onEarlier={() => undefined}
          timeZone={shape.time_zone}
          status={seriesText(series)}
        />
      )}
    </>
  );
}

function missingColumns(plan: ChartPlan, columns: readonly string[]): string[] {
  return neededColumns(plan).filter((name) => !columns.includes(name));
}

function RowsChart({ plan, ...props }: RowsChartProps & { plan: ChartPlan }) {
  const { store, state, shape, request } = props;
  const missing = state.columns ? missingColumns(plan, state.columns) : [];
  const builder = useChartSeries(store, state, missing.length > 0 ? null : plan);
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
    return <FailureNotice title="Couldn’t load rows" error={state.error} />;
  }
  if (builder === null) return <p role="status">Loading rows…</p>;
  return (
    <div className={styles.panel}>
      <MoreRows store={store} state={state} />
      <InstrumentChart builder={builder} shape={shape} request={request} />
    </div>
  );
}

type ChartPanelProps = RowsChartProps & Omit<BarChartProps, 'plan'>;

/** Bars of named instruments are read for the chart; of all else the rows are drawn. */
export function ChartPanel({ store, state, ...props }: ChartPanelProps) {
  const { shape, request } = props;
  const plan = useMemo(() => chartPlan(shape.columns.map(({ name }) => name)), [shape]);
  if (plan === null) {
    return (
      <Notice kind="info" title="No chart for this dataset">
        Charts show bars, daily values, trades and quotes.
      </Notice>
    );
  }
  const bars = barPlan(plan, shape);
  if (bars === null || symbolsOf(request, shape).length === 0) {
    return <RowsChart {...{ store, state, shape, request, plan }} />;
  }
  return <BarChart {...props} request={withFrontContract(request, bars, shape)} plan={bars} />;
}
