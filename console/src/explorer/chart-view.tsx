import { lazy, type ReactNode, Suspense } from 'react';
import { loadPart } from '../api/server-back';
import { countText, marketClockText } from '../format/texts';
import { ChoiceGroup, optionsOf } from '../ui/choice-group';
import { ComboboxField } from '../ui/combobox-field';
import { SelectField } from '../ui/select-field';
import type { ChartSource } from './chart-canvas';
import styles from './chart-view.module.css';
import { type DatasetShape, otherAdjustment } from './dataset-shape';
import { downloadName } from './download';
import type { ExplorerRequest } from './explorer-request';
import type { ChartInterval } from './explorer-search';
import { useLook } from './use-explorer-query';

const loadCanvas = () =>
  loadPart(() => import('./chart-canvas')).then((part) => ({ default: part.ChartCanvas }));

/** The library that draws comes with the first chart. */
const ChartCanvas = lazy(loadCanvas);

/** Begins to load what a chart needs, while it is found out which bars it has. */
export function loadChart(): void {
  for (const part of [loadCanvas(), import('./arrow-bars')]) part.catch(() => undefined);
}

const INTERVAL_LABELS: Readonly<Record<ChartInterval, string>> = {
  tick: 'Ticks',
  '1m': '1 minute',
  '5m': '5 minutes',
  '15m': '15 minutes',
  '1h': '1 hour',
  '1d': '1 day',
  '1w': '1 week',
  '1mo': '1 month',
};
/** The range of the query's own dates. */
const QUERY_DATES = 'Dates';
const ADJUSTMENTS = [
  { value: 'false', label: 'As traded' },
  { value: 'true', label: 'Adjusted' },
] as const;
const SCALES = [
  { value: 'false', label: 'Linear' },
  { value: 'true', label: 'Log' },
] as const;

/** The choices that people make of any chart. */
export interface ChartControls {
  onVariant: (datasetId: string) => void;
  isLog: boolean;
  onLog: (isLog: boolean) => void;
}

type ToolbarProps = ChartControls & { source: ChartSource; shape: DatasetShape };

/** The groups of the toolbar, each null where there is nothing to choose. */
function groupsOf({ source, shape, ...props }: ToolbarProps) {
  const { kind, range, ranges, onRange } = source;
  const other = otherAdjustment(shape);
  return [
    ranges && {
      label: 'Range',
      value: range ?? QUERY_DATES,
      choices: optionsOf(ranges.map((each) => each ?? QUERY_DATES)),
      onValueChange: (next: string) => onRange?.(ranges.find((each) => each === next) ?? null),
    },
    other && {
      label: 'Prices',
      value: String(other.isAdjusted),
      choices: ADJUSTMENTS,
      onValueChange: (next: string) =>
        next !== String(other.isAdjusted) && props.onVariant(other.datasetId),
    },
    kind !== 'closes' && {
      label: 'Scale',
      value: String(props.isLog),
      choices: SCALES,
      onValueChange: (next: string) => props.onLog(next === 'true'),
    },
  ].filter((group) => !!group);
}

function Toolbar(props: ToolbarProps) {
  const { interval, intervals, instruments = [], instrument = '', onInstrument } = props.source;
  const { look } = useLook();
  return (
    <div className={styles.choices}>
      {groupsOf(props).map((group) => (
        <ChoiceGroup key={group.label} {...group} />
      ))}
      {intervals.length > 1 && (
        <SelectField
          label="Interval"
          isLabelHidden
          name="interval"
          value={interval}
          options={intervals.map((each) => ({ value: each, label: INTERVAL_LABELS[each] }))}
          onValueChange={(next) => look({ interval: next })}
        />
      )}
      {onInstrument && instruments.length > 1 && (
        <div className={styles.instrument}>
          <ComboboxField
            label="Instrument"
            name="instrument"
            value={instrument}
            options={optionsOf(instruments)}
            onValueChange={onInstrument}
            description={`One of ${countText(instruments.length)} in these rows`}
          />
        </div>
      )}
    </div>
  );
}

interface ChartViewProps extends ChartControls {
  source: ChartSource;
  request: ExplorerRequest;
  shape: DatasetShape;
  /** Notices, above the chart. */
  children?: ReactNode;
}

/** One chart with its toolbar and notes. */
export function ChartView({ source, request, shape, children, ...controls }: ChartViewProps) {
  const file = downloadName(request, shape, 'csv').replace(/\.csv$/, '');
  return (
    <div className={styles.view}>
      <Toolbar {...controls} source={source} shape={shape} />
      {children}
      {source.drawn && (
        <Suspense fallback={<p role="status">Loading the chart…</p>}>
          <ChartCanvas
            key={source.name}
            {...{ source, shape, drawn: source.drawn, isLog: controls.isLog }}
            fileName={`${file}_${source.interval}`}
          />
        </Suspense>
      )}
      <div className={styles.notes}>
        <p role="status">{source.status}</p>
        <p>Times in {marketClockText(shape.time_zone)}.</p>
        {/* The licence of the library that draws asks for this. */}
        <p className={styles.attribution}>
          TradingView Lightweight Charts™, copyright © 2025 TradingView, Inc.{' '}
          <a href="https://www.tradingview.com/" rel="noreferrer" target="_blank">
            https://www.tradingview.com/
          </a>
        </p>
      </div>
    </div>
  );
}
