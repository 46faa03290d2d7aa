import {
  CandlestickSeries,
  HistogramSeries,
  type IChartApi,
  type IPrimitivePaneRenderer,
  type ISeriesApi,
  LineSeries,
  LineType,
  type Logical,
  type SeriesType,
  type UTCTimestamp,
} from 'lightweight-charts';
import {
  groupedBars,
  groupedCloses,
  groupedTrades,
  type Level,
  placeOf,
  type Timeline,
} from './bars';
import { type ChartColours, lineColours } from './chart-theme';

/** Lines that stand closer than so are not drawn: they would be a hatching over the candles. */
const DISTANCE_MIN_PX = 60;
/** Candles stand out before them. */
const OPACITY = 0.5;

type Target = Parameters<IPrimitivePaneRenderer['draw']>[0];

/** Draws over or under what the library draws of a series, whenever it draws that. */
function paintOn(
  series: ISeriesApi<SeriesType>,
  place: 'bottom' | 'top',
  draw: (target: Target) => void,
): void {
  const views = [{ zOrder: () => place, renderer: () => ({ draw }) }];
  series.attachPrimitive({ paneViews: () => views });
}

/**
 * Where places begin, in pixels of the page, as the library counts places; none where they are too
 * close.
 */
function linesAt(chart: IChartApi, places: readonly number[]): number[] {
  const scale = chart.timeScale();
  const range = scale.getVisibleLogicalRange();
  if (!range) return [];
  const width = scale.width();
  // Candles reach half a place to both sides.
  const candlePx = width / (range.to - range.from + 1);
  const lines = places
    .map((place) => (place - range.from) * candlePx)
    .filter((x) => x > 0 && x < width);
  const isClose = lines.some((x, i) => i > 0 && x - lines[i - 1]! < DISTANCE_MIN_PX);
  return isClose ? [] : lines;
}

function paintLines(target: Target, lines: readonly number[], colour: string): void {
  target.useBitmapCoordinateSpace(({ context, bitmapSize, horizontalPixelRatio }) => {
    context.fillStyle = colour;
    context.globalAlpha = OPACITY;
    for (const x of lines) {
      // Wider than the line of the grid that may lie over it.
      const width = Math.max(2, Math.round(2 * horizontalPixelRatio));
      const left = Math.round(x * horizontalPixelRatio) - width / 2;
      context.fillRect(left, 0, width, bitmapSize.height);
    }
  });
}

const RADIUS_MIN_PX = 2;
const RADIUS_MAX_PX = 9;

/** Radius of the dot of a trade, whose area goes by its size; `largest` of all that are drawn. */
export function dotRadius(size: number, largest: number): number {
  if (largest <= 0 || size <= 0) return RADIUS_MIN_PX;
  const part = Math.sqrt(Math.min(1, size / largest));
  return RADIUS_MIN_PX + (RADIUS_MAX_PX - RADIUS_MIN_PX) * part;
}

type Trade = ReturnType<typeof groupedTrades>[number];

/** `largest`: the size of the largest of all trades, in sight or not. */
function dotsOf(
  series: ISeriesApi<SeriesType>,
  chart: IChartApi,
  trades: readonly Trade[],
  largest: number,
) {
  return trades.flatMap(({ place, price, size }) => {
    const x = chart.timeScale().logicalToCoordinate(place as Logical);
    const y = series.priceToCoordinate(price);
    return x === null || y === null ? [] : [{ x, y, radius: dotRadius(size, largest) }];
  });
}

function paintDots(target: Target, dots: ReturnType<typeof dotsOf>, colour: string): void {
  target.useMediaCoordinateSpace(({ context }) => {
    context.fillStyle = colour;
    context.globalAlpha = 0.55;
    for (const { x, y, radius } of dots) {
      context.beginPath();
      context.arc(x, y, radius, 0, 2 * Math.PI);
      context.fill();
    }
    context.globalAlpha = 1;
  });
}

/** Height of the volume's pane as a part of that of the prices. */
const VOLUME_PART = 0.25;

export interface Layer {
  /** The series whose prices the crosshair goes by. */
  readonly pointer: ISeriesApi<SeriesType>;
  /** After the point, of prices on the scale. */
  setDigits(digits: number): void;
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
  let [breaks, colour] = [[] as number[], ''];
  if (!isDaily) {
    paintOn(candles, 'bottom', (target) => paintLines(target, linesAt(chart, breaks), colour));
  }
  const volumes = hasVolume ? addVolumes(chart) : null;
  return {
    pointer: candles,
    setDigits: (digits) => candles.applyOptions({ priceFormat: priceFormat(digits) }),
    draw: ({ series }, level) => {
      const [own] = series.values();
      if (!own) return;
      // The library draws the line at its last price, which is not always the last one.
      candles.applyOptions({ priceLineVisible: level.isToLast });
      const bars = groupedBars(own.bars, level);
      candles.setData(timed(bars.map(({ volume, ...prices }) => prices)));
      volumes?.setData(timed(bars.map(({ time, volume }) => ({ time, value: volume }))));
      breaks = own.bars.breaks.map((index) => placeOf(level, index));
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
      colour = quiet;
    },
  };
}

const QUIET = { priceLineVisible: false, lastValueVisible: false, crosshairMarkerVisible: false };
const QUOTE = { ...QUIET, lineType: LineType.WithSteps, lineWidth: 1 } as const;
/** In the order of the series. Trades are dots, not a line. */
const TICK_LOOKS = [
  { ...QUIET, lineVisible: false },
  { ...QUOTE, title: 'Bid' },
  { ...QUOTE, title: 'Ask' },
] as const;
const CLOSE_LOOKS = { lineWidth: 2, priceLineVisible: false } as const;

/** A line of each symbol's closes, or of bids and asks under the dots of trades. */
function lineLayer(chart: IChartApi, { kind, hasVolume }: LayerOptions): Layer {
  const isTicks = kind === 'ticks';
  const add = (index: number) =>
    chart.addSeries(LineSeries, (isTicks && TICK_LOOKS[index]) || CLOSE_LOOKS);
  const lines = [add(0)];
  const pointer = lines[0]!;
  const volumes = isTicks && hasVolume ? addVolumes(chart) : null;
  let colours: readonly string[] = [];
  let [trades, largest] = [[] as readonly Trade[], 0];
  if (isTicks) {
    paintOn(pointer, 'top', (target) =>
      paintDots(target, dotsOf(pointer, chart, trades, largest), colours[0]!),
    );
  }
  let digits = 2;
  const paint = () => {
    for (const [index, line] of lines.entries()) {
      line.applyOptions({ color: colours[index]!, priceFormat: priceFormat(digits) });
    }
  };
  const drawTrades = (timeline: Timeline, level: Level) => {
    const own = timeline.series.get('Trade');
    if (own === undefined) return;
    trades = groupedTrades(timeline, own, level);
    largest = own.bars.volume.reduce((most, size) => Math.max(most, size), 0);
    volumes?.setData(timed(trades.map(({ time, volume }) => ({ time, value: volume }))));
  };
  return {
    pointer,
    setDigits: (next) => {
      digits = next;
    },
    draw: (timeline, level) => {
      for (const [index, [title, own]] of [...timeline.series].entries()) {
        lines[index] ??= add(index);
        if (!isTicks) lines[index].applyOptions({ title });
        lines[index].setData(timed(groupedCloses(timeline, own, level)));
      }
      paint();
      if (isTicks) drawTrades(timeline, level);
    },
    recolour: ({ up, down, accent, quiet }, container) => {
      colours = isTicks ? [accent, up, down] : lineColours(container);
      paint();
      volumes?.applyOptions({ color: quiet });
    },
  };
}

const LAYERS = { candles: candleLayer, closes: lineLayer, ticks: lineLayer } as const;

export function addLayer(chart: IChartApi, options: LayerOptions): Layer {
  return LAYERS[options.kind](chart, options);
}
