/** The time axis of charts: its labels are seen whole, and those of days say their month. */
import {
  type ChartOptions,
  createChartEx,
  type DeepPartial,
  defaultHorzScaleBehavior,
  type IChartApi,
  type IChartApiBase,
  type TickMarkType,
  type Time,
  type TimeMark,
} from 'lightweight-charts';

const DAY_OF_MONTH: TickMarkType.DayOfMonth = 2;
const MILLISECONDS_PER_SECOND = 1000;

/** Null: as the library writes it. A day may stand alone between months, where its number says little. */
export function tickText(time: Time, type: TickMarkType, locale: string): string | null {
  if (type !== DAY_OF_MONTH) return null;
  const date = new Date(Number(time) * MILLISECONDS_PER_SECOND);
  return date.toLocaleDateString(locale, { month: 'short', day: 'numeric', timeZone: 'UTC' });
}

/** Moves labels that the ends of the axis would cut off inwards, as far as what they name is in sight. */
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
