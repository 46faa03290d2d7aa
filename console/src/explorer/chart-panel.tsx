import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { datasetInfoQuery, datasetStatusQuery } from '../api/queries';
import { countText, plural } from '../format/texts';
import { FailureNotice, Loaded, Notice } from '../ui/page';
import type { RowChart } from './arrow-bars';
import { type BarsState, useBars } from './bar-store';
import {
  type BarPlan,
  barPlan,
  barView,
  type Extent,
  momentOf,
  rangesOf,
  SYMBOLS_MAX,
  storedInterval,
  symbolsOf,
  withFrontContract,
} from './bar-view';
import { barCount, NO_BARS } from './bars';
import { type ChartPlan, chartPlan } from './chart-plan';
import { type ChartControls, ChartView, loadChart } from './chart-view';
import type { DatasetShape } from './dataset-shape';
import type { ExplorerRequest } from './explorer-request';
import { pinnedTo } from './pinned-pages';
import { rowChartsQuery, rowIntervals, rowsAsked } from './row-charts';
import type { RowsState } from './row-store';
import { StopButton } from './stop-button';
import { useLook } from './use-explorer-query';

interface ChartProps<Plan = ChartPlan> extends ChartControls {
  request: ExplorerRequest;
  plan: Plan;
  shape: DatasetShape;
}

function rangeText({ bars, isReading, end }: BarsState): string {
  const count = barCount(bars);
  if (isReading) return count === 0 ? 'Loading bars…' : `${plural(count, 'bar')}, loading more…`;
  const more = {
    open: 'move or zoom out to load earlier ones',
    reached: 'there are no earlier ones',
    capped: 'that’s the most it can load; choose a longer interval to see earlier ones',
  };
  return `${plural(count, 'bar')}; ${more[end]}`;
}

/** Bars of any span: read by the chart itself, newest first, in an interval that fits the span. */
function RangeChart({ extent, ...props }: ChartProps<BarPlan> & { extent: Extent }) {
  const { request, plan, shape } = props;
  const { choice, look } = useLook();
  // Whoever presses a range, also the pressed one, sees its bars wherever the chart was moved to.
  const [choices, setChoices] = useState(0);
  const view = barView(request, plan, shape, extent, choice);
  const { store, state } = useBars(request, plan, shape, view);
  const hasDates = request.parameters.some(({ field }) => field === 'from');
  const symbols = symbolsOf(request, shape);
  const isCompared = symbols.length > 1;
  const what = isCompared ? 'Closes in percent' : plan.volume ? 'Candles with volume' : 'Candles';
  const { error } = state;
  const isFound = (symbol: string) => (isCompared ? state.bars.has(symbol) : state.bars.size > 0);
  const unknown = symbols.filter((symbol) => !isFound(symbol));
  return (
    <ChartView
      {...props}
      source={{
        name: `${choices} ${view.interval} ${view.first} ${view.limits.last} ${shape.dataset_id}`,
        drawn: state.bars.size > 0 ? state.bars : null,
        kind: isCompared ? 'closes' : 'candles',
        hasVolume: plan.volume !== null,
        label: `${what} of ${symbols.join(', ')}`,
        shownFrom: momentOf(view.first),
        isSettled: state.isSettled,
        onEarlier: () => store?.wantEarlier(view.limits.stepDays),
        interval: view.interval,
        intervals: view.offered,
        range: view.range,
        ranges: [...(hasDates ? [null] : []), ...rangesOf(storedInterval(plan))],
        // Another span has an interval of its own.
        onRange: (range) => {
          setChoices(choices + 1);
          look({ range, interval: null });
        },
        status: rangeText(state),
      }}
    >
      <StopButton isReading={state.isReading} onStop={() => store?.halt()} />
      {error !== null && (
        <FailureNotice title="Couldn’t load bars" error={error} onRetry={() => store?.retry()} />
      )}
      {state.isSettled && unknown.length > 0 && error === null && (
        <Notice kind="info">No prices for {unknown.join(', ')} in the loaded bars.</Notice>
      )}
    </ChartView>
  );
}

function BarsOfRange(props: ChartProps<BarPlan>) {
  const { shape, request } = props;
  const status = useQuery(datasetStatusQuery(shape.dataset_id));
  const info = useQuery(datasetInfoQuery(shape.dataset_id));
  if (symbolsOf(request, shape).length > SYMBOLS_MAX) {
    return (
      <Notice kind="info" title="Too many symbols">
        A chart compares up to {SYMBOLS_MAX}.
      </Notice>
    );
  }
  return (
    <Loaded query={status} what="the dates of this dataset">
      {({ last_trade_date: last }) => (
        <Loaded query={info} what="this dataset">
          {({ start_date: start }) =>
            last === null ? (
              <Notice kind="info">The dataset has no rows.</Notice>
            ) : (
              <RangeChart {...props} extent={{ start, last }} />
            )
          }
        </Loaded>
      )}
    </Loaded>
  );
}

/** `isMade`: the service made the bars; `readCount`: of how many bars or rows; null: of all. */
function rowsText(chart: RowChart, isTicks: boolean, isMade: boolean, readCount: number | null) {
  const { bars, merged, hasBestQuotesOnly } = chart;
  const [what, moment] = isTicks ? ['event', 'millisecond'] : ['row', 'time'];
  const left = merged === 1 ? 'isn’t' : 'aren’t';
  const countOf = (name: string) => bars.get(name)?.time.length ?? 0;
  const hasSizes = isTicks && bars.get('Trade')?.volume.some((size) => size > 0);
  return [
    readCount !== null &&
      `The first ${countText(readCount)} ${isMade ? 'bars' : 'rows in natural order'}.`,
    isTicks
      ? `${plural(countOf('Trade'), 'trade')}, ${plural(countOf('Bid') + countOf('Ask'), 'quote')}.`
      : `${plural(barCount(bars), 'bar')}.`,
    merged > 0 &&
      `${plural(merged, what)} ${left} drawn because a later ${what} has the same ${moment}.`,
    isMade && 'These bars are of all trades, whatever their conditions.',
    hasSizes && 'The larger the dot, the larger the trade.',
    hasBestQuotesOnly && 'Only quotes at the national best bid and ask are drawn.',
  ]
    .filter(Boolean)
    .join(' ');
}

function RowsChart({ rowCount, ...props }: ChartProps & { rowCount: number | null }) {
  const [chosen, setChosen] = useState('');
  const { choice } = useLook();
  const { intervals, interval } = rowIntervals(props, choice.interval, rowCount);
  const asked = rowsAsked(props, interval);
  const options = rowChartsQuery(asked, props.shape);
  const query = useQuery(options);
  const client = useQueryClient();
  const halt = () => void client.cancelQueries({ queryKey: options.queryKey }, { revert: false });
  const instruments = [...(query.data?.charts.keys() ?? [])];
  const instrument = instruments.includes(chosen) ? chosen : (instruments[0] ?? '');
  const chart = query.data?.charts.get(instrument);
  const [first = NO_BARS] = chart?.bars.values() ?? [];
  const isEmpty = !chart || barCount(chart.bars) === 0;
  const isTicks = asked.plan.kind === 'ticks';
  const isMade = !isTicks && props.plan.kind === 'ticks';
  const hasVolume = first.volume.some((size) => size > 0);
  const what = isTicks ? 'Trades over quotes' : hasVolume ? 'Candles with volume' : 'Candles';
  const readCount = query.data?.nextOffset ?? null;
  return (
    <ChartView
      {...props}
      source={{
        ...{ instrument, instruments, interval, intervals, onInstrument: setChosen },
        name: `${interval} ${instrument}`,
        drawn: isEmpty ? null : chart.bars,
        kind: isTicks ? 'ticks' : 'candles',
        hasVolume,
        // Bars of ticks begin on the clock, and stored ones with a session.
        lastMinute: isMade && interval === '1h' ? 59 * 60 : 0,
        label: `${what}${instrument && ` of ${instrument}`}`,
        status: chart ? rowsText(chart, isTicks, isMade, readCount) : '',
      }}
    >
      <StopButton isReading={query.isFetching} onStop={halt} />
      <Loaded query={query} what="the chart">
        {() =>
          isEmpty && (
            <Notice kind="info" title="Nothing to draw">
              {chart
                ? `These rows have no prices for ${instrument || 'an instrument'}.`
                : 'The query returned no rows.'}
            </Notice>
          )
        }
      </Loaded>
    </ChartView>
  );
}

type ChartPanelProps = Omit<ChartProps, 'plan' | 'isLog' | 'onLog'> & {
  state: RowsState;
  onRetry: () => void;
};

/** Bars of named instruments are read by range; of all else the rows of the query are drawn. */
export function ChartPanel({ state, onRetry, ...chosen }: ChartPanelProps) {
  const { shape, request } = chosen;
  const [isLog, onLog] = useState(false);
  const plan = chartPlan(shape.columns.map(({ name }) => name));
  const props = { ...chosen, isLog, onLog };
  const canDraw = plan !== null;
  useEffect(() => {
    if (canDraw) loadChart();
  }, [canDraw]);
  if (plan === null) {
    return (
      <Notice kind="info" title="No chart for this dataset">
        Charts show bars, daily values, trades and quotes.
      </Notice>
    );
  }
  const bars = barPlan(plan, shape);
  if (bars !== null && symbolsOf(request, shape).length > 0) {
    return <BarsOfRange {...props} request={withFrontContract(request, bars, shape)} plan={bars} />;
  }
  const { columns, error, end, datasetVersion } = state;
  // The first rows tell whether there are many, and which version all are of.
  if (columns === null) {
    if (error === null) return <p role="status">Loading rows…</p>;
    return <FailureNotice title="The query failed" {...{ error, onRetry }} />;
  }
  const rowCount = end === 'reached' ? state.rowCount : null;
  return (
    <RowsChart {...props} {...{ plan, rowCount }} request={pinnedTo(request, datasetVersion)} />
  );
}
