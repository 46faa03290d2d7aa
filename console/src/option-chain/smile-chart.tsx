import { createOptionsChart, LineSeries } from 'lightweight-charts';
import { useEffect, useRef } from 'react';
import { chartColours, layoutOf, lineColours, watchTheme } from '../explorer/chart-theme';
import styles from './option-chain.module.css';
import { type Strike, smileOf } from './strikes';

const SIDES = ['call', 'put'] as const;

export const percentText = (fraction: number) => `${(fraction * 100).toFixed(1)}%`;

function drawSmile(container: HTMLElement, strikes: readonly Strike[]): () => void {
  const chart = createOptionsChart(container, {
    autoSize: true,
    ...layoutOf(chartColours(container)),
    localization: { priceFormatter: percentText },
  });
  chart.applyOptions({
    rightPriceScale: { scaleMargins: { top: 0.1, bottom: 0.1 } },
    timeScale: { allowBoldLabels: false },
  });
  const lines = SIDES.map((side) => {
    const line = chart.addSeries(LineSeries, {
      ...{ lineWidth: 2, pointMarkersVisible: true },
      ...{ lastValueVisible: false, priceLineVisible: false },
    });
    line.setData(smileOf(strikes, side));
    return line;
  });
  const colour = () => {
    chart.applyOptions(layoutOf(chartColours(container)));
    const colours = lineColours(container);
    for (const [at, line] of lines.entries()) line.applyOptions({ color: colours[at]! });
  };
  colour();
  chart.timeScale().fitContent();
  // As when a phone is turned.
  chart.timeScale().subscribeSizeChange(() => chart.timeScale().fitContent());
  const stopWatching = watchTheme(colour);
  return () => {
    stopWatching();
    chart.remove();
  };
}

/** Implied volatility by strike. What it shows stands in the table, too. */
export function SmileChart({ strikes, label }: { strikes: readonly Strike[]; label: string }) {
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (container.current) return drawSmile(container.current, strikes);
    return undefined;
  }, [strikes]);
  return (
    <figure className={styles.smile}>
      <figcaption>
        Implied volatility by strike: <span className={styles.call}>calls</span> and{' '}
        <span className={styles.put}>puts</span>
      </figcaption>
      <div ref={container} role="img" aria-label={label} className={styles.chart} />
    </figure>
  );
}
