/**
 * The bars of a chart that are in sight, and the few thousand candles around it that the library is
 * given: it holds the page up for as many bars as it knows. The library moves and zooms what it was
 * given by itself; when that leads too close to an edge, or to candles that are too narrow or too
 * wide, it gets others.
 */
import { type IChartApi, PriceScaleMode, type UTCTimestamp } from 'lightweight-charts';
import {
  type ChartTime,
  groupSize,
  indexFrom,
  type Level,
  levelOf,
  placeOf,
  type Span,
  spanOf,
  type Timeline,
  type View,
} from './bars';
import { addLayer, type Layer, type LayerOptions } from './chart-layers';
import { chartTimeText } from './chart-legend';
import { chartColours, createTimeChart, layoutOf } from './chart-theme';

/** Candles stand no closer than so, and are put together less when they could be drawn so wide. */
const CANDLE_PX_MIN = 1;
const CANDLE_PX_WIDE = 2.5;
/** So much of what is in sight has to be drawn beyond each edge. */
const MARGIN_MIN = 0.25;
const SETTLED_RANGE = 1e-3;

class BarWindow {
  readonly #chart: IChartApi;
  readonly #draw: (level: Level) => void;
  #count = 0;
  #level: Level = { size: 1, pad: 0, start: 0, end: 0, isToLast: true };
  /** Told to the library, which may not have come to it; null: it shows what is in sight. */
  #told: { readonly view: View; readonly range: View } | null = null;

  /** `draw` gives the library the candles of a level. */
  constructor(chart: IChartApi, draw: (level: Level) => void) {
    this.#chart = chart;
    this.#draw = draw;
  }

  /** Null while nothing has been shown. */
  view(): View | null {
    if (this.#told) return this.#told.view;
    const range = this.#chart.timeScale().getVisibleLogicalRange();
    if (range === null) return null;
    const { size, pad, start } = this.#level;
    // The library counts from the middle of one candle to that of another, and both are seen whole.
    return { from: (start + range.from) * size - pad, to: (start + range.to + 1) * size - pad };
  }

  show(view: View): void {
    this.#level = levelOf(view, this.#sizeFor(view), this.#count);
    const { size, pad, start } = this.#level;
    const range = {
      from: (view.from + pad) / size - start,
      to: (view.to + pad) / size - start - 1,
    };
    this.#draw(this.#level);
    this.#told = { view, range };
    this.#chart.timeScale().setVisibleLogicalRange(range);
  }

  /** There are so many moments now, of which the last ones are those that there were. */
  setCount(count: number): void {
    const view = this.view();
    const more = count - this.#count;
    const isFirst = this.#count === 0;
    this.#count = count;
    if (view !== null && !isFirst) this.show({ from: view.from + more, to: view.to + more });
  }

  /** To be told what the library shows, as often as that changes. */
  noteRange({ from, to }: View): void {
    const range = this.#told?.range;
    if (!range) return;
    const distance = Math.abs(from - range.from) + Math.abs(to - range.to);
    if (distance < SETTLED_RANGE) this.#told = null;
  }

  /** From now on the library shows what counts, whether or not it was told to. */
  settle(): void {
    this.#told = null;
  }

  /** Gives the library other candles where those that it has do not fit what is in sight. */
  follow(): void {
    const view = this.view();
    if (view !== null && this.#told === null && !this.#isFit(view)) this.show(view);
  }

  spanAt(place: number): Span {
    return spanOf(this.#level, place);
  }

  placeOf(moment: number): number {
    return placeOf(this.#level, moment);
  }

  #width(): number {
    return this.#chart.timeScale().width() || this.#chart.chartElement().clientWidth;
  }

  /** As many bars in one candle as now, while that looks well. */
  #sizeFor(view: View): number {
    const { size } = this.#level;
    const px = (this.#width() * size) / (view.to - view.from);
    const isWell = px >= CANDLE_PX_MIN && (size === 1 || px <= CANDLE_PX_WIDE);
    return isWell ? size : groupSize(view, this.#width() / CANDLE_PX_MIN);
  }

  #isFit(view: View): boolean {
    const { size, pad, start, end } = this.#level;
    const margin = (view.to - view.from) * MARGIN_MIN;
    const first = Math.max(0, view.from - margin);
    const last = Math.min(this.#count, view.to + margin);
    const isInside = start * size - pad <= first && end * size - pad >= last;
    return isInside && this.#sizeFor(view) === size;
  }
}

/** Narrow screens show all points, too. */
const MIN_BAR_PX = 0.01;
/** So many bars beyond the first one have to be in sight before earlier ones are asked for. */
const BARS_MISSING_MIN = 2;

interface DrawingOptions extends LayerOptions {
  /** The candle that the mouse points at may stand for several bars; null where it has left. */
  readonly onPoint: (span: Span | null) => void;
  /** Times before the first bar came into sight. */
  readonly onEarlier: () => void;
  /** How many bars a candle stands for now. */
  readonly onGroup: (size: number) => void;
}

export type Drawing = ReturnType<typeof drawChart>;

/** Calls `onFree` when the last finger or button is lifted; says whether any is down. */
function watchPointers(container: HTMLElement, onFree: () => void) {
  const down = new Set<number>();
  const abort = new AbortController();
  const { signal } = abort;
  container.addEventListener('pointerdown', ({ pointerId }) => down.add(pointerId), { signal });
  for (const name of ['pointerup', 'pointercancel'] as const) {
    const free = ({ pointerId }: PointerEvent) => {
      if (down.delete(pointerId) && down.size === 0) onFree();
    };
    window.addEventListener(name, free, { signal });
  }
  return { isDown: () => down.size > 0, stop: () => abort.abort() };
}

/** Exchanges what the library was given as people move and zoom it, but not under their fingers. */
function followWindow(
  container: HTMLElement,
  chart: IChartApi,
  shown: BarWindow,
  onEarlier: () => void,
): () => void {
  let frame = 0;
  const followSoon = () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => {
      const view = shown.view();
      if (view !== null && view.from < -BARS_MISSING_MIN) onEarlier();
      if (!pointers.isDown()) shown.follow();
    });
  };
  const pointers = watchPointers(container, () => {
    shown.settle();
    followSoon();
  });
  chart.timeScale().subscribeVisibleLogicalRangeChange((range) => {
    if (range === null) return;
    shown.noteRange(range);
    followSoon();
  });
  return () => {
    cancelAnimationFrame(frame);
    pointers.stop();
  };
}

function pointAt(
  chart: IChartApi,
  { pointer }: Layer,
  shown: BarWindow,
  times: Float64Array,
  moment: number,
): void {
  const view = shown.view();
  if (view === null) return;
  const half = (view.to - view.from) / 2;
  const isInSight = moment >= view.from && moment < view.to;
  if (!isInSight) shown.show({ from: moment - half, to: moment + half });
  const place = shown.placeOf(moment);
  const data = pointer.dataByIndex(place, -1);
  const price = data && ('close' in data ? data.close : 'value' in data ? data.value : null);
  const time = times[shown.spanAt(place).first];
  if (price != null && time !== undefined) {
    chart.setCrosshairPosition(price, time as UTCTimestamp, pointer);
  }
}

export function drawChart(container: HTMLElement, options: DrawingOptions) {
  const { kind, isDaily, onPoint, onEarlier, onGroup } = options;
  const chart = createTimeChart(container, {
    ...layoutOf(chartColours(container)),
    autoSize: true,
    // Candles are exchanged when they are let go, so they must not move on by themselves.
    kineticScroll: { touch: false, mouse: false },
    localization: { timeFormatter: (time: unknown) => chartTimeText(Number(time), isDaily) },
  });
  const looks = {
    timeVisible: !isDaily,
    secondsVisible: kind === 'ticks',
    minBarSpacing: MIN_BAR_PX,
  };
  chart.timeScale().applyOptions(looks);
  const layer = addLayer(chart, options);
  let timeline: Timeline = { times: new Float64Array(), series: new Map() };
  const shown = new BarWindow(chart, (level) => {
    layer.draw(timeline, level);
    onGroup(level.size);
  });
  const stopFollowing = followWindow(container, chart, shown, onEarlier);
  chart.subscribeCrosshairMove(({ logical, time }) =>
    onPoint(time === undefined || logical === undefined ? null : shown.spanAt(logical)),
  );
  const recolour = () => {
    const colours = chartColours(container);
    chart.applyOptions(layoutOf(colours));
    layer.recolour(colours, container);
  };
  recolour();
  const showMoved = (change: (from: number, to: number) => readonly [number, number]) => {
    const view = shown.view();
    if (view === null) return;
    const [from, to] = change(view.from, view.to);
    shown.show({ from, to });
  };
  return {
    setTimeline: (next: Timeline, digits: number, isLog: boolean) => {
      timeline = next;
      layer.setDigits(digits);
      const { Logarithmic, Normal, Percentage } = PriceScaleMode;
      const mode = kind === 'closes' ? Percentage : isLog ? Logarithmic : Normal;
      chart.priceScale('right').applyOptions({ mode });
      shown.setCount(next.times.length);
    },
    showFrom: (time: ChartTime) => {
      const { times } = timeline;
      const from = Math.min(indexFrom(times, time), times.length - 1);
      if (times.length > 0) shown.show({ from, to: times.length });
    },
    /** Makes what is shown longer or shorter; 2 shows half as much. */
    zoom: (factor: number) => showMoved((from, to) => [to - (to - from) / factor, to]),
    /** Moves by a part of what is shown; below 0 towards earlier times. */
    move: (part: number) =>
      showMoved((from, to) => [from + (to - from) * part, to + (to - from) * part]),
    /** Puts the crosshair at a bar of the timeline, and the bar into sight. */
    point: (moment: number) => pointAt(chart, layer, shown, timeline.times, moment),
    /** The first bar in sight, as its index in the timeline. */
    firstInSight: () => {
      const from = Math.ceil(shown.view()?.from ?? 0);
      return Math.max(0, Math.min(from, timeline.times.length - 1));
    },
    picture: () => chart.takeScreenshot(),
    recolour,
    remove: () => {
      stopFollowing();
      chart.remove();
    },
  };
}
