/** Draws bars: candles and volume of one symbol, or closes of several in percent. */
import {
  CandlestickSeries,
  createChart,
  HistogramSeries,
  type IChartApi,
  type ISeriesApi,
  LineSeries,
  PriceScaleMode,
  type SeriesType,
  type UTCTimestamp,
} from 'lightweight-charts';
import { priceDigitsOf, timesOf } from './bar-legend';
import type { Bar, BarsBySymbol } from './bar-page';
import { layoutOf, moveBy } from './chart-drawing';
import type { ChartTime } from './chart-series';
import { chartTimeText } from './chart-summary';
import { SessionBreaks } from './session-breaks';
import { type ChartColours, chartColours, lineColours } from './theme-colours';

const MIN_BAR_PX = 0.002;
/** Height of the volume's pane as a part of that of the prices. */
const VOLUME_PART = 0.25;
/** So many bars beyond the first one have to be in sight before earlier ones are asked for. */
const BARS_MISSING_MIN = 2;

export interface BarDrawingOptions {
  readonly isDaily: boolean;
  readonly hasVolume: boolean;
  readonly isCompared: boolean;
  /** Null where the mouse has left. */
  readonly onPoint: (time: ChartTime | null) => void;
  /** Times before the first bar came into sight. */
  readonly onEarlier: () => void;
}

export interface BarDrawing {
  /** What is in sight stays where it is. */
  setBars(bars: BarsBySymbol): void;
  /** Shows all from this moment to the last bar. */
  showFrom(time: ChartTime): void;
  /** Makes what is shown longer or shorter; 2 shows half as much. */
  zoom(factor: number): void;
  /** Moves by a part of what is shown; below 0 towards earlier times. */
  move(part: number): void;
  /** Puts the crosshair there, and the bar into sight. */
  point(time: ChartTime): void;
  /** The first moment in sight. */
  firstInSight(): ChartTime;
  picture(): HTMLCanvasElement;
  recolour(): void;
  remove(): void;
}

const at = (time: ChartTime) => time as UTCTimestamp;

interface Layer {
  readonly pointer: ISeriesApi<SeriesType>;
  setBars(bars: BarsBySymbol): void;
  stop(): void;
  recolour(colours: ChartColours, container: HTMLElement): void;
}

function priceFormatOf(bars: readonly Bar[]) {
  const precision = priceDigitsOf(bars);
  return { type: 'price', precision, minMove: 10 ** -precision } as const;
}

function candleLayer(chart: IChartApi, { isDaily, hasVolume }: BarDrawingOptions): Layer {
  const candles = chart.addSeries(CandlestickSeries, {});
  const breaks = new SessionBreaks();
  if (!isDaily) candles.attachPrimitive(breaks);
  const volumes = hasVolume
    ? chart.addSeries(
        HistogramSeries,
        { priceFormat: { type: 'volume' }, priceLineVisible: false, lastValueVisible: false },
        1,
      )
    : null;
  let later: ReturnType<typeof setTimeout> | undefined;
  chart.panes()[1]?.setStretchFactor(VOLUME_PART);
  chart.panes()[0]?.setStretchFactor(1);
  return {
    pointer: candles,
    setBars: (bars) => {
      const [own] = bars.values();
      if (!own) return;
      candles.applyOptions({ priceFormat: priceFormatOf(own.bars) });
      candles.setData(own.bars.map((bar) => ({ ...bar, time: at(bar.time) })));
      breaks.setTimes(own.breaks);
      // In a turn of its own: a year of minutes keeps the page waiting.
      clearTimeout(later);
      later = setTimeout(() =>
        volumes?.setData(own.bars.map(({ time, volume }) => ({ time: at(time), value: volume }))),
      );
    },
    stop: () => clearTimeout(later),
    recolour: ({ up, down, quiet }) => {
      candles.applyOptions({
        ...{ upColor: up, borderUpColor: up, wickUpColor: up },
        ...{ downColor: down, borderDownColor: down, wickDownColor: down },
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
    setBars: (bars) => {
      for (const [index, [symbol, own]] of [...bars].entries()) {
        lines[index] ??= add();
        lines[index].applyOptions({ title: symbol });
        lines[index].setData(own.bars.map(({ time, close }) => ({ time: at(time), value: close })));
      }
      repaint();
    },
    stop: () => undefined,
    recolour: (_, container) => {
      repaint = () => {
        const colours = lineColours(container);
        for (const [index, line] of lines.entries()) line.applyOptions({ color: colours[index]! });
      };
      repaint();
    },
  };
}

export function drawBars(container: HTMLElement, options: BarDrawingOptions): BarDrawing {
  const { isDaily, isCompared, onPoint, onEarlier } = options;
  const chart = createChart(container, {
    ...layoutOf(chartColours(container)),
    autoSize: true,
    localization: { timeFormatter: (time: unknown) => chartTimeText(Number(time), isDaily) },
  });
  const scale = chart.timeScale();
  scale.applyOptions({
    timeVisible: !isDaily,
    secondsVisible: false,
    minBarSpacing: MIN_BAR_PX,
    enableConflation: true,
  });
  const layer = isCompared ? compareLayer(chart) : candleLayer(chart, options);
  let times: readonly ChartTime[] = [];
  chart.subscribeCrosshairMove(({ time }) => onPoint(time === undefined ? null : Number(time)));
  scale.subscribeVisibleLogicalRangeChange((range) => {
    if (range !== null && times.length > 0 && range.from < -BARS_MISSING_MIN) onEarlier();
  });
  const recolour = () => {
    const colours = chartColours(container);
    chart.applyOptions(layoutOf(colours));
    layer.recolour(colours, container);
  };
  recolour();
  return {
    setBars: (bars) => {
      times = timesOf(bars);
      layer.setBars(bars);
    },
    showFrom: (time) => {
      const first = times.findIndex((each) => each >= time);
      if (first >= 0) scale.setVisibleLogicalRange({ from: first - 0.5, to: times.length - 0.5 });
    },
    zoom: (factor) => moveBy(chart, (from, to) => [to - (to - from) / factor, to]),
    move: (part) =>
      moveBy(chart, (from, to) => [from + (to - from) * part, to + (to - from) * part]),
    point: (time) => {
      const index = times.indexOf(time);
      const range = scale.getVisibleLogicalRange();
      if (range && (index < range.from || index > range.to)) {
        const half = (range.to - range.from) / 2;
        scale.setVisibleLogicalRange({ from: index - half, to: index + half });
      }
      const data = layer.pointer.dataByIndex(index, -1);
      const price = data && ('close' in data ? data.close : 'value' in data ? data.value : null);
      if (price != null) chart.setCrosshairPosition(price, at(time), layer.pointer);
    },
    firstInSight: () => {
      const from = scale.getVisibleLogicalRange()?.from ?? 0;
      return times[Math.max(0, Math.ceil(from))] ?? 0;
    },
    picture: () => chart.takeScreenshot(),
    recolour,
    remove: () => {
      layer.stop();
      chart.remove();
    },
  };
}
