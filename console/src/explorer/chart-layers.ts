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
  spanOf,
  type Timeline,
} from './bars';
import { type ChartColours, lineColours } from './chart-theme';
import type { regularHours } from './regular-hours';

/** Lines that stand closer than so are not drawn: they would be a hatching over the candles. */
const DISTANCE_MIN_PX = 60;
/** Wider than the line of the grid that may lie over it. */
const LINE_PX = 2;
/** Candles stand out before lines, and both before what is shaded. */
const LINE_OPACITY = 0.5;
const SHADE_OPACITY = 0.12;

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

/** The places that are in sight, as the library counts them, in pixels of the page. */
function inSight(chart: IChartApi, places: readonly number[]) {
  const scale = chart.timeScale();
  const range = scale.getVisibleLogicalRange();
  if (!range) return { widthPx: 0, lefts: [] };
  // Candles reach half a place to both sides.
  const widthPx = scale.width() / (range.to - range.from + 1);
  const lefts = places
    .map((place) => (place - range.from) * widthPx)
    .filter((left) => left > -widthPx && left < scale.width());
  return { widthPx, lefts };
}

function paintBands(
  target: Target,
  lefts: readonly number[],
  widthPx: number,
  [fillStyle, globalAlpha]: readonly [colour: string, opacity: number],
): void {
  target.useBitmapCoordinateSpace(({ context, bitmapSize, horizontalPixelRatio: ratio }) => {
    Object.assign(context, { fillStyle, globalAlpha });
    for (const left of lefts) {
      const [from, to] = [Math.round(left * ratio), Math.round((left + widthPx) * ratio)];
      context.fillRect(from, 0, to - from, bitmapSize.height);
    }
  });
}

/** Lines where trade dates begin, and a shade over candles outside of regular hours. */
class Sessions {
  breaks: readonly number[] = [];
  shaded: readonly number[] = [];
  colour = '';

  paint(target: Target, chart: IChartApi): void {
    const { lefts, widthPx } = inSight(chart, this.shaded);
    paintBands(target, lefts, widthPx, [this.colour, SHADE_OPACITY]);
    const lines = inSight(chart, this.breaks).lefts.filter((left) => left > 0);
    const isClose = lines.some((x, i) => i > 0 && x - lines[i - 1]! < DISTANCE_MIN_PX);
    const middles = lines.map((left) => left - LINE_PX / 2);
    if (!isClose) paintBands(target, middles, LINE_PX, [this.colour, LINE_OPACITY]);
  }
}

const RADIUS_MIN_PX = 2;
const RADIUS_MAX_PX = 9;

/** Radius of the dot of a trade, whose area goes by its size; `largest` of all that are drawn. */
export function dotRadius(size: number, largest: number): number {
  if (largest <= 0 || size <= 0) return RADIUS_MIN_PX;
  const part = Math.sqrt(Math.min(1, size / largest));
  return RADIUS_MIN_PX + (RADIUS_MAX_PX - RADIUS_MIN_PX) * part;
}

/** The trades of the places that are drawn, as dots. */
class Dots {
  trades: ReturnType<typeof groupedTrades> = [];
  /** Size of the largest trade there is, in sight or not. */
  largest = 0;
  colour = '';

  paint(target: Target, chart: IChartApi, series: ISeriesApi<SeriesType>): void {
    target.useMediaCoordinateSpace(({ context }) => {
      Object.assign(context, { fillStyle: this.colour, globalAlpha: 0.55 });
      for (const { place, price, size } of this.trades) {
        const x = chart.timeScale().logicalToCoordinate(place as Logical);
        const y = series.priceToCoordinate(price);
        if (x === null || y === null) continue;
        context.beginPath();
        context.arc(x, y, dotRadius(size, this.largest), 0, 2 * Math.PI);
        context.fill();
      }
    });
  }
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
  /** Other moments are shaded; null: none are. */
  readonly isRegular: ReturnType<typeof regularHours>;
  /** Seconds from the beginning of a bar that may begin in one session and end in the next. */
  readonly lastMinute: number;
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

function candleLayer(chart: IChartApi, options: LayerOptions): Layer {
  const { isDaily, hasVolume, isRegular, lastMinute } = options;
  const candles = chart.addSeries(CandlestickSeries, {});
  const sessions = new Sessions();
  if (!isDaily) paintOn(candles, 'bottom', (target) => sessions.paint(target, chart));
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
      sessions.breaks = own.bars.breaks.map((index) => placeOf(level, index));
      sessions.shaded = bars.flatMap(({ time: begin }, place) => {
        const end = own.bars.time[spanOf(level, place).last]! + lastMinute;
        return isRegular?.(begin, (begin + end) / 2, end) === false ? [place] : [];
      });
    },
    recolour: ({ up, down, quiet }) => {
      candles.applyOptions({ upColor: up, borderUpColor: up, wickUpColor: up });
      candles.applyOptions({ downColor: down, borderDownColor: down, wickDownColor: down });
      volumes?.applyOptions({ color: quiet });
      sessions.colour = quiet;
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
  const dots = new Dots();
  if (isTicks) paintOn(pointer, 'top', (target) => dots.paint(target, chart, pointer));
  let digits = 2;
  const paint = () => {
    for (const [index, line] of lines.entries()) {
      line.applyOptions({ color: colours[index]!, priceFormat: priceFormat(digits) });
    }
  };
  const drawTrades = (timeline: Timeline, level: Level) => {
    const own = timeline.series.get('Trade');
    if (own === undefined) return;
    const trades = groupedTrades(timeline, own, level);
    dots.trades = trades;
    dots.largest = own.bars.volume.reduce((most, size) => Math.max(most, size), 0);
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
      dots.colour = accent;
    },
  };
}

const LAYERS = { candles: candleLayer, closes: lineLayer, ticks: lineLayer } as const;

export function addLayer(chart: IChartApi, options: LayerOptions): Layer {
  return LAYERS[options.kind](chart, options);
}
