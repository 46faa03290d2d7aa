import {
  type ChartOptions,
  ColorType,
  createChartEx,
  type DeepPartial,
  defaultHorzScaleBehavior,
  type IChartApi,
  type IChartApiBase,
  type TickMarkType,
  type Time,
  type TimeMark,
} from 'lightweight-charts';

const TOKENS = {
  surface: '--surface',
  text: '--text-quiet',
  border: '--border',
  quiet: '--border-control',
  accent: '--accent',
  up: '--chart-up',
  down: '--chart-down',
} as const;

export type ChartColours = Readonly<Record<keyof typeof TOKENS, string>>;

function colourOf(element: HTMLElement, token: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${token})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** As they count at the element now: a token says what is light and what is dark. */
export function chartColours(element: HTMLElement): ChartColours {
  const colours = Object.entries(TOKENS).map(
    ([name, token]) => [name, colourOf(element, token)] as const,
  );
  return Object.fromEntries(colours) as ChartColours;
}

export function layoutOf(colours: ChartColours) {
  return {
    layout: {
      fontFamily: getComputedStyle(document.documentElement).fontFamily,
      background: { type: ColorType.Solid, color: colours.surface },
      textColor: colours.text,
      // From the first drawing on: the security policy refuses the logo's style.
      attributionLogo: false,
      panes: { separatorColor: colours.border, separatorHoverColor: colours.border },
    },
    grid: { vertLines: { color: colours.border }, horzLines: { color: colours.border } },
    rightPriceScale: { borderColor: colours.border, entireTextOnly: true },
    timeScale: { borderColor: colours.border },
  };
}

const LINES = 6;

export function lineColours(element: HTMLElement): readonly string[] {
  return Array.from({ length: LINES }, (_, at) => colourOf(element, `--chart-line-${at + 1}`));
}

export function watchTheme(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  const system = matchMedia('(prefers-color-scheme: dark)');
  system.addEventListener('change', onChange);
  return () => {
    observer.disconnect();
    system.removeEventListener('change', onChange);
  };
}

const DAY_OF_MONTH: TickMarkType.DayOfMonth = 2;
const MILLISECONDS_PER_SECOND = 1000;

/** Null: as the library writes it. A day alone between months says little by its number. */
export function tickText(time: Time, type: TickMarkType, locale: string): string | null {
  if (type !== DAY_OF_MONTH) return null;
  const date = new Date(Number(time) * MILLISECONDS_PER_SECOND);
  return date.toLocaleDateString(locale, { month: 'short', day: 'numeric', timeZone: 'UTC' });
}

/** Moves labels that the axis would cut off inwards, as far as what they name is in sight. */
export function fitLabels(marks: readonly TimeMark[], width: number): void {
  for (const mark of marks) {
    mark.needAlignCoordinate = true;
    if (mark.coord < 0 || mark.coord > width) mark.label = '';
  }
}

class TimeAxis extends defaultHorzScaleBehavior() {
  width = () => Number.POSITIVE_INFINITY;

  /** The library asks for it with the labels that it is about to draw. */
  override maxTickMarkWeight(marks: TimeMark[]) {
    fitLabels(marks, this.width());
    return super.maxTickMarkWeight(marks);
  }
}

export function createTimeChart(
  container: HTMLElement,
  { localization, timeScale, ...options }: DeepPartial<ChartOptions>,
): IChartApi {
  const axis = new TimeAxis();
  const chart: IChartApiBase<Time> = createChartEx<Time, TimeAxis>(container, axis, {
    ...options,
    localization: { dateFormat: 'yyyy-MM-dd', ...localization },
    timeScale: { tickMarkFormatter: tickText, ...timeScale },
  } as DeepPartial<ReturnType<TimeAxis['options']>>);
  axis.width = () => chart.timeScale().width();
  return chart as IChartApi;
}
