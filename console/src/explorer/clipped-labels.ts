/** Lets what the ends of the time axis cut off fade out: half a label is hard to read. */
import type {
  IChartApi,
  IPrimitivePaneView,
  ISeriesPrimitive,
  SeriesAttachedParameter,
  Time,
} from 'lightweight-charts';

const FADE_PX = 34;

export class ClippedLabels implements ISeriesPrimitive<Time> {
  #chart: IChartApi | null = null;
  #update = (): void => undefined;
  #colour = '';

  attached({ chart, requestUpdate }: SeriesAttachedParameter<Time>): void {
    this.#chart = chart as IChartApi;
    this.#update = requestUpdate;
  }

  detached(): void {
    this.#chart = null;
  }

  /** Of what is behind the labels. */
  setColour(colour: string): void {
    this.#colour = colour;
    this.#update();
  }

  readonly #views: readonly IPrimitivePaneView[] = [
    {
      // Above the labels, below that of the crosshair.
      zOrder: () => 'normal',
      renderer: () => ({
        draw: (target) =>
          target.useMediaCoordinateSpace(({ context, mediaSize }) => {
            const width = this.#chart?.timeScale().width() ?? mediaSize.width;
            const fade = (edge: number, inside: number) => {
              const colours = context.createLinearGradient(edge, 0, inside, 0);
              colours.addColorStop(0, this.#colour);
              colours.addColorStop(0.8, this.#colour);
              colours.addColorStop(1, this.#colour.replace(/^rgb\((.*)\)$/, 'rgba($1, 0)'));
              context.fillStyle = colours;
              // Below the line that the axis begins with.
              context.fillRect(Math.min(edge, inside), 2, FADE_PX, mediaSize.height - 2);
            };
            fade(0, FADE_PX);
            fade(width, width - FADE_PX);
          }),
      }),
    },
  ];

  timeAxisPaneViews(): readonly IPrimitivePaneView[] {
    return this.#views;
  }
}
