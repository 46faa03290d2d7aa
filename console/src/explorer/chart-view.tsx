import { ChevronLeft, ChevronRight, Maximize, ZoomIn, ZoomOut } from 'lucide-react';
import { useEffect, useId, useRef } from 'react';
import { marketClockText } from '../format/times';
import { Button } from '../ui/button';
import { Attribution } from './chart-attribution';
import { type Drawing, drawChart } from './chart-drawing';
import type { ChartSeries } from './chart-series';
import { type ChartFact, chartFacts, chartRemarks } from './chart-summary';
import styles from './chart-view.module.css';
import { watchTheme } from './theme-colours';

const ACTS = [
  { label: 'Earlier', icon: ChevronLeft, act: (drawing: Drawing) => drawing.move(-0.5) },
  { label: 'Later', icon: ChevronRight, act: (drawing: Drawing) => drawing.move(0.5) },
  { label: 'Zoom in', icon: ZoomIn, act: (drawing: Drawing) => drawing.zoom(2) },
  { label: 'Zoom out', icon: ZoomOut, act: (drawing: Drawing) => drawing.zoom(0.5) },
  { label: 'Show all', icon: Maximize, act: (drawing: Drawing) => drawing.showAll() },
] as const;

function Facts({ id, facts }: { id: string; facts: readonly ChartFact[] }) {
  return (
    <dl id={id} className={styles.facts}>
      {facts.map(({ term, text }) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The chart, what it shows in words, and buttons for who has no mouse. */
export function ChartView({ series, timeZone }: { series: ChartSeries; timeZone: string }) {
  const factsId = useId();
  const container = useRef<HTMLDivElement>(null);
  const drawing = useRef<Drawing>(null);
  useEffect(() => {
    if (container.current === null) return;
    const drawn = drawChart(container.current, series);
    drawing.current = drawn;
    const stopWatching = watchTheme(drawn.recolour);
    return () => {
      stopWatching();
      drawn.remove();
    };
  }, [series]);
  const what = series.kind === 'candles' ? 'Candles with volume' : 'Trades over quotes';
  return (
    <>
      <div className={styles.acts}>
        {ACTS.map(({ label, icon: Icon, act }) => (
          <Button key={label} kind="quiet" onClick={() => drawing.current && act(drawing.current)}>
            <Icon size={16} aria-hidden />
            {label}
          </Button>
        ))}
      </div>
      <div
        ref={container}
        role="img"
        aria-label={`${what}${series.instrument && ` of ${series.instrument}`}`}
        aria-describedby={factsId}
        className={styles.chart}
      />
      <Facts id={factsId} facts={chartFacts(series)} />
      <p className={styles.quiet}>
        {[`Times in ${marketClockText(timeZone)}.`, ...chartRemarks(series)].join(' ')}
      </p>
      <Attribution />
    </>
  );
}
