/** Lines between trade dates, drawn behind the bars. */
import type {
  IChartApi,
  IPrimitivePaneView,
  ISeriesPrimitive,
  SeriesAttachedParameter,
  Time,
} from 'lightweight-charts';

/** Lines that stand closer than so are not drawn: they would be a hatching over the candles. */
const DISTANCE_MIN_PX = 60;
/** Candles stand out before them. */
const OPACITY = 0.5;

export class SessionBreaks implements ISeriesPrimitive<Time> {
  #chart: IChartApi | null = null;
  #update = (): void => undefined;
  #places: readonly number[] = [];
  #colour = '';

  attached({ chart, requestUpdate }: SeriesAttachedParameter<Time>): void {
    this.#chart = chart as IChartApi;
    this.#update = requestUpdate;
  }

  detached(): void {
    this.#chart = null;
  }

  /** The candles that trade dates begin with, as the library counts them. */
  setPlaces(places: readonly number[]): void {
    this.#places = places;
    this.#update();
  }

  setColour(colour: string): void {
    this.#colour = colour;
    this.#update();
  }

  /** Where lines stand, in pixels of the page; none where they are too close. */
  #lines(): number[] {
    const scale = this.#chart?.timeScale();
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

  readonly #views: readonly IPrimitivePaneView[] = [
    {
      zOrder: () => 'bottom',
      renderer: () => ({
        draw: (target) =>
          target.useBitmapCoordinateSpace(({ context, bitmapSize, horizontalPixelRatio }) => {
            context.fillStyle = this.#colour;
            context.globalAlpha = OPACITY;
            for (const x of this.#lines()) {
              // Wider than the line of the grid that may lie over it.
              const width = Math.max(2, Math.round(2 * horizontalPixelRatio));
              const left = Math.round(x * horizontalPixelRatio) - width / 2;
              context.fillRect(left, 0, width, bitmapSize.height);
            }
          }),
      }),
    },
  ];

  paneViews(): readonly IPrimitivePaneView[] {
    return this.#views;
  }
}
