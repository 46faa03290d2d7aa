import { type ComponentProps, lazy, Suspense } from 'react';
import { loadPart } from '../api/server-back';
import { marketClockText } from '../format/times';
import type { ChartCanvas as Canvas } from './chart-canvas';
import styles from './chart-view.module.css';

/** The library that draws comes with the first chart. */
const ChartCanvas = lazy(() =>
  loadPart(() => import('./chart-canvas')).then((part) => ({ default: part.ChartCanvas })),
);

type CanvasProps = ComponentProps<typeof Canvas>;

interface ChartFrameProps extends Omit<CanvasProps, 'drawn'> {
  /** Null: there is nothing yet. */
  drawn: CanvasProps['drawn'] | null;
  timeZone: string;
  /** What is drawn, in words. */
  status: string;
}

/** A chart, whatever its points come from, and the notes below it. */
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
