/** The rules of a dataset in plain words. */
import type { DatasetRules } from '@ticklake/client';

type AdjustedKind = DatasetRules['adjusted_columns'][number]['kind'];
type IntervalRule = DatasetRules['interval_columns'][number];
type ConditionUse = DatasetRules['trade_conditions'][number]['vendor'];

const ADJUSTED_TEXTS: Readonly<Record<AdjustedKind, string>> = {
  price: 'Prices are multiplied by the price factor',
  average_price: 'Average prices are restated for splits and dividends',
  shares: 'Numbers of shares are multiplied by the share factor',
};

export interface AdjustedGroup {
  readonly text: string;
  readonly names: readonly string[];
}

/** What adjustment does to which columns. */
export function adjustedGroups(
  columns: DatasetRules['adjusted_columns'],
): readonly AdjustedGroup[] {
  const byKind = Map.groupBy(columns, ({ kind }) => kind);
  return [...byKind].map(([kind, ofKind]) => ({
    text: ADJUSTED_TEXTS[kind],
    names: ofKind.map(({ name }) => name),
  }));
}

/** What a longer bar has in a column. */
export function intervalText({ rule, by }: IntervalRule): string {
  const texts: Readonly<Record<IntervalRule['rule'], string>> = {
    first: 'the first value',
    last: 'the last value',
    high: 'the highest value',
    low: 'the lowest value',
    sum: 'the sum',
    weighted: `the average, weighted by ${by}`,
    beside: `the value of the bar that ${by} comes from`,
    offset: `the time of the bar that ${by} comes from`,
  };
  return texts[rule];
}

export const CONDITION_TEXTS: Readonly<Record<ConditionUse, string>> = {
  all: 'volume and prices',
  not_last:
    'volume, high and low; first and last only if the bar has no other trade that qualifies',
  volume: 'volume alone',
  none: 'ignored',
};
