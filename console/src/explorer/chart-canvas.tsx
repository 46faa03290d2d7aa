import { ChevronLeft, ChevronRight, ImageDown, Maximize, ZoomIn, ZoomOut } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Button } from '../ui/button';
import { saveBlob } from '../ui/save-file';
import type { Span } from './bars';
import { type BarsBySymbol, indexAt, NO_BARS, type Timeline, timelineOf } from './bars';
import { type Drawing, drawChart } from './chart-drawing';
import type { LayerOptions } from './chart-layers';
import {
  type LegendEntry,
  legendAt,
  legendText,
  priceDigitsOf,
  tickDigitsOf,
} from './chart-legend';
import { watchTheme } from './chart-theme';
import styles from './chart-view.module.css';
import type { ChartTime, TickSeries } from './tick-series';

const ACTS = [
  { label: 'Earlier', icon: ChevronLeft, act: (drawing: Drawing) => drawing.move(-0.5) },
  { label: 'Later', icon: ChevronRight, act: (drawing: Drawing) => drawing.move(0.5) },
  { label: 'Zoom in', icon: ZoomIn, act: (drawing: Drawing) => drawing.zoom(2) },
  { label: 'Zoom out', icon: ZoomOut, act: (drawing: Drawing) => drawing.zoom(0.5) },
  {
    label: 'Show all',
    icon: Maximize,
    act: (drawing: Drawing) => drawing.showFrom(Number.NEGATIVE_INFINITY),
  },
] as const;

function savePicture(drawing: Drawing, name: string): void {
  drawing.picture().toBlob((blob) => blob && saveBlob(blob, `${name}.png`));
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

interface PointSliderProps {
  timeline: Timeline;
  moment: number;
  text: string;
  onMoment: (moment: number) => void;
}

/** For the keyboard and for screen readers: goes from bar to bar, or from trade to trade. */
function PointSlider({ timeline: { times, ticks }, moment, text, onMoment }: PointSliderProps) {
  const tradeTimes = useMemo(
    () => (ticks ? Float64Array.from(ticks.trades, ({ time }) => time) : null),
    [ticks],
  );
  const count = tradeTimes?.length ?? times.length;
  if (count === 0) return null;
  return (
    <input
      type="range"
      aria-label={tradeTimes ? 'Trade' : 'Bar'}
      aria-valuetext={text}
      className={styles.slider}
      min={0}
      max={count - 1}
      value={tradeTimes ? Math.max(0, indexAt(tradeTimes, times[moment]!)) : moment}
      onChange={({ target }) => {
        const at = Number(target.value);
        onMoment(tradeTimes ? indexAt(times, tradeTimes[at]!) : at);
      }}
    />
  );
}

/** The last bar, or the last trade, counts where nothing is pointed at. */
function lastMoment({ times, ticks }: Timeline): number {
  const trade = ticks?.trades.at(-1);
  return trade ? indexAt(times, trade.time) : times.length - 1;
}

function digitsOf({ ticks, series }: Timeline): number {
  if (ticks) return tickDigitsOf(ticks);
  const [own] = series.values();
  return priceDigitsOf(own?.bars ?? NO_BARS);
}

interface ChartCanvasProps extends LayerOptions {
  drawn: BarsBySymbol | TickSeries;
  label: string;
  fileName: string;
  /** First moment to be shown; goes for the first bars that come and for all of them. */
  shownFrom: ChartTime;
  isSettled: boolean;
  onEarlier: () => void;
}

export function ChartCanvas(props: ChartCanvasProps) {
  const { drawn, kind, isDaily, hasVolume, label, shownFrom, isSettled } = props;
  const container = useRef<HTMLDivElement>(null);
  const drawing = useRef<Drawing>(null);
  const isPlaced = useRef(false);
  const onEarlier = useRef(props.onEarlier);
  onEarlier.current = props.onEarlier;
  const [pointed, setPointed] = useState<Span | null>(null);
  const [groupSize, setGroupSize] = useState(1);
  const timeline = useMemo(() => timelineOf(drawn), [drawn]);
  const digits = useMemo(() => digitsOf(timeline), [timeline]);

  useEffect(() => {
    if (container.current === null) return;
    const made = drawChart(container.current, {
      kind,
      isDaily,
      hasVolume,
      onPoint: setPointed,
      onEarlier: () => onEarlier.current(),
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
    drawing.current?.setTimeline(timeline);
    if (isPlaced.current) return;
    drawing.current?.showFrom(shownFrom);
    isPlaced.current = isSettled;
  }, [timeline, isSettled, shownFrom]);

  const isHere = pointed !== null && pointed.last < timeline.times.length;
  const last = lastMoment(timeline);
  const span = isHere ? pointed : { first: last, last };
  const looks = { timeline, kind, isDaily, hasVolume, digits };
  const entries = legendAt(looks, span, drawing.current?.firstInSight() ?? 0);
  const act = (doIt: (made: Drawing) => void) => drawing.current && doIt(drawing.current);
  return (
    <>
      <Legend entries={entries} />
      <div ref={container} role="img" aria-label={label} className={styles.chart} />
      <PointSlider
        timeline={timeline}
        moment={span.last}
        text={legendText(entries)}
        onMoment={(moment) => {
          act((made) => made.point(moment));
          setPointed({ first: moment, last: moment });
        }}
      />
      <div className={styles.acts}>
        {ACTS.map(({ label: name, icon: Icon, act: doIt }) => (
          <Button icon={Icon} key={name} kind="quiet" onClick={() => act(doIt)}>
            {name}
          </Button>
        ))}
        <Button
          icon={ImageDown}
          kind="quiet"
          onClick={() => act((made) => savePicture(made, props.fileName))}
        >
          Save as PNG
        </Button>
      </div>
      {groupSize > 1 && (
        <p className={styles.quiet}>
          {kind === 'closes' ? 'Each point' : 'Each candle'} stands for {groupSize} bars; zoom in
          for single ones.
        </p>
      )}
    </>
  );
}
