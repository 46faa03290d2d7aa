import type { Column, DatasetRules, QueryForm } from '@ticklake/client';
import { countText, holdsAll } from '../format/texts';

export type DescribedColumn = ReturnType<typeof describedColumns>[number];

export function describedColumns(
  columns: readonly Column[],
  shape: Pick<QueryForm, 'columns' | 'unfilterable_columns'>,
) {
  const operatorsByName = new Map(shape.columns.map(({ name, operators }) => [name, operators]));
  const unfilterable = new Set(shape.unfilterable_columns);
  return columns.map(({ name, data_type: dataType, description }) => ({
    name,
    dataType,
    description,
    operators: unfilterable.has(name) ? [] : (operatorsByName.get(name) ?? []),
  }));
}

export function isColumnFound({ name, description }: DescribedColumn, text: string): boolean {
  return holdsAll(`${name} ${description}`, text);
}

type Rule = Pick<QueryForm['rules'][number], 'start_date' | 'end_date'>;

const yearOf = (date: string): number => Number(date.slice(0, 4));

/** From the later of both first dates to the earlier of both last ones, each as `YYYY-MM-DD`. */
export function readableYears(
  rules: readonly Rule[],
  firstDate: string,
  lastDate: string,
  today: string,
) {
  const newest = lastDate > today ? lastDate : today;
  const starts = rules.map(({ start_date: start }) => start).sort();
  const ends = rules.map(({ end_date: end }) => end ?? newest).sort();
  const from = [starts[0] ?? firstDate, firstDate].sort().at(-1) ?? firstDate;
  const to = [ends.at(-1) ?? newest, newest].sort()[0] ?? newest;
  return { firstYear: Math.min(yearOf(from), yearOf(to)), lastYear: yearOf(to) };
}

/** Paths below the version prefix, the usual one first. */
export function requestPaths(
  props: Pick<QueryForm, 'group' | 'segment' | 'aliases' | 'path_parameters'>,
): readonly string[] {
  const { group, segment, aliases, path_parameters: pathParameters } = props;
  const segments = [...new Set([segment, ...aliases])];
  const places = pathParameters.map((name) => `{${name}}`);
  return segments.map((one) => ['/data', group, one, ...places].join('/'));
}

/** `adjusted=true&aggregation_logic=industry_std`; '' of the variant that needs no parameter. */
export function parametersText(parameters: Readonly<Record<string, string>>): string {
  return Object.entries(parameters)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

export function referenceLink(shape: Parameters<typeof requestPaths>[0]): string {
  const [usual = ''] = requestPaths(shape);
  return `/reference#${encodeURI(usual)}`;
}

type AdjustedKind = DatasetRules['adjusted_columns'][number]['kind'];
type IntervalRule = DatasetRules['interval_columns'][number];
type ConditionUse = DatasetRules['trade_conditions'][number]['vendor'];

const ADJUSTED_TEXTS: Readonly<Record<AdjustedKind, string>> = {
  price: 'Prices are multiplied by the price factor',
  average_price: 'Average prices are restated for splits and dividends',
  shares: 'Numbers of shares are multiplied by the share factor',
};

export function adjustedGroups(columns: DatasetRules['adjusted_columns']) {
  const byKind = Map.groupBy(columns, ({ kind }) => kind);
  return [...byKind].map(([kind, ofKind]) => ({
    text: ADJUSTED_TEXTS[kind],
    names: ofKind.map(({ name }) => name),
  }));
}

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

/** Null: the account may not read all that would be counted. */
export function rowsText(rows: number | null): string {
  return rows === null ? 'not shown' : countText(rows);
}
