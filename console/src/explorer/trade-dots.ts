/** Trades as dots whose area goes by their size, drawn over the quotes. */
import type {
  IChartApi,
  IPrimitivePaneView,
  ISeriesApi,
  ISeriesPrimitive,
  SeriesAttachedParameter,
  SeriesType,
  Time,
  UTCTimestamp,
} from 'lightweight-charts';
import { dotRadius, type Tick, tickAt } from './tick-series';

interface Dot {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
}

export class TradeDots implements ISeriesPrimitive<Time> {
  #chart: IChartApi | null = null;
  #series: ISeriesApi<SeriesType> | null = null;
  #update = (): void => undefined;
  #trades: readonly Tick[] = [];
  #largest = 0;
  #colour = '';

  attached({ chart, series, requestUpdate }: SeriesAttachedParameter<Time>): void {
    this.#chart = chart as IChartApi;
    this.#series = series;
    this.#update = requestUpdate;
  }

  detached(): void {
    this.#chart = null;
  }

  setTrades(trades: readonly Tick[]): void {
    this.#trades = trades;
    this.#largest = trades.reduce((most, { size }) => Math.max(most, size), 0);
    this.#update();
  }

  setColour(colour: string): void {
    this.#colour = colour;
    this.#update();
  }

  /** Of the trades in sight. */
  #dots(): Dot[] {
    const scale = this.#chart?.timeScale();
    const range = scale?.getVisibleRange();
    if (!scale || !range) return [];
    const first = tickAt(this.#trades, Number(range.from));
    const begin = first === null ? 0 : this.#trades.indexOf(first);
    const dots: Dot[] = [];
    for (let index = begin; index < this.#trades.length; index++) {
      const { time, value, size } = this.#trades[index]!;
      if (time > Number(range.to)) break;
      const x = scale.timeToCoordinate(time as UTCTimestamp);
      const y = this.#series?.priceToCoordinate(value) ?? null;
      if (x !== null && y !== null) dots.push({ x, y, radius: dotRadius(size, this.#largest) });
    }
    return dots;
  }

  readonly #views: readonly IPrimitivePaneView[] = [
    {
      zOrder: () => 'top',
      renderer: () => ({
        draw: (target) =>
          target.useMediaCoordinateSpace(({ context }) => {
            context.fillStyle = this.#colour;
            context.globalAlpha = 0.55;
            for (const { x, y, radius } of this.#dots()) {
              context.beginPath();
              context.arc(x, y, radius, 0, 2 * Math.PI);
              context.fill();
            }
            context.globalAlpha = 1;
          }),
      }),
    },
  ];

  paneViews(): readonly IPrimitivePaneView[] {
    return this.#views;
  }
}
