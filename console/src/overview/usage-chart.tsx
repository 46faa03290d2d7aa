import { useRef, useState } from 'react';
import { QUANTITIES, type Quantity } from '../format/quantities';
import { useWidth } from '../ui/use-width';
import { axisTicks, labelStep } from './chart-scale';
import styles from './usage-chart.module.css';
import type { DayAmounts } from './usage-summary';

const HEIGHT = 220;
const TOP = 10;
const BOTTOM = 24;
const LEFT = 60;
const LABEL_WIDTH = 30;
const BAR_PART = 0.72;

interface Bar {
  readonly day: string;
  readonly amount: number;
}

interface Layout {
  readonly width: number;
  readonly slotWidth: number;
  readonly ticks: readonly number[];
  readonly y: (amount: number) => number;
}

function layoutOf(bars: readonly Bar[], width: number): Layout {
  const ticks = axisTicks(Math.max(...bars.map(({ amount }) => amount)));
  const top = ticks.at(-1) ?? 1;
  const plotHeight = HEIGHT - TOP - BOTTOM;
  return {
    width,
    slotWidth: Math.max(width - LEFT, 0) / bars.length,
    ticks,
    y: (amount) => TOP + plotHeight * (1 - amount / top),
  };
}

function Axis({ layout, measure }: { layout: Layout; measure: Quantity }) {
  const { text } = QUANTITIES[measure];
  return layout.ticks.map((tick) => (
    <g key={tick}>
      <line
        className={styles.grid}
        x1={LEFT}
        x2={layout.width}
        y1={layout.y(tick)}
        y2={layout.y(tick)}
      />
      <text className={styles.tick} x={LEFT - 8} y={layout.y(tick) + 4} textAnchor="end">
        {text(tick)}
      </text>
    </g>
  ));
}

interface BarsProps {
  bars: readonly Bar[];
  layout: Layout;
  onPoint: (bar: Bar | null) => void;
}

function Bars({ bars, layout, onPoint }: BarsProps) {
  const { slotWidth, y } = layout;
  const step = labelStep(slotWidth, LABEL_WIDTH);
  return bars.map((bar, at) => {
    const x = LEFT + at * slotWidth;
    const number = at + 1;
    return (
      <g key={bar.day} className={styles.slot} onPointerEnter={() => onPoint(bar)}>
        <rect className={styles.hit} x={x} y={TOP} width={slotWidth} height={HEIGHT - TOP} />
        {bar.amount > 0 && (
          <rect
            className={styles.bar}
            x={x + (slotWidth * (1 - BAR_PART)) / 2}
            y={Math.min(y(bar.amount), y(0) - 2)}
            width={slotWidth * BAR_PART}
            height={Math.max(y(0) - y(bar.amount), 2)}
          />
        )}
        {at % step === 0 && (
          <text className={styles.tick} x={x + slotWidth / 2} y={HEIGHT - 6} textAnchor="middle">
            {number}
          </text>
        )}
      </g>
    );
  });
}

/** In words what the bars show: for who cannot see them. */
function description(bars: readonly Bar[], measure: Quantity): string {
  const total = bars.reduce((sum, { amount }) => sum + amount, 0);
  const most = bars.reduce((best, bar) => (bar.amount > best.amount ? bar : best));
  const all = `${QUANTITIES[measure].longText(total)} this month`;
  if (total === 0) return all;
  return `${all}. Busiest day: ${most.day}, ${QUANTITIES[measure].longText(most.amount)}.`;
}

interface UsageChartProps {
  days: readonly DayAmounts[];
  measure: Quantity;
}

/** One bar for each day of a month; what is pointed at is told below. */
export function UsageChart({ days, measure }: UsageChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const [pointed, setPointed] = useState<string | null>(null);
  const bars = days.map((amounts) => ({ day: amounts.day, amount: amounts[measure] }));
  const layout = layoutOf(bars, width);
  const bar = bars.find(({ day }) => day === pointed);
  const text = description(bars, measure);
  return (
    <div ref={frame} className={styles.frame}>
      {width > 0 && (
        <svg
          role="img"
          aria-label={text}
          width={width}
          height={HEIGHT}
          onPointerLeave={() => setPointed(null)}
        >
          <Axis layout={layout} measure={measure} />
          <Bars bars={bars} layout={layout} onPoint={(next) => setPointed(next?.day ?? null)} />
        </svg>
      )}
      <p className={styles.readout} aria-hidden>
        {bar ? `${bar.day}: ${QUANTITIES[measure].longText(bar.amount)}` : text}
      </p>
    </div>
  );
}
