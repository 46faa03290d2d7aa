/** Draws the points of a chart of rows. Only files of drawing know the charting library. */
import {
  CandlestickSeries,
  ColorType,
  HistogramSeries,
  type IChartApi,
  type ISeriesApi,
  LineSeries,
  LineType,
  type SeriesType,
  type UTCTimestamp,
} from 'lightweight-charts';
import type { CandleSeries, ChartSeries, ChartTime, Point, TickSeries } from './chart-series';
import { chartTimeText, isDailySeries } from './chart-summary';
import { scaleDigits } from './price-digits';
import { type ChartColours, chartColours } from './theme-colours';
import { createTimeChart } from './time-axis';
import { TradeDots } from './trade-dots';

export interface Drawing {
  /** Puts the crosshair at the price of a moment that has a point. */
  point(time: ChartTime, price: number): void;
  /** Makes what is shown longer or shorter; 2 shows half as much. */
  zoom(factor: number): void;
  /** Moves by a part of what is shown; below 0 towards earlier times. */
  move(part: number): void;
  showAll(): void;
  recolour(): void;
  remove(): void;
}

const VOLUME_SCALE = 'volume';
const MIN_BAR_PX = 0.01;

function timed<T extends { readonly time: number }>(points: readonly T[]) {
  return points.map((point) => ({ ...point, time: point.time as UTCTimestamp }));
}

function priceFormat(values: readonly number[]) {
  const precision = scaleDigits(values);
  return { type: 'price', precision, minMove: 10 ** -precision } as const;
}

export function layoutOf(colours: ChartColours) {
  return {
    layout: {
      fontFamily: getComputedStyle(document.documentElement).fontFamily,
      background: { type: ColorType.Solid, color: colours.surface },
      textColor: colours.text,
      attributionLogo: false,
      panes: { separatorColor: colours.border, separatorHoverColor: colours.border },
    },
    grid: { vertLines: { color: colours.border }, horzLines: { color: colours.border } },
    rightPriceScale: { borderColor: colours.border, entireTextOnly: true },
    timeScale: { borderColor: colours.border },
  };
}

type Recolour = (colours: ChartColours) => void;

interface Added {
  readonly recolours: readonly Recolour[];
  /** The series whose prices the crosshair goes by. */
  readonly pointer: ISeriesApi<SeriesType>;
}

function addVolumes(chart: IChartApi, volumes: readonly Point[]): Recolour {
  if (!volumes.some(({ value }) => value > 0)) return () => undefined;
  const series = chart.addSeries(HistogramSeries, {
    priceFormat: { type: 'volume' },
    priceScaleId: VOLUME_SCALE,
    priceLineVisible: false,
    lastValueVisible: false,
  });
  series.priceScale().applyOptions({ scaleMargins: { top: 0.8, bottom: 0 } });
  series.setData(timed(volumes));
  return ({ quiet }) => series.applyOptions({ color: quiet });
}

function addCandles(chart: IChartApi, { candles, volumes }: CandleSeries): Added {
  const recolourVolumes = addVolumes(chart, volumes);
  const series = chart.addSeries(CandlestickSeries, {
    priceFormat: priceFormat(candles.map(({ close }) => close)),
  });
  series.priceScale().applyOptions({ scaleMargins: { top: 0.05, bottom: 0.25 } });
  series.setData(timed(candles));
  const recolour: Recolour = ({ up, down }) =>
    series.applyOptions({
      upColor: up,
      downColor: down,
      borderUpColor: up,
      borderDownColor: down,
      wickUpColor: up,
      wickDownColor: down,
    });
  return { recolours: [recolourVolumes, recolour], pointer: series };
}

function addTicks(chart: IChartApi, series: TickSeries): Added {
  const { trades, bids, asks, volumes } = series;
  const recolourVolumes = addVolumes(chart, volumes);
  const shared = {
    priceFormat: priceFormat([...trades, ...bids, ...asks].map(({ value }) => value)),
    priceLineVisible: false,
    lastValueVisible: false,
    crosshairMarkerVisible: false,
  };
  const quote = { ...shared, lineType: LineType.WithSteps, lineWidth: 1 as const };
  const bid = chart.addSeries(LineSeries, { ...quote, title: 'Bid' });
  const ask = chart.addSeries(LineSeries, { ...quote, title: 'Ask' });
  const trade = chart.addSeries(LineSeries, {
    ...shared,
    lineVisible: false,
  });
  const dots = new TradeDots(trades);
  trade.attachPrimitive(dots);
  bid.setData(timed(bids));
  ask.setData(timed(asks));
  trade.setData(timed(trades));
  trade.priceScale().applyOptions({ scaleMargins: { top: 0.05, bottom: 0.25 } });
  const recolour: Recolour = (colours) => {
    bid.applyOptions({ color: colours.up });
    ask.applyOptions({ color: colours.down });
    trade.applyOptions({ color: colours.accent });
    dots.setColour(colours.accent);
  };
  return { recolours: [recolourVolumes, recolour], pointer: trade };
}

function timesOf(series: ChartSeries): number[] {
  const points =
    series.kind === 'candles' ? series.candles : [...series.trades, ...series.bids, ...series.asks];
  return points.map(({ time }) => time);
}

function moveBy(chart: IChartApi, change: (from: number, to: number) => readonly [number, number]) {
  const scale = chart.timeScale();
  const range = scale.getVisibleLogicalRange();
  if (range === null) return;
  const [from, to] = change(range.from, range.to);
  scale.setVisibleLogicalRange({ from, to });
}

/** `onPoint`: the moment that the mouse points at; null where it has left. */
export function drawChart(
  container: HTMLElement,
  series: ChartSeries,
  onPoint: (time: ChartTime | null) => void,
): Drawing {
  const isDaily = isDailySeries(timesOf(series));
  const timeFormatter = (time: unknown) => chartTimeText(Number(time), isDaily);
  const chart = createTimeChart(container, {
    ...layoutOf(chartColours(container)),
    autoSize: true,
    localization: { timeFormatter },
  });
  chart.timeScale().applyOptions({
    timeVisible: !isDaily,
    secondsVisible: series.kind === 'ticks',
    // Narrow screens show all points too.
    minBarSpacing: MIN_BAR_PX,
  });
  const { recolours, pointer } =
    series.kind === 'candles' ? addCandles(chart, series) : addTicks(chart, series);
  chart.subscribeCrosshairMove(({ time }) => onPoint(time === undefined ? null : Number(time)));
  const recolour = () => {
    const colours = chartColours(container);
    chart.applyOptions(layoutOf(colours));
    for (const apply of recolours) apply(colours);
  };
  recolour();
  chart.timeScale().fitContent();
  return {
    zoom: (factor) =>
      moveBy(chart, (from, to) => {
        const [middle, half] = [(from + to) / 2, (to - from) / 2 / factor];
        return [middle - half, middle + half];
      }),
    move: (part) =>
      moveBy(chart, (from, to) => [from + (to - from) * part, to + (to - from) * part]),
    showAll: () => chart.timeScale().fitContent(),
    point: (time, price) => chart.setCrosshairPosition(price, time as UTCTimestamp, pointer),
    recolour,
    remove: () => chart.remove(),
  };
}
