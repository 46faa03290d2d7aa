/** Lines between trade dates, drawn behind the bars. */
import type {
  IChartApi,
  IPrimitivePaneView,
  ISeriesPrimitive,
  SeriesAttachedParameter,
  Time,
  UTCTimestamp,
} from 'lightweight-charts';
import type { ChartTime } from './chart-series';

/** Lines that stand closer than so are not drawn: they would be a hatching. */
const DISTANCE_MIN_PX = 12;

export class SessionBreaks implements ISeriesPrimitive<Time> {
  #chart: IChartApi | null = null;
  #update = (): void => undefined;
  #times: readonly ChartTime[] = [];
  #colour = '';

  attached({ chart, requestUpdate }: SeriesAttachedParameter<Time>): void {
    this.#chart = chart as IChartApi;
    this.#update = requestUpdate;
  }

  detached(): void {
    this.#chart = null;
  }

  setTimes(times: readonly ChartTime[]): void {
    this.#times = times;
    this.#update();
  }

  setColour(colour: string): void {
    this.#colour = colour;
    this.#update();
  }

  /** Where lines stand, in pixels of the page; none where they are too close. */
  #places(): number[] {
    const scale = this.#chart?.timeScale();
    if (!scale) return [];
    const half = scale.options().barSpacing / 2;
    const places = this.#times
      .map((time) => scale.timeToCoordinate(time as UTCTimestamp))
      .filter((x) => x !== null)
      .filter((x) => x > 0 && x < scale.width());
    const isClose = places.some((x, i) => i > 0 && x - places[i - 1]! < DISTANCE_MIN_PX);
    return isClose ? [] : places.map((x) => x - half);
  }

  readonly #views: readonly IPrimitivePaneView[] = [
    {
      zOrder: () => 'bottom',
      renderer: () => ({
        draw: (target) =>
          target.useBitmapCoordinateSpace(({ context, bitmapSize, horizontalPixelRatio }) => {
            context.fillStyle = this.#colour;
            for (const x of this.#places()) {
              const width = Math.max(1, Math.floor(horizontalPixelRatio));
              context.fillRect(Math.round(x * horizontalPixelRatio), 0, width, bitmapSize.height);
            }
          }),
      }),
    },
  ];

  paneViews(): readonly IPrimitivePaneView[] {
    return this.#views;
  }
}
