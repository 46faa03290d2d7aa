import {
  ChevronLeft,
  ChevronRight,
  ImageDown,
  type LucideIcon,
  Maximize,
  ZoomIn,
  ZoomOut,
} from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Button } from '../ui/button';
import { saveBlob } from '../ui/save-file';
import { DAY_INTERVALS } from './bar-view';
import {
  type BarsBySymbol,
  type ChartTime,
  indexAt,
  NO_BARS,
  type Span,
  type Timeline,
  timelineOf,
} from './bars';
import { type Drawing, drawChart } from './chart-drawing';
import type { LayerOptions } from './chart-layers';
import { type LegendEntry, legendAt, legendText, priceDigitsOf } from './chart-legend';
import { watchTheme } from './chart-theme';
import styles from './chart-view.module.css';
import type { DatasetShape } from './dataset-shape';
import type { ChartInterval, ChartRange } from './explorer-search';
import { regularHours } from './regular-hours';

type Act = (drawing: Drawing, fileName: string) => void;

const ACTS: readonly { label: string; icon: LucideIcon; act: Act }[] = [
  { label: 'Earlier', icon: ChevronLeft, act: (drawing) => drawing.move(-0.5) },
  { label: 'Later', icon: ChevronRight, act: (drawing) => drawing.move(0.5) },
  { label: 'Zoom in', icon: ZoomIn, act: (drawing) => drawing.zoom(2) },
  { label: 'Zoom out', icon: ZoomOut, act: (drawing) => drawing.zoom(0.5) },
  { label: 'Show all', icon: Maximize, act: (drawing) => drawing.showFrom(-Infinity) },
  {
    label: 'Save as PNG',
    icon: ImageDown,
    act: (drawing, name) =>
      drawing.picture().toBlob((blob) => blob && saveBlob(blob, `${name}.png`)),
  },
];

function ActButtons({ act }: { act: (doIt: Act) => void }) {
  return (
    <div className={styles.acts}>
      {ACTS.map(({ label, icon, act: doIt }) => (
        <Button
          key={label}
          {...{ icon, title: label, 'aria-label': label, kind: 'quiet' }}
          onClick={() => act(doIt)}
        />
      ))}
    </div>
  );
}

function Legend({ entries }: { entries: readonly LegendEntry[] }) {
  return (
    <dl className={styles.legend}>
      {entries.map(({ term, text }) => (
        <div key={term}>
          <dt className={term === 'Time' ? 'visually-hidden' : ''}>{term}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Null where bars are drawn. */
function tradesOf({ series }: Timeline, kind: LayerOptions['kind']): Float64Array | null {
  return kind === 'ticks' ? (series.get('Trade')?.bars ?? NO_BARS).time : null;
}

interface PointSliderProps {
  times: Float64Array;
  /** Times of trades, which alone are gone to; null: all times are. */
  trades: Float64Array | null;
  moment: number;
  text: string;
  onMoment: (moment: number) => void;
}

/** For the keyboard and for screen readers: goes from bar to bar, or from trade to trade. */
function PointSlider({ times, trades, moment, text, onMoment }: PointSliderProps) {
  const count = (trades ?? times).length;
  if (count === 0) return null;
  return (
    <input
      type="range"
      aria-label={trades ? 'Trade' : 'Bar'}
      aria-valuetext={text}
      className={styles.slider}
      min={0}
      max={count - 1}
      value={trades ? Math.max(0, indexAt(trades, times[moment]!)) : moment}
      onChange={({ target }) => {
        const at = Number(target.value);
        onMoment(trades ? indexAt(times, trades[at]!) : at);
      }}
    />
  );
}

/** The bars of a chart wherever they come from, with the choices that there are of them. */
export interface ChartSource {
  /** Another chart takes the place of the one that is shown when this changes. */
  readonly name: string;
  /** Null until there is something to draw. */
  readonly drawn: BarsBySymbol | null;
  readonly kind: LayerOptions['kind'];
  readonly hasVolume: boolean;
  readonly lastMinute?: number;
  readonly label: string;
  readonly status: string;
  readonly interval: ChartInterval;
  readonly intervals: readonly ChartInterval[];
  /** Spans to choose from; null stands for the dates of the query. */
  readonly ranges?: readonly (ChartRange | null)[];
  readonly range?: ChartRange | null;
  readonly onRange?: (range: ChartRange | null) => void;
  /** Names to choose one from that is drawn. */
  readonly instruments?: readonly string[];
  readonly instrument?: string;
  readonly onInstrument?: (instrument: string) => void;
  /** First moment to be shown; goes for the first bars that come and for all of them. */
  readonly shownFrom?: ChartTime;
  /** False while more bars are on their way. */
  readonly isSettled?: boolean;
  /** Called when times before the first bar came into sight. */
  readonly onEarlier?: () => void;
}

/** Says what one cannot see for oneself of how bars are drawn. */
function Notes({ kind, isDaily, isRegular, groupSize }: LayerOptions & { groupSize: number }) {
  const [what, of] =
    kind === 'candles' ? ['candle', 'bars'] : ['point', kind === 'ticks' ? 'events' : 'bars'];
  const isShaded = kind === 'candles' && !isDaily && isRegular !== null;
  const texts = [
    groupSize > 1 && `Each ${what} stands for ${groupSize} ${of}; zoom in for single ones.`,
    isShaded && 'Times outside of regular hours are shaded.',
  ].filter(Boolean);
  return texts.length > 0 && <p className={styles.quiet}>{texts.join(' ')}</p>;
}

interface ChartCanvasProps {
  source: ChartSource;
  shape: DatasetShape;
  drawn: BarsBySymbol;
  fileName: string;
  isLog: boolean;
}

export function ChartCanvas({ source, shape, drawn, fileName, isLog }: ChartCanvasProps) {
  const { kind, hasVolume, label, interval, lastMinute = 0 } = source;
  const { shownFrom = Number.NEGATIVE_INFINITY, isSettled = true } = source;
  const isDaily = DAY_INTERVALS.some((each) => each === interval);
  const isRegular = useMemo(() => regularHours(shape), [shape]);
  const looks = { kind, isDaily, hasVolume, isRegular, lastMinute };
  const container = useRef<HTMLDivElement>(null);
  const drawing = useRef<Drawing>(null);
  const isPlaced = useRef(false);
  const onEarlier = useRef(source.onEarlier);
  onEarlier.current = source.onEarlier;
  const [pointed, setPointed] = useState<Span | null>(null);
  const [groupSize, setGroupSize] = useState(1);
  const timeline = useMemo(() => timelineOf(drawn), [drawn]);
  // One symbol's, or those of the trades and quotes of one.
  const digits = useMemo(() => priceDigitsOf(...drawn.values()), [drawn]);
  const trades = tradesOf(timeline, kind);

  useEffect(() => {
    if (container.current === null) return;
    const made = drawChart(container.current, {
      ...looks,
      onPoint: setPointed,
      onEarlier: () => onEarlier.current?.(),
      onGroup: setGroupSize,
    });
    drawing.current = made;
    isPlaced.current = false;
    const stopWatching = watchTheme(made.recolour);
    return () => {
      stopWatching();
      made.remove();
    };
  }, [kind, isDaily, hasVolume]);

  useEffect(() => {
    // Bars that were pointed at have other indexes now.
    setPointed(null);
    drawing.current?.setTimeline(timeline, digits, isLog);
    if (isPlaced.current) return;
    drawing.current?.showFrom(shownFrom);
    isPlaced.current = isSettled;
  }, [timeline, digits, isLog, isSettled, shownFrom]);

  const { times } = timeline;
  const isHere = pointed !== null && pointed.last < times.length;
  // The last bar, or the last trade, counts where nothing is pointed at.
  const last = trades?.length ? indexAt(times, trades.at(-1)!) : times.length - 1;
  const span = isHere ? pointed : { first: last, last };
  const inSight = drawing.current?.firstInSight() ?? 0;
  const entries = legendAt({ ...looks, timeline, digits }, span, inSight);
  const act = (doIt: Act) => drawing.current && doIt(drawing.current, fileName);
  return (
    <>
      <ActButtons act={act} />
      <div className={styles.box}>
        <Legend entries={entries} />
        <div ref={container} role="img" aria-label={label} className={styles.chart} />
      </div>
      <PointSlider
        {...{ times, trades }}
        moment={span.last}
        text={legendText(entries)}
        onMoment={(moment) => {
          act((made) => made.point(moment));
          setPointed({ first: moment, last: moment });
        }}
      />
      <Notes {...looks} groupSize={groupSize} />
    </>
  );
}
