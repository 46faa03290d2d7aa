import { useQuery } from '@tanstack/react-query';
import { type ComponentProps, lazy, Suspense, useState } from 'react';
import { datasetInfoQuery, datasetStatusQuery } from '../api/queries';
import { loadPart } from '../api/server-back';
import { marketClockText, plural } from '../format/texts';
import { ChoiceGroup } from '../ui/choice-group';
import { FailureNotice, Loaded, Notice } from '../ui/page';
import { SelectField } from '../ui/select-field';
import { type BarsState, useBars } from './bar-store';
import {
  type BarPlan,
  type BarView,
  barView,
  DAY_INTERVALS,
  type Extent,
  momentOf,
  rangesOf,
  SYMBOLS_MAX,
  storedInterval,
  symbolsOf,
} from './bar-view';
import { barCount } from './bars';
import type { ChartCanvas as Canvas } from './chart-canvas';
import styles from './chart-view.module.css';
import { type DatasetShape, otherAdjustment } from './dataset-shape';
import { downloadName } from './download';
import type { ExplorerRequest } from './explorer-request';
import type { ChartChoice, ChartInterval, ChartRange } from './explorer-search';

/** The library that draws comes with the first chart. */
const ChartCanvas = lazy(() =>
  loadPart(() => import('./chart-canvas')).then((part) => ({ default: part.ChartCanvas })),
);

type CanvasProps = ComponentProps<typeof Canvas>;

interface ChartFrameProps extends Omit<CanvasProps, 'drawn'> {
  drawn: CanvasProps['drawn'] | null;
  timeZone: string;
  status: string;
}

export function ChartFrame({ drawn, timeZone, status, ...canvas }: ChartFrameProps) {
  return (
    <>
      {drawn && (
        <Suspense fallback={<p role="status">Loading the chart…</p>}>
          <ChartCanvas {...canvas} drawn={drawn} />
        </Suspense>
      )}
      <div className={styles.notes}>
        <p role="status">{status}</p>
        <p>Times in {marketClockText(timeZone)}.</p>
        {/* The licence of the library that draws asks for this. */}
        <p className={styles.attribution}>
          TradingView Lightweight Charts™, copyright © 2025 TradingView, Inc.{' '}
          <a href="https://www.tradingview.com/" rel="noreferrer" target="_blank">
            https://www.tradingview.com/
          </a>
        </p>
      </div>
    </>
  );
}

const INTERVAL_LABELS: Readonly<Record<ChartInterval, string>> = {
  '1m': '1 minute',
  '5m': '5 minutes',
  '15m': '15 minutes',
  '1h': '1 hour',
  '1d': '1 day',
  '1w': '1 week',
  '1mo': '1 month',
};
const QUERY_DATES = 'query';

export interface BarChartProps {
  request: ExplorerRequest;
  plan: BarPlan;
  shape: DatasetShape;
  choice: ChartChoice;
  onChoice: (choice: ChartChoice) => void;
  onVariant: (datasetId: string) => void;
}

function hasFirstDate({ parameters }: ExplorerRequest): boolean {
  return parameters.some(({ field }) => field === 'from');
}

function Choices({ view, ...props }: BarChartProps & { view: BarView }) {
  const { request, plan, shape, choice, onChoice } = props;
  const other = otherAdjustment(shape);
  const ranges = rangesOf(storedInterval(plan)).map((range) => ({ value: range, label: range }));
  const dates = hasFirstDate(request) ? [{ value: QUERY_DATES, label: 'Dates' } as const] : [];
  const offered = view.offered.map((name) => ({ value: name, label: INTERVAL_LABELS[name] }));
  return (
    <div className={styles.choices}>
      <ChoiceGroup<ChartRange | typeof QUERY_DATES>
        label="Range"
        value={view.range ?? QUERY_DATES}
        choices={[...dates, ...ranges]}
        // Another span has an interval of its own.
        onValueChange={(range) =>
          onChoice({ range: range === QUERY_DATES ? null : range, interval: null })
        }
      />
      {offered.length > 1 && (
        <SelectField
          label="Interval"
          isLabelHidden
          name="interval"
          value={view.interval}
          options={offered}
          onValueChange={(interval) => onChoice({ range: choice.range, interval })}
        />
      )}
      {other && (
        <ChoiceGroup
          label="Prices"
          value={String(other.isAdjusted)}
          choices={[
            { value: 'false', label: 'As traded' },
            { value: 'true', label: 'Adjusted' },
          ]}
          onValueChange={(next) =>
            next !== String(other.isAdjusted) && props.onVariant(other.datasetId)
          }
        />
      )}
    </div>
  );
}

function statusText({ bars, isReading, end }: BarsState): string {
  const count = barCount(bars);
  if (isReading) return count === 0 ? 'Loading bars…' : `${plural(count, 'bar')}, loading more…`;
  const more = {
    open: 'move or zoom out to load earlier ones',
    reached: 'there are no earlier ones',
    capped: 'that’s the most it can load; choose a longer interval to see earlier ones',
  };
  return `${plural(count, 'bar')}; ${more[end]}`;
}

function Chart(props: BarChartProps & { extent: Extent }) {
  const { request, plan, shape, choice } = props;
  // Whoever presses a range, also the pressed one, sees its bars wherever the chart was moved to.
  const [choices, setChoices] = useState(0);
  const choose = (next: ChartChoice) => {
    setChoices(choices + 1);
    props.onChoice(next);
  };
  const view = barView(request, plan, shape, props.extent, choice);
  const { store, state } = useBars(request, plan, shape, view);
  const symbols = symbolsOf(request, shape);
  const isCompared = symbols.length > 1;
  const what = isCompared ? 'Closes in percent' : plan.volume ? 'Candles with volume' : 'Candles';
  const { error } = state;
  const isFound = (symbol: string) => (isCompared ? state.bars.has(symbol) : state.bars.size > 0);
  const unknown = symbols.filter((symbol) => !isFound(symbol));
  return (
    <>
      <Choices {...props} onChoice={choose} view={view} />
      {error !== null && (
        <FailureNotice title="Couldn’t load bars" error={error} onRetry={() => store?.retry()} />
      )}
      {state.isSettled && unknown.length > 0 && error === null && (
        <Notice kind="info">No prices for {unknown.join(', ')} in the loaded bars.</Notice>
      )}
      <ChartFrame
        key={`${choices} ${view.interval} ${view.first} ${view.limits.last} ${shape.dataset_id}`}
        drawn={state.bars.size > 0 ? state.bars : null}
        kind={isCompared ? 'closes' : 'candles'}
        isDaily={DAY_INTERVALS.includes(view.interval)}
        hasVolume={plan.volume !== null}
        label={`${what} of ${symbols.join(', ')}`}
        fileName={`${downloadName(request, shape, 'csv').replace(/\.csv$/, '')}_${view.interval}`}
        shownFrom={momentOf(view.first)}
        isSettled={state.isSettled}
        onEarlier={() => store?.wantEarlier(view.limits.stepDays)}
        timeZone={shape.time_zone}
        status={statusText(state)}
      />
    </>
  );
}

/** Bars of any span: read by the chart itself, newest first, in an interval that fits the span. */
export function BarChart(props: BarChartProps) {
  const { shape, request } = props;
  const status = useQuery(datasetStatusQuery(shape.dataset_id));
  const info = useQuery(datasetInfoQuery(shape.dataset_id));
  const symbols = symbolsOf(request, shape);
  if (symbols.length > SYMBOLS_MAX) {
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
              <Chart {...props} extent={{ start, last }} />
            )
          }
        </Loaded>
      )}
    </Loaded>
  );
}
