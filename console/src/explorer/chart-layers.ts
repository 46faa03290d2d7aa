import {
  CandlestickSeries,
  HistogramSeries,
  type IChartApi,
  type IPrimitivePaneRenderer,
  type IPrimitivePaneView,
  type ISeriesApi,
  type ISeriesPrimitive,
  LineSeries,
  LineType,
  PriceScaleMode,
  type SeriesAttachedParameter,
  type SeriesType,
  type Time,
  type UTCTimestamp,
} from 'lightweight-charts';
import { type Bars, groupedBars, groupedCloses, type Level, placeOf, type Timeline } from './bars';
import { priceDigitsOf, tickDigitsOf } from './chart-legend';
import { type ChartColours, lineColours } from './chart-theme';
import { dotRadius, type Point, type Tick, tickAt } from './tick-series';

/** Lines that stand closer than so are not drawn: they would be a hatching over the candles. */
const DISTANCE_MIN_PX = 60;
/** Candles stand out before them. */
const OPACITY = 0.5;

type Target = Parameters<IPrimitivePaneRenderer['draw']>[0];

/** Drawn by us, in one colour, over or under what the library draws of a series. */
abstract class Painting implements ISeriesPrimitive<Time> {
  protected chart: IChartApi | null = null;
  protected series: ISeriesApi<SeriesType> | null = null;
  protected update = (): void => undefined;
  protected colour = '';
  readonly #views: readonly IPrimitivePaneView[];

  constructor(place: 'bottom' | 'top') {
    const renderer = () => ({ draw: (target: Target) => this.draw(target) });
    this.#views = [{ zOrder: () => place, renderer }];
  }

  attached({ chart, series, requestUpdate }: SeriesAttachedParameter<Time>): void {
    this.chart = chart as IChartApi;
    this.series = series;
    this.update = requestUpdate;
  }

  detached(): void {
    this.chart = null;
  }

  setColour(colour: string): void {
    this.colour = colour;
    this.update();
  }

  paneViews(): readonly IPrimitivePaneView[] {
    return this.#views;
  }

  protected abstract draw(target: Target): void;
}

class SessionBreaks extends Painting {
  #places: readonly number[] = [];

  /** The candles that trade dates begin with, as the library counts them. */
  setPlaces(places: readonly number[]): void {
    this.#places = places;
    this.update();
  }

  /** In pixels of the page; none where lines are too close. */
  #lines(): number[] {
    const scale = this.chart?.timeScale();
    const range = scale?.getVisibleLogicalRange();
    if (!scale || !range) return [];
    const width = scale.width();
    // Candles reach half a place to both sides.
    const candlePx = width / (range.to - range.from + 1);
    const lines = this.#places
      .map((place) => (place - range.from) * candlePx)
      .filter((x) => x > 0 && x < width);
    const isClose = lines.some((x, i) => i > 0 && x - lines[i - 1]! < DISTANCE_MIN_PX);
    return isClose ? [] : lines;
  }

  protected override draw(target: Target): void {
    target.useBitmapCoordinateSpace(({ context, bitmapSize, horizontalPixelRatio }) => {
      context.fillStyle = this.colour;
      context.globalAlpha = OPACITY;
      for (const x of this.#lines()) {
        // Wider than the line of the grid that may lie over it.
        const width = Math.max(2, Math.round(2 * horizontalPixelRatio));
        const left = Math.round(x * horizontalPixelRatio) - width / 2;
        context.fillRect(left, 0, width, bitmapSize.height);
      }
    });
  }
}

interface Dot {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
}

class TradeDots extends Painting {
  #trades: readonly Tick[] = [];
  #largest = 0;

  setTrades(trades: readonly Tick[]): void {
    this.#trades = trades;
    this.#largest = trades.reduce((most, { size }) => Math.max(most, size), 0);
    this.update();
  }

  #dots(): Dot[] {
    const scale = this.chart?.timeScale();
    const range = scale?.getVisibleRange();
    if (!scale || !range) return [];
    const first = tickAt(this.#trades, Number(range.from));
    const begin = first === null ? 0 : this.#trades.indexOf(first);
    const dots: Dot[] = [];
    for (let index = begin; index < this.#trades.length; index++) {
      const { time, value, size } = this.#trades[index]!;
      if (time > Number(range.to)) break;
      const x = scale.timeToCoordinate(time as UTCTimestamp);
      const y = this.series?.priceToCoordinate(value) ?? null;
      if (x !== null && y !== null) dots.push({ x, y, radius: dotRadius(size, this.#largest) });
    }
    return dots;
  }

  protected override draw(target: Target): void {
    target.useMediaCoordinateSpace(({ context }) => {
      context.fillStyle = this.colour;
      context.globalAlpha = 0.55;
      for (const { x, y, radius } of this.#dots()) {
        context.beginPath();
        context.arc(x, y, radius, 0, 2 * Math.PI);
        context.fill();
      }
      context.globalAlpha = 1;
    });
  }
}

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
  const breaks = new SessionBreaks('bottom');
  if (!isDaily) candles.attachPrimitive(breaks);
  const volumes = hasVolume ? addVolumes(chart) : null;
  let formatted: Bars | null = null;
  return {
    pointer: candles,
    draw: ({ series }, level) => {
      const [own] = series.values();
      if (!own) return;
      // The library draws the line at its last price, which is not always the last one.
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
  const dots = new TradeDots('top');
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
