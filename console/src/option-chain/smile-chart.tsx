import { createOptionsChart, LineSeries } from 'lightweight-charts';
import { useEffect, useRef } from 'react';
import { chartColours, lineColours, watchTheme } from '../explorer/chart-theme';
import styles from './option-chain.module.css';
import { type Strike, smileOf } from './strikes';

const SIDES = ['call', 'put'] as const;

export const percentText = (fraction: number) => `${(fraction * 100).toFixed(1)}%`;

function drawSmile(container: HTMLElement, strikes: readonly Strike[]): () => void {
  const chart = createOptionsChart(container, {
    autoSize: true,
    // Before anything is drawn: the security policy refuses the logo's style.
    layout: { attributionLogo: false },
    localization: { priceFormatter: percentText },
    rightPriceScale: { scaleMargins: { top: 0.1, bottom: 0.1 } },
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
    const { surface, text, border } = chartColours(container);
    chart.applyOptions({
      layout: { background: { color: surface }, textColor: text },
      grid: { vertLines: { color: border }, horzLines: { color: border } },
    });
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
