/** How much data the benchmarks read. Whoever changes what is generated moves `DATA_VERSION`. */

export const DATA_VERSION = 3;

export interface DataSizes {
  readonly name: 'full' | 'small';
  readonly tickDays: readonly string[];
  readonly ticksPerDay: number;
  readonly tickers: number;
  /** Tickers with more than 500,000 ticks a day. */
  readonly flagships: number;
  /** A year of minute bars, regular session. */
  readonly barTickers: number;
  readonly barMonths: readonly string[];
  /** Ten years of daily bars. */
  readonly dailyTickers: number;
  readonly dailyYears: readonly number[];
  /** Days of the dataset that planning is measured on. */
  readonly planningDays: number;
  /** Partitions of all datasets together that a start is measured with. */
  readonly startPartitions: number;
}

const TICK_DAYS = ['2025-06-16', '2025-06-17', '2025-06-18', '2025-06-20', '2025-06-23'];
const BAR_MONTHS = Array.from({ length: 12 }, (_, m) => `2024-${`${m + 1}`.padStart(2, '0')}`);
const DAILY_YEARS = Array.from({ length: 10 }, (_, y) => 2015 + y);

export const FULL: DataSizes = {
  name: 'full',
  tickDays: TICK_DAYS,
  ticksPerDay: 8_000_000,
  tickers: 4000,
  flagships: 4,
  barTickers: 24,
  barMonths: BAR_MONTHS,
  dailyTickers: 6000,
  dailyYears: DAILY_YEARS,
  planningDays: 2500,
  startPartitions: 100_000,
};

/** As little as shows that all work: one flagship, whose pages are as long as those of the full. */
export const SMALL: DataSizes = {
  name: 'small',
  tickDays: TICK_DAYS.slice(0, 2),
  ticksPerDay: 800_000,
  tickers: 200,
  flagships: 1,
  barTickers: 4,
  barMonths: BAR_MONTHS.slice(0, 2),
  dailyTickers: 100,
  dailyYears: DAILY_YEARS.slice(0, 2),
  planningDays: 250,
  startPartitions: 10_000,
};
