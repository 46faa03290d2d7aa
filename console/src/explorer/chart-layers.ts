/** The series of a chart: candles and volume, closes of several symbols in percent, or trades over quotes. */
import {
  CandlestickSeries,
  HistogramSeries,
  type IChartApi,
  type ISeriesApi,
  LineSeries,
  LineType,
  PriceScaleMode,
  type SeriesType,
  type UTCTimestamp,
} from 'lightweight-charts';
import type { Bars } from './bar-columns';
import { groupedBars, groupedCloses, type Level, placeOf } from './bar-levels';
import type { Timeline } from './bar-timeline';
import { priceDigitsOf, tickDigitsOf } from './chart-legend';
import { SessionBreaks } from './session-breaks';
import { type ChartColours, lineColours } from './theme-colours';
import type { Point } from './tick-series';
import { TradeDots } from './trade-dots';

/** Height of the volume's pane as a part of that of the prices. */
const VOLUME_PART = 0.25;

export interface Layer {
  /** The series whose prices the crosshair goes by. */
  readonly pointer: ISeriesApi<SeriesType>;
  draw(timeline: Timeline, level: Level): void;
  recolour(colours: ChartColours, container: HTMLElement): void;
}

export interface LayerOptions {
  readonly kind: 'candles' | 'closes' | 'ticks';
  readonly isDaily: boolean;
  readonly hasVolume: boolean;
}

function timed<T extends { readonly time: number }>(points: readonly T[]) {
  return points.map((point) => ({ ...point, time: point.time as UTCTimestamp }));
}

function priceFormat(precision: number) {
  return { type: 'price', precision, minMove: 10 ** -precision } as const;
}

function addVolumes(chart: IChartApi): ISeriesApi<'Histogram'> {
  const looks = { priceLineVisible: false, lastValueVisible: false };
  const series = chart.addSeries(HistogramSeries, { ...looks, priceFormat: { type: 'volume' } }, 1);
  chart.panes()[0]?.setStretchFactor(1);
  chart.panes()[1]?.setStretchFactor(VOLUME_PART);
  return series;
}

function candleLayer(chart: IChartApi, { isDaily, hasVolume }: LayerOptions): Layer {
  const candles = chart.addSeries(CandlestickSeries, {});
  const breaks = new SessionBreaks();
  if (!isDaily) candles.attachPrimitive(breaks);
  const volumes = hasVolume ? addVolumes(chart) : null;
  let formatted: Bars | null = null;
  return {
    pointer: candles,
    draw: ({ series }, level) => {
      const [own] = series.values();
      if (!own) return;
      // It is drawn at the last price that the library knows of, which is not always the last one.
      candles.applyOptions({ priceLineVisible: level.isToLast });
      if (own.bars !== formatted) {
        candles.applyOptions({ priceFormat: priceFormat(priceDigitsOf(own.bars)) });
      }
      formatted = own.bars;
      const bars = groupedBars(own.bars, level);
      candles.setData(timed(bars.map(({ volume, ...prices }) => prices)));
      volumes?.setData(timed(bars.map(({ time, volume }) => ({ time, value: volume }))));
      breaks.setPlaces(own.bars.breaks.map((index) => placeOf(level, index)));
    },
    recolour: ({ up, down, quiet }) => {
      candles.applyOptions({
        upColor: up,
        borderUpColor: up,
        wickUpColor: up,
        downColor: down,
        borderDownColor: down,
        wickDownColor: down,
      });
      volumes?.applyOptions({ color: quiet });
      breaks.setColour(quiet);
    },
  };
}

function compareLayer(chart: IChartApi): Layer {
  const lines: ISeriesApi<'Line'>[] = [];
  const add = () => chart.addSeries(LineSeries, { lineWidth: 2, priceLineVisible: false });
  lines.push(add());
  chart.priceScale('right').applyOptions({ mode: PriceScaleMode.Percentage });
  let repaint = (): void => undefined;
  return {
    pointer: lines[0]!,
    draw: (timeline, level) => {
      for (const [index, [symbol, own]] of [...timeline.series].entries()) {
        lines[index] ??= add();
        lines[index].applyOptions({ title: symbol });
        lines[index].setData(timed(groupedCloses(timeline, own, level)));
      }
      repaint();
    },
    recolour: (_, container) => {
      repaint = () => {
        const colours = lineColours(container);
        for (const [index, line] of lines.entries()) line.applyOptions({ color: colours[index]! });
      };
      repaint();
    },
  };
}

function tickLayer(chart: IChartApi, { hasVolume }: LayerOptions): Layer {
  const quiet = { priceLineVisible: false, lastValueVisible: false, crosshairMarkerVisible: false };
  const quote = { ...quiet, lineType: LineType.WithSteps, lineWidth: 1 as const };
  const bids = chart.addSeries(LineSeries, { ...quote, title: 'Bid' });
  const asks = chart.addSeries(LineSeries, { ...quote, title: 'Ask' });
  const trades = chart.addSeries(LineSeries, { ...quiet, lineVisible: false });
  const volumes = hasVolume ? addVolumes(chart) : null;
  const dots = new TradeDots();
  trades.attachPrimitive(dots);
  return {
    pointer: trades,
    draw: ({ ticks }) => {
      if (ticks === null) return;
      const format = { priceFormat: priceFormat(tickDigitsOf(ticks)) };
      const plain = (points: readonly Point[]) =>
        timed(points.map(({ time, value }) => ({ time, value })));
      for (const series of [bids, asks, trades]) series.applyOptions(format);
      bids.setData(plain(ticks.bids));
      asks.setData(plain(ticks.asks));
      trades.setData(plain(ticks.trades));
      volumes?.setData(timed(ticks.trades.map(({ time, size }) => ({ time, value: size }))));
      dots.setTrades(ticks.trades);
    },
    recolour: (colours) => {
      bids.applyOptions({ color: colours.up });
      asks.applyOptions({ color: colours.down });
      trades.applyOptions({ color: colours.accent });
      volumes?.applyOptions({ color: colours.quiet });
      dots.setColour(colours.accent);
    },
  };
}

export function addLayer(chart: IChartApi, options: LayerOptions): Layer {
  if (options.kind === 'ticks') return tickLayer(chart, options);
  return options.kind === 'closes' ? compareLayer(chart) : candleLayer(chart, options);
}
