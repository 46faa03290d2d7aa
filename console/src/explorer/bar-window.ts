/**
 * What a chart of bars has in sight, and the few thousand candles around it that the library is given: it
 * holds the page up for as many bars as it knows. The library moves and zooms what it was given by itself;
 * when that leads too close to an edge, or to candles that are too narrow or too wide, it gets others.
 */
import type { IChartApi } from 'lightweight-charts';
import {
  groupSize,
  type Level,
  levelOf,
  placeOf,
  type Span,
  spanOf,
  type View,
} from './bar-levels';

/** Candles stand no closer than so, and are put together less when they could be drawn so wide. */
const CANDLE_PX_MIN = 1;
const CANDLE_PX_WIDE = 2.5;
/** So much of what is in sight has to be drawn beyond each edge. */
const MARGIN_MIN = 0.25;
const SETTLED_RANGE = 1e-3;

interface LogicalRange {
  readonly from: number;
  readonly to: number;
}

export class BarWindow {
  readonly #chart: IChartApi;
  readonly #draw: (level: Level) => void;
  readonly #isWhole: boolean;
  #count = 0;
  #level: Level = { size: 1, pad: 0, start: 0, end: 0, isToLast: true };
  /** What the library was told to show and may not have come to; null: what it shows is what is in sight. */
  #told: { readonly view: View; readonly range: LogicalRange } | null = null;

  /** `draw` gives the library the candles of a level; `isWhole`: all at once, each for itself. */
  constructor(chart: IChartApi, isWhole: boolean, draw: (level: Level) => void) {
    this.#chart = chart;
    this.#isWhole = isWhole;
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
    const margin = this.#isWhole ? Number.POSITIVE_INFINITY : undefined;
    this.#level = levelOf(view, this.#sizeFor(view), this.#count, margin);
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
  noteRange({ from, to }: LogicalRange): void {
    const range = this.#told?.range;
    if (!range) return;
    const distance = Math.abs(from - range.from) + Math.abs(to - range.to);
    if (distance < SETTLED_RANGE) this.#told = null;
  }

  /** What the library shows counts from now on, whether or not it is what it was told to. */
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
    if (this.#isWhole) return 1;
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
