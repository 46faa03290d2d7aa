import { ChevronLeft, ChevronRight, ImageDown, ZoomIn, ZoomOut } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Button } from '../ui/button';
import { type BarsBySymbol, NO_BARS } from './bar-columns';
import { type BarDrawing, drawBars } from './bar-drawing';
import { legendAt, legendText, priceDigitsOf } from './bar-legend';
import type { Span } from './bar-levels';
import { timelineOf } from './bar-timeline';
import { Legend, PointSlider } from './chart-legend';
import type { ChartTime } from './chart-series';
import styles from './chart-view.module.css';
import { watchTheme } from './theme-colours';

const ACTS = [
  { label: 'Earlier', icon: ChevronLeft, act: (drawing: BarDrawing) => drawing.move(-0.5) },
  { label: 'Later', icon: ChevronRight, act: (drawing: BarDrawing) => drawing.move(0.5) },
  { label: 'Zoom in', icon: ZoomIn, act: (drawing: BarDrawing) => drawing.zoom(2) },
  { label: 'Zoom out', icon: ZoomOut, act: (drawing: BarDrawing) => drawing.zoom(0.5) },
] as const;

function savePicture(drawing: BarDrawing, name: string): void {
  drawing.picture().toBlob((blob) => {
    if (blob === null) return;
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = `${name}.png`;
    link.click();
    URL.revokeObjectURL(link.href);
  });
}

interface BarCanvasProps {
  bars: BarsBySymbol;
  isDaily: boolean;
  hasVolume: boolean;
  isCompared: boolean;
  label: string;
  fileName: string;
  /** First moment to be shown; goes for the first bars that come and for all of them. */
  shownFrom: ChartTime;
  isSettled: boolean;
  onEarlier: () => void;
}

/** The drawing, with what the crosshair points at above it. */
export function BarCanvas(props: BarCanvasProps) {
  const { bars, isDaily, hasVolume, isCompared, label, shownFrom, isSettled } = props;
  const container = useRef<HTMLDivElement>(null);
  const drawing = useRef<BarDrawing>(null);
  const isPlaced = useRef(false);
  const onEarlier = useRef(props.onEarlier);
  onEarlier.current = props.onEarlier;
  const [pointed, setPointed] = useState<Span | null>(null);
  const [groupSize, setGroupSize] = useState(1);
  const timeline = useMemo(() => timelineOf(bars), [bars]);
  const digits = useMemo(() => priceDigitsOf([...bars.values()][0] ?? NO_BARS), [bars]);

  useEffect(() => {
    if (container.current === null) return;
    const drawn = drawBars(container.current, {
      ...{ isDaily, hasVolume, isCompared },
      onPoint: setPointed,
      onEarlier: () => onEarlier.current(),
      onGroup: setGroupSize,
    });
    drawing.current = drawn;
    isPlaced.current = false;
    const stopWatching = watchTheme(drawn.recolour);
    return () => {
      stopWatching();
      drawn.remove();
    };
  }, [isDaily, hasVolume, isCompared]);

  useEffect(() => {
    // Bars that were pointed at have other indexes now.
    setPointed(null);
    drawing.current?.setTimeline(timeline);
    if (isPlaced.current) return;
    drawing.current?.showFrom(shownFrom);
    isPlaced.current = isSettled;
  }, [timeline, isSettled, shownFrom]);

  const count = timeline.times.length;
  const isHere = pointed !== null && pointed.last < count;
  const span = isHere ? pointed : { first: count - 1, last: count - 1 };
  const looks = { timeline, isDaily, isCompared, hasVolume, digits };
  const entries = legendAt(looks, span, drawing.current?.firstInSight() ?? 0);
  const act = (doIt: (drawn: BarDrawing) => void) => drawing.current && doIt(drawing.current);
  return (
    <>
      <Legend entries={entries} />
      <div ref={container} role="img" aria-label={label} className={styles.chart} />
      <PointSlider
        label="Bar"
        count={count}
        text={legendText(entries)}
        at={span.last}
        onChange={(bar) => {
          act((drawn) => drawn.point(bar));
          setPointed({ first: bar, last: bar });
        }}
      />
      <div className={styles.acts}>
        {ACTS.map(({ label: name, icon: Icon, act: doIt }) => (
          <Button key={name} kind="quiet" onClick={() => act(doIt)}>
            <Icon size={16} aria-hidden />
            {name}
          </Button>
        ))}
        <Button kind="quiet" onClick={() => act((drawn) => savePicture(drawn, props.fileName))}>
          <ImageDown size={16} aria-hidden />
          Save as PNG
        </Button>
      </div>
      {groupSize > 1 && (
        <p className={styles.quiet}>
          {isCompared ? 'Each point' : 'Each candle'} stands for {groupSize} bars; zoom in for
          single ones.
        </p>
      )}
    </>
  );
}
