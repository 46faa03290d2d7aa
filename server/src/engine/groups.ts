/** The one table of what is computed of groups of rows, for requests, plans, engines and docs. */
import { DECIMAL_DIGITS_MAX, decimalDigits, isArray } from '../catalog/column-types.ts';
import { type Column, DATA_TYPES, type DataType } from '../catalog/dataset.ts';

type Typed = Pick<Column, 'dataType' | 'fractionDigits' | 'precision' | 'scale'>;

const ofType = (dataType: DataType) => (): Typed => ({ dataType, fractionDigits: 0 });

/** The sum of integers may be longer than any of them. */
function sumType(column: Column): Typed {
  if (column.dataType === 'number') return ofType('number')();
  const scale = column.dataType === 'decimal' ? decimalDigits(column).scale : 0;
  return { dataType: 'decimal', fractionDigits: 0, precision: DECIMAL_DIGITS_MAX, scale };
}

interface MeasureRule {
  /** In the order in which they are written; `share` is a number from 0 to 1. */
  readonly takes: readonly ('column' | 'share')[];
  /** True if it may be written without anything in parentheses, too. */
  readonly isBare?: true;
  /** Types of its columns. */
  readonly dataTypes: readonly DataType[];
  /** Type of the answer; the column is the first one that it takes. */
  readonly typeOf: (column: Column) => Typed;
}

/** Types that rows are grouped by. */
export const GROUPED_TYPES = DATA_TYPES.filter((dataType) => !isArray(dataType));
const NUMERIC: readonly DataType[] = ['integer', 'number', 'decimal'];

const ofValues = {
  takes: ['column'],
  dataTypes: GROUPED_TYPES,
  typeOf: (column: Column): Typed => column,
} as const;
const ofNumbers = { takes: ['column'], dataTypes: NUMERIC, typeOf: ofType('number') } as const;

/** Nulls are passed over by all of them but `count` without a column. */
export const MEASURES = {
  count: { takes: ['column'], isBare: true, dataTypes: DATA_TYPES, typeOf: ofType('integer') },
  sum: { ...ofNumbers, typeOf: sumType },
  min: ofValues,
  max: ofValues,
  avg: ofNumbers,
  first: ofValues,
  last: ofValues,
  vwap: { ...ofNumbers, takes: ['column', 'column'] },
  stddev: ofNumbers,
  quantile: { ...ofNumbers, takes: ['column', 'share'] },
} as const satisfies Readonly<Record<string, MeasureRule>>;

export type MeasureKind = keyof typeof MEASURES;
export const MEASURE_NAMES = Object.keys(MEASURES) as MeasureKind[];

export function ruleOf(kind: MeasureKind): MeasureRule {
  return MEASURES[kind];
}

/** Spans of time that rows are grouped by: stretches of an hour by the time, others by the date. */
export const GROUP_INTERVALS = {
  ...{ '1m': 1, '5m': 5, '10m': 10, '15m': 15, '30m': 30, '1h': 60 },
  ...{ '1d': 'day', '1w': 'week', '1mo': 'month' },
} as const;

export type GroupInterval = keyof typeof GROUP_INTERVALS;

/** Rows whose keys are equal are one group, also where a key is null. */
export interface GroupKey {
  readonly column: Column;
  /** Values are equal if they lie in the same interval; the answer has its beginning. */
  readonly interval?: GroupInterval;
}

/** A value that is computed of the rows of a group. */
export interface Measure {
  readonly kind: MeasureKind;
  readonly columns: readonly Column[];
  /** From 0 to 1, of a quantile. */
  readonly share?: number;
}

/** The number of rows of each group, and its column. */
export const ROW_COUNT = {
  measure: { kind: 'count', columns: [] },
  column: { name: 'count', dataType: 'integer', fractionDigits: 0, description: '' },
} as const satisfies { measure: Measure; column: Column };

/** How rows are grouped. The columns of the plan are the keys, and then the measures. */
export interface PlannedGroups {
  readonly keys: readonly GroupKey[];
  readonly measures: readonly Measure[];
}
