/** The series of a chart of bars: candles and volume of one symbol, or closes of several in percent. */
import {
  CandlestickSeries,
  HistogramSeries,
  type IChartApi,
  type ISeriesApi,
  LineSeries,
  PriceScaleMode,
  type SeriesType,
  type UTCTimestamp,
} from 'lightweight-charts';
import type { Bars } from './bar-columns';
import { priceDigitsOf } from './bar-legend';
import { groupedBars, groupedCloses, type Level, placeOf } from './bar-levels';
import type { Timeline } from './bar-timeline';
import { SessionBreaks } from './session-breaks';
import { type ChartColours, lineColours } from './theme-colours';

/** Height of the volume's pane as a part of that of the prices. */
const VOLUME_PART = 0.25;

export interface Layer {
  /** The series whose prices the crosshair goes by. */
  readonly pointer: ISeriesApi<SeriesType>;
  draw(timeline: Timeline, level: Level): void;
  recolour(colours: ChartColours, container: HTMLElement): void;
}

const at = (time: number) => time as UTCTimestamp;

function priceFormatOf(bars: Bars) {
  const precision = priceDigitsOf(bars);
  return { type: 'price', precision, minMove: 10 ** -precision } as const;
}

function addVolumes(chart: IChartApi): ISeriesApi<'Histogram'> {
  const looks = { priceLineVisible: false, lastValueVisible: false };
  const series = chart.addSeries(HistogramSeries, { ...looks, priceFormat: { type: 'volume' } }, 1);
  chart.panes()[0]?.setStretchFactor(1);
  chart.panes()[1]?.setStretchFactor(VOLUME_PART);
  return series;
}

export function candleLayer(chart: IChartApi, isDaily: boolean, hasVolume: boolean): Layer {
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
      if (own.bars !== formatted) candles.applyOptions({ priceFormat: priceFormatOf(own.bars) });
      formatted = own.bars;
      const bars = groupedBars(own.bars, level);
      candles.setData(bars.map(({ volume, time, ...prices }) => ({ ...prices, time: at(time) })));
      volumes?.setData(bars.map(({ time, volume }) => ({ time: at(time), value: volume })));
      breaks.setPlaces(own.bars.breaks.map((index) => placeOf(level, index)));
    },
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

export function compareLayer(chart: IChartApi): Layer {
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
        const closes = groupedCloses(timeline, own, level);
        lines[index].setData(closes.map((close) => ({ ...close, time: at(close.time) })));
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
