import { ChevronLeft, ChevronRight, Maximize, ZoomIn, ZoomOut } from 'lucide-react';
import { useEffect, useId, useMemo, useRef, useState } from 'react';
import { marketClockText } from '../format/times';
import { Button } from '../ui/button';
import { legendText } from './bar-legend';
import { Attribution } from './chart-attribution';
import { type Drawing, drawChart } from './chart-drawing';
import { Legend, PointSlider } from './chart-legend';
import type { ChartSeries, ChartTime, TickSeries } from './chart-series';
import { type ChartFact, chartFacts, chartRemarks } from './chart-summary';
import styles from './chart-view.module.css';
import { scaleDigits } from './price-digits';
import { watchTheme } from './theme-colours';
import { tickAt, tickLegend } from './tick-legend';

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

/** The trade and the quotes at the crosshair, which the slider moves from trade to trade. */
function useTickPointer(series: ChartSeries, pointed: ChartTime | null) {
  const ticks = series.kind === 'ticks' ? series : null;
  const digits = useMemo(
    () => (ticks ? scaleDigits([...ticks.trades, ...ticks.bids].map(({ value }) => value)) : 2),
    [ticks],
  );
  if (ticks === null) return null;
  const time = pointed ?? ticks.trades.at(-1)?.time ?? ticks.bids.at(-1)?.time ?? 0;
  const trade = tickAt(ticks.trades, time);
  const at = trade === null ? 0 : ticks.trades.indexOf(trade);
  return { ticks, at, entries: tickLegend(ticks, time, digits) };
}

function TradeSlider(props: {
  ticks: TickSeries;
  at: number;
  text: string;
  onTrade: (time: ChartTime, price: number) => void;
}) {
  const { ticks, at, text, onTrade } = props;
  if (ticks.trades.length === 0) return null;
  return (
    <PointSlider
      label="Trade"
      count={ticks.trades.length}
      text={text}
      at={at}
      onChange={(index) => {
        const { time, value } = ticks.trades[index]!;
        onTrade(time, value);
      }}
    />
  );
}

/** The chart, what it shows in words, and buttons for who has no mouse. */
export function ChartView({ series, timeZone }: { series: ChartSeries; timeZone: string }) {
  const factsId = useId();
  const container = useRef<HTMLDivElement>(null);
  const drawing = useRef<Drawing>(null);
  const [pointed, setPointed] = useState<ChartTime | null>(null);
  const pointer = useTickPointer(series, pointed);
  useEffect(() => {
    if (container.current === null) return;
    const drawn = drawChart(container.current, series, setPointed);
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
      {pointer && <Legend entries={pointer.entries} />}
      <div
        ref={container}
        role="img"
        aria-label={`${what}${series.instrument && ` of ${series.instrument}`}`}
        aria-describedby={factsId}
        className={styles.chart}
      />
      {pointer && (
        <TradeSlider
          ticks={pointer.ticks}
          at={pointer.at}
          text={legendText(pointer.entries)}
          onTrade={(time, price) => {
            drawing.current?.point(time, price);
            setPointed(time);
          }}
        />
      )}
      <Facts id={factsId} facts={chartFacts(series)} />
      <div className={styles.notes}>
        <p>{[`Times in ${marketClockText(timeZone)}.`, ...chartRemarks(series)].join(' ')}</p>
        <Attribution />
      </div>
    </>
  );
}
