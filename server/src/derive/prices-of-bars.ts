/** Daily prices and volumes of equities, put together of their minute bars of trades. */
import { isHalfDay } from '@ticklake/market/calendar.ts';
import { REGULAR_START_NANOS, regularEndNanos } from '@ticklake/market/equity-bar.ts';
import type { BarRules } from '../catalog/bar-rules.ts';
import type { Dataset } from '../catalog/dataset.ts';
import { dateOfDays } from '../engine/columns.ts';
import type { BarLabel } from '../intervals/bar-clock.ts';
import type { Vectors } from '../intervals/combiners.ts';
import { utcOfMarketTime } from '../time/market-time.ts';
import { barRows, type Cells, CombinedColumns, type RowMaker } from './bar-rows.ts';
import { plainComputation } from './computation.ts';

const RULE_VERSION = 1;

const TIME = 'BarDateTime';

/** Columns of a row, by the column of the bars that they are put together of. What bars do not tell apart is null. */
const MARKET_HOURS: Readonly<Record<string, string>> = {
  OpenPrice: 'FirstTradePrice',
  HighPrice: 'HighTradePrice',
  LowPrice: 'LowTradePrice',
  ClosePrice: 'LastTradePrice',
  MarketHoursVolume: 'Volume',
  MarketHoursVWAP: 'VolumeWeightPrice',
};
const WHOLE_DAY: Readonly<Record<string, string>> = {
  DailyVolume: 'Volume',
  DailyVWAP: 'VolumeWeightPrice',
};

/** Beginning and end of regular hours, in UTC nanoseconds. */
function regularHours({ timeZone }: Dataset, days: number): readonly [bigint, bigint] {
  const date = dateOfDays(days);
  const at = (nanos: number) => utcOfMarketTime(timeZone, date, BigInt(nanos));
  return [at(REGULAR_START_NANOS), at(regularEndNanos(isHalfDay(date)))];
}

class DailyPrices implements RowMaker {
  readonly columns = [TIME, ...Object.values(MARKET_HOURS), ...Object.values(WHOLE_DAY)];
  readonly #bars: Dataset;
  readonly #marketHours: CombinedColumns;
  readonly #wholeDay: CombinedColumns;
  #times = new BigInt64Array(0);
  #hasMarketHours = false;

  constructor(bars: Dataset, rules: BarRules) {
    this.#bars = bars;
    this.#marketHours = new CombinedColumns(rules, MARKET_HOURS);
    this.#wholeDay = new CombinedColumns(rules, WHOLE_DAY);
  }

  begin(vectors: Vectors): void {
    this.#times = vectors(TIME).values as BigInt64Array<ArrayBuffer>;
    this.#marketHours.begin(vectors);
    this.#wholeDay.begin(vectors);
  }

  add(first: number, end: number, date: number): void {
    const [start, stop] = regularHours(this.#bars, date);
    let [from, to] = [first, end];
    while (from < end && (this.#times[from] as bigint) < start) from++;
    while (to > from && (this.#times[to - 1] as bigint) >= stop) to--;
    this.#wholeDay.add(first, end);
    this.#marketHours.add(from, to);
    this.#hasMarketHours ||= from < to;
  }

  /** A day without a bar in regular hours has no row. */
  take(label: BarLabel): Cells | null {
    const cells = { ...this.#wholeDay.take(label), ...this.#marketHours.take(label) };
    const hasRow = this.#hasMarketHours;
    this.#hasMarketHours = false;
    return hasRow ? cells : null;
  }
}

export const EQUITY_PRICES_OF_BARS = plainComputation(RULE_VERSION, async function* (input) {
  const [bars] = input.inputs;
  if (!bars?.intervals) return;
  yield* barRows(input, bars, bars.intervals, new DailyPrices(bars, bars.intervals));
});
