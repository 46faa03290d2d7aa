/**
 * The definition of one dataset: its names, its columns and how clients query it.
 * A `Dataset` comes from one definition file (see `load-catalog.ts`) and never changes afterwards.
 */

import type { Calendar } from '@ticklake/market/calendars.ts';
import type { AggregationLogic } from '@ticklake/market/conditions.ts';
import type { Session } from '@ticklake/market/sessions.ts';
import type { TimeZone } from '../time/time-zone.ts';
import type { DatasetCheck, Severity } from './checks.ts';
import type { Derivation } from './derivation.ts';
import type { Expectation } from './expectations.ts';
import type { BarRules } from './interval.ts';

export const DATA_TYPES = [
  'string',
  'integer',
  'number',
  'decimal',
  'boolean',
  'date',
  'date-time',
  'array of string',
  'array of integer',
  'array of number',
] as const;
export type DataType = (typeof DATA_TYPES)[number];

export const PATH_SHAPES = ['tick', 'identifier', 'query'] as const;
/** `tick`: /{trade_date}/{identifier}; `identifier`: /{identifier}; `query`: nothing. */
export type PathShape = (typeof PATH_SHAPES)[number];

export const PARTITION_UNITS = ['day', 'month', 'year', 'whole'] as const;
export type PartitionUnit = (typeof PARTITION_UNITS)[number];

export interface Column {
  /** Pascal-case; exactly the name of the filter, projection and sort key. */
  readonly name: string;
  readonly dataType: DataType;
  readonly description: string;
  /** Digits after the second that a `date-time` is printed and stored with: 9 on ticks, else 0. */
  readonly fractionDigits: 0 | 9;
  /** Values that are offered where people choose one; rows may have others. */
  readonly values?: readonly string[];
  /** Digits of a `decimal`, and those after its point; absent for other types. */
  readonly precision?: number;
  readonly scale?: number;
  /** Columns of rows of which its values are computed; absent: rows have it. */
  readonly madeOf?: readonly Column[];
}

export interface Partitioning {
  readonly unit: PartitionUnit;
  /** A date column, the first of the natural order; null when the unit is `whole`. */
  readonly column: string | null;
}

/** When new data is expected: after each `days` day, at `time` of the market's clock. */
export interface UpdateSchedule {
  readonly days: 'trading' | 'none';
  /** HH:MM */
  readonly time: string;
  /** When the rows of a day are late; absent: an hour after `time`, for any update. */
  readonly lateAt?: { readonly time: string; readonly isNextDay: boolean };
}

/** A member that is absent: the segment has no such variants. */
export interface Variant {
  readonly adjusted?: boolean;
  readonly aggregationLogic?: AggregationLogic;
}

export interface Dataset {
  /** Catalog id, form `US####`. */
  readonly datasetId: string;
  readonly textId: string;
  readonly name: string;
  readonly description: string;
  readonly dataGroup: string;
  readonly datasetClass: string;
  readonly datasetFormat: string;
  readonly timeGranularity: string;
  /** The kind of identifier that rows have, such as a symbol; null if rows have none. */
  readonly universeIdentifier: string | null;
  /** First date that the catalogue promises, `YYYY-MM-DD`, or null when it is not known. */
  readonly startDate: string | null;
  /** Last date of a closed dataset; null while it is still updated. */
  readonly endDate: string | null;
  readonly creationDate: string;
  readonly isTimeSeries: boolean;

  readonly group: string;
  /** Prefixed path segment, e.g. `eq-taq`. */
  readonly segment: string;
  /** `segment` without its prefix `eq-`, `opt-` or `fut-`, e.g. `taq`. */
  readonly shortSegment: string;
  readonly pathShape: PathShape;
  readonly variant: Variant;

  readonly columns: readonly Column[];
  readonly columnByName: ReadonlyMap<string, Column>;
  /** True: it has more columns, which rules hide. */
  readonly hidesColumns?: true;
  /** Sort columns, all ascending, nulls last; rows of equal keys keep the feed's order. */
  readonly naturalOrder: readonly string[];
  readonly partitioning: Partitioning;
  /** Parts are also stored by this identifier, for fast histories; or null. */
  readonly alsoStoredBy: string | null;
  /** Columns matched with a path's identifier: the symbol, then the integer id if any. */
  readonly identifierColumns: readonly string[];
  /** Query-style datasets: at least one of these must be filtered. Empty: none is required. */
  readonly requiredFilters: readonly string[];
  /** The date of tick paths, periods, entitlement windows and coverage; or null. */
  readonly dateColumn: string | null;
  /** Times on the day of `dateColumn` or in the night before, by the market's clock. */
  readonly sameDayColumns: readonly string[];
  /** The columns that an entitlement's universe identifiers are matched with. */
  readonly universeColumns: readonly string[];
  /** The column that contract symbols begin with, such as a root; or null. */
  readonly rootColumn: string | null;
  /** Look-back window such as `5Y`; null where `period` does not apply. */
  readonly periodDefault: string | null;
  readonly timeZone: TimeZone;
  /** The clock by which files are read that give a time without an offset. */
  readonly fileTimeZone: TimeZone;
  /** The clock by which filters are read that give a time without an offset. */
  readonly filterTimeZone: TimeZone;
  /** The trading days of the market. */
  readonly calendar: Calendar;
  /** The stretches of a trading day; none: days are not divided. */
  readonly sessions: readonly Session[];
  readonly schedule: UpdateSchedule;
  /** Checks of rows when they are loaded. */
  readonly checks: readonly DatasetCheck[];
  /** Expectations that a delivery of files has to meet. */
  readonly expectations: readonly Expectation[];
  /** The treatment of files with columns that it does not have. */
  readonly otherColumns: Severity;
  /** How rows are computed from those of other datasets; null: they are loaded. */
  readonly derivation: Derivation | null;
  /** How rows, which are bars, are put together to longer ones; null: they are not. */
  readonly intervals: BarRules | null;
}

/** The dataset with other columns. */
export function withColumns(dataset: Dataset, columns: readonly Column[]): Dataset {
  const columnByName = new Map(columns.map((column) => [column.name, column]));
  return { ...dataset, columns, columnByName };
}

export interface Catalog {
  /** In the order of their ids. */
  readonly datasets: readonly Dataset[];
  byId(datasetId: string): Dataset | undefined;
  byTextId(textId: string): Dataset | undefined;
  /** All variants served under `/data/{group}/{segment}`, by prefixed or short segment. */
  bySegment(group: string, segment: string): readonly Dataset[];
}
