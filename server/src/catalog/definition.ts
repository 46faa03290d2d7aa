/**
 * The schema of a dataset's definition file: each field with its legal values and its meaning. The
 * reading of files, their type, `docs/dataset-definitions.md` and the JSON Schema for editors go by
 * it.
 */

import { CALENDAR_MEANINGS, CALENDAR_NAMES } from '@ticklake/market/calendars.ts';
import { AGGREGATION_LOGICS } from '@ticklake/market/conditions.ts';
import { SESSION_NAMES } from '@ticklake/market/sessions.ts';
import * as v from 'valibot';
import {
  keywords,
  legal,
  legalText,
  needed,
  objectOf,
  oneOf,
  optional,
  type Schema,
  wholeNumber,
} from '../schema/schema.ts';
import { isTimeZone, TIME_ZONE_LEGAL } from '../time/time-zone.ts';
import { RELATION_OPERATORS, RELATION_PATTERN, SEVERITIES } from './checks.ts';
import { DECIMAL_DIGITS_MAX } from './column-types.ts';
import { DATA_TYPES, PARTITION_UNITS, PATH_SHAPES } from './dataset.ts';
import { COMPUTATION_NAMES } from './derivation.ts';
import { EXPECTATIONS } from './expectations.ts';
import { AVERAGE_DECIMALS, AVERAGE_DECIMALS_MAX, PAIR_PATTERN } from './interval.ts';

function matching(pattern: RegExp, words: string) {
  return v.pipe(v.string(), v.regex(pattern), legal(words));
}

function listOf<Item extends Schema>(item: Item, lengthMin: 0 | 1) {
  const atLeast = lengthMin > 0 ? ` (at least ${lengthMin})` : '';
  return v.pipe(
    v.array(item),
    v.minLength(lengthMin),
    legal(`a list${atLeast}, each ${legalText(item)}`),
  );
}

function fieldsOf<const Entries extends v.ObjectEntries>(entries: Entries) {
  return v.pipe(objectOf(entries), legal(`the fields ${Object.keys(entries).join(', ')}`));
}

function isCalendarDate(text: string): boolean {
  const epochMs = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(epochMs) && new Date(epochMs).toISOString().startsWith(text);
}

const FLAG = v.pipe(v.boolean(), legal('true or false'));
const TEXT = matching(/\S/, 'non-empty text');
const COLUMN_NAME = matching(/^[A-Z][A-Za-z0-9]*$/, 'a Pascal-case column name');
const SEGMENT = matching(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'lower-case words joined by hyphens');

const CLOCK_TIME = matching(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time of day HH:MM');

export const DATE = v.pipe(
  v.string(),
  v.regex(/^\d{4}-\d\d-\d\d$/),
  v.check(isCalendarDate),
  legal('a calendar date YYYY-MM-DD'),
  keywords({ format: 'date' }),
);

export const TIME_ZONE = v.pipe(
  v.string(),
  v.check(isTimeZone),
  legal(TIME_ZONE_LEGAL),
  v.examples(['Europe/London', 'Asia/Tokyo']),
);

const VARIANT = fieldsOf({
  adjusted: optional(
    FLAG,
    'Value of the parameter `adjusted` that chooses it; false when a request has none.',
  ),
  aggregation_logic: optional(
    oneOf(AGGREGATION_LOGICS),
    'The same for `aggregation_logic`; `vendor_default` when a request has none.',
  ),
});

const PARTITION = fieldsOf({
  unit: needed(
    oneOf(PARTITION_UNITS),
    'Span of one file. Choose the one that makes files of some hundred megabytes at most; `whole` keeps all rows in one.',
  ),
  column: optional(
    COLUMN_NAME,
    'Date column that the span is of: the first of `natural_order`. Not with `whole`, else needed.',
  ),
});

const SCHEDULE = fieldsOf({
  days: needed(
    oneOf(['trading', 'none']),
    '`trading`: after each trading day of `calendar`. `none`: at no fixed time.',
  ),
  time: optional(
    CLOCK_TIME,
    'When on such a day, by the clock of `time_zone`. Needed with `trading`.',
  ),
  late_at: optional(
    matching(/^([01]\d|2[0-3]):[0-5]\d( next day)?$/, 'a time of day HH:MM, or HH:MM next day'),
    'When the rows of a trading day are late, on that day or the next one. An hour after `time` when left out; then an update of any date counts.',
  ),
});

export const SESSION = fieldsOf({
  name: needed(oneOf(SESSION_NAMES), 'Value of the parameter `session` that chooses its bars.'),
  start: needed(
    CLOCK_TIME,
    'When it begins, by the clock of `time_zone`. The first session of a day may begin later than it ends: on the evening before the trade date.',
  ),
  end: needed(CLOCK_TIME, 'The first minute after it.'),
  half_day_start: optional(CLOCK_TIME, 'In place of `start` on half days of `calendar`.'),
  half_day_end: optional(CLOCK_TIME, 'The same for `end`.'),
  evening_date: optional(
    oneOf(['same', 'next']),
    'Date of the rows between the `start` of an evening and midnight: `next` is the trade date, `same` the date of the evening. `next` when left out.',
  ),
});

const COLUMN = fieldsOf({
  name: needed(
    COLUMN_NAME,
    'Name of the filter, of the projection and of the sort key. Names differ by more than case.',
  ),
  type: needed(
    oneOf(DATA_TYPES),
    'Type of the values: `integer` has 64 bits, `number` is a double, `decimal` is exact to its last digit, `date-time` to the nanosecond.',
  ),
  description: needed(TEXT, 'What the value is, with its unit.'),
  values: optional(
    listOf(TEXT, 1),
    'Values that a text column has, offered where people choose one. Rows may have others, too.',
  ),
  fraction_digits: optional(
    oneOf([0, 9]),
    'Digits after the second of a `date-time`; 0 when left out.',
  ),
  precision: optional(
    wholeNumber(1, DECIMAL_DIGITS_MAX),
    'Digits of a `decimal`, on both sides of its point together. Needed with `decimal`.',
  ),
  scale: optional(
    wholeNumber(0, DECIMAL_DIGITS_MAX),
    'Digits of a `decimal` after its point, at most its `precision`. Needed with `decimal`.',
  ),
});

const BOUND = v.pipe(v.union([v.number(), DATE]), legal('a number, or a calendar date YYYY-MM-DD'));
const RELATION = matching(
  RELATION_PATTERN,
  `a column, one of ${RELATION_OPERATORS.join(' ')}, and a column, such as LowPrice <= HighPrice`,
);
const DAYS_AHEAD_MAX = 3650;
const COLUMNS = listOf(COLUMN_NAME, 1);

const CHECKS = fieldsOf({
  keys: optional(
    COLUMNS,
    'No two rows of the dataset have the same values in all of these columns; null equals null. With a `partition.column`, that is one of them.',
  ),
  required: optional(
    COLUMNS,
    'There is a value: not null, no empty text and none with spaces around it, no empty array.',
  ),
  range: optional(COLUMNS, 'The value is not below `min` and not above `max`.'),
  min: optional(BOUND, 'Least value of `range`, a date where its columns are dates.'),
  max: optional(BOUND, 'Greatest value of `range`.'),
  relations: optional(listOf(RELATION, 1), 'How two columns of one type compare in each row.'),
  session: optional(
    COLUMNS,
    "Times that lie in the session of the row's `date_column`, which lasts a day from `begins` on.",
  ),
  begins: optional(
    CLOCK_TIME,
    'When a session begins, by the clock of `time_zone`; at noon or later it begins on the evening before its date. 00:00 when left out.',
  ),
  trading_days: optional(COLUMNS, 'Dates that are trading days of `calendar`.'),
  latest: optional(
    COLUMNS,
    'Dates not after the day of the load, by the clock of `time_zone`, and `days_ahead` more.',
  ),
  days_ahead: optional(
    wholeNumber(0, DAYS_AHEAD_MAX),
    'Days after the day of the load that `latest` allows; 1 when left out.',
  ),
  on_failure: optional(
    oneOf(SEVERITIES),
    '`refuse`: nothing is published. `warn`: the load continues, and its report counts the rows and shows the first ten. `refuse` when left out.',
  ),
});

const TEXT_ID = matching(/^[a-z][a-z0-9_]*$/, 'lower-case words joined by underscores');

const DERIVATION_WAY = {
  computation: needed(
    oneOf(COMPUTATION_NAMES),
    'The computation, from the table of computations; its variant is that of the dataset.',
  ),
  inputs: needed(
    listOf(TEXT_ID, 1),
    'The `text_id` of each input, in the order of that table. A part of the first is the least that is computed.',
  ),
  parameters: optional(
    v.pipe(
      v.record(v.string(), v.pipe(v.number(), v.minValue(0))),
      legal('numbers from 0, by name'),
    ),
    'The numbers that the computation needs besides, as that table says.',
  ),
};

const DERIVATION = fieldsOf({
  ...DERIVATION_WAY,
  otherwise: optional(
    fieldsOf(DERIVATION_WAY),
    'Another computation, for dates on which the first input has no part.',
  ),
});

const PAIRS = listOf(matching(PAIR_PATTERN, 'two columns, such as VolumeWeightPrice by Volume'), 1);

const INTERVALS = fieldsOf({
  time: optional(
    COLUMN_NAME,
    'Start of the bar, the last column of `natural_order`. Left out where a bar is of a day.',
  ),
  by: needed(
    COLUMNS,
    'What a bar is about: bars with equal values are combined. Has the columns of `natural_order` but for the date and `time`.',
  ),
  first: optional(COLUMNS, 'The first value that there is.'),
  last: optional(COLUMNS, 'The last value that there is.'),
  high: optional(COLUMNS, 'The greatest value.'),
  low: optional(COLUMNS, 'The least value.'),
  sum: optional(COLUMNS, 'The sum of the values.'),
  weighted: optional(
    PAIRS,
    'The average of a `number`, with the values of an `integer` or `decimal` column as weights, exact and then rounded to `average_decimals`.',
  ),
  average_decimals: optional(
    wholeNumber(0, AVERAGE_DECIMALS_MAX),
    `Decimals of averages. ${AVERAGE_DECIMALS} when left out.`,
  ),
  beside: optional(
    PAIRS,
    'The value of the bar that the other column has its value from, which is one of `first`, `last`, `high` and `low`.',
  ),
  offset: optional(
    PAIRS,
    'The same for seconds from the start of the bar; they are counted from the start of the longer one.',
  ),
});

/** Names and texts for people, and the dates of the catalogue. */
const DESCRIPTIVE = {
  id: needed(
    matching(/^US\d{4}$/, 'US and four digits'),
    'Catalogue id, in the paths of the catalogue and in access rules. One file of a folder has it.',
  ),
  text_id: needed(TEXT_ID, 'Readable id, for the command line. No other dataset has it.'),
  name: needed(TEXT, 'Name that people read; error messages show it.'),
  description: needed(TEXT, 'What a row is, and how the rows come about.'),
  data_group: needed(TEXT, 'Heading in the catalogue, such as `Equity`.'),
  dataset_class: needed(TEXT, 'Class of instruments, such as `Futures`.'),
  dataset_format: needed(TEXT, '`Market Data` or `Reference`, or a word of your own.'),
  time_granularity: needed(TEXT, 'What one row stands for in time, such as `Tick` or `Daily`.'),
  universe_identifier: optional(
    TEXT,
    'What names the things that rows are about, such as `symbol`. Left out where they are about none.',
  ),
  start_date: optional(
    DATE,
    'First day that the dataset promises. Where a load replaces dates, files with earlier rows are refused, unless they lead up to it.',
  ),
  end_date: optional(DATE, 'Last day of a dataset that is closed; its status is then `closed`.'),
  creation_date: needed(DATE, 'Day on which the dataset came into the catalogue.'),
  is_time_series: needed(
    FLAG,
    'True where rows observe the same things again and again; false for events and lists.',
  ),
};

/** How rows are asked for and stored. */
const STRUCTURAL = {
  group: needed(SEGMENT, 'First part of the data path: `/data/{group}/{segment}`.'),
  segment: needed(
    SEGMENT,
    'Second part. Without a leading `eq-`, `opt-` or `fut-` it answers as well.',
  ),
  path: needed(
    oneOf(PATH_SHAPES),
    'What follows: `tick` takes `/{trade_date}/{identifier}`, `identifier` takes `/{identifier}`, `query` takes nothing.',
  ),
  variant: optional(
    VARIANT,
    'Where several datasets share a segment: the parameters that choose this one.',
  ),
  natural_order: needed(
    listOf(COLUMN_NAME, 1),
    'Columns that rows are stored and returned by, ascending, null last. Rows of equal keys keep the order in which they were loaded.',
  ),
  partition: needed(PARTITION, 'How rows are divided into files.'),
  also_stored_by: optional(
    COLUMN_NAME,
    'Identifier by which the rows of each file are stored once more, so that one of its values is read without the rest. For datasets ordered by date; loading takes longer, and the disk holds the rows twice.',
  ),
  identifier: optional(
    listOf(COLUMN_NAME, 1),
    'What the identifier of the path is matched with: a string column, then an integer column if any. Needed by `tick` and `identifier`, not with `query`.',
  ),
  required_filters: optional(
    listOf(COLUMN_NAME, 0),
    'With `query`: a request has to filter one of these columns.',
  ),
  date_column: optional(
    COLUMN_NAME,
    'Date column that the date of the path, `default_period`, access windows, coverage and the last day of the dataset speak of. Needed by `tick`, `default_period` and `same_day`.',
  ),
  same_day: optional(
    listOf(COLUMN_NAME, 0),
    "Times that a load refuses unless their day, by the clock of `time_zone`, is the row's `date_column`, or they lie in the evening on which its `sessions` begin.",
  ),
  universe: optional(
    listOf(COLUMN_NAME, 0),
    'Columns that an access rule limited to some identifiers is matched with.',
  ),
  root_column: optional(
    COLUMN_NAME,
    'String column of the root that symbols of contracts begin with, such as `ES` of `ESZ6`. If `universe` has it too, a rule for a root lets its contracts through. Left out where symbols have no root.',
  ),
  default_period: optional(
    matching(/^[1-9]\d{0,3}[YWD]$/, 'a number and Y, W or D, such as 5Y'),
    'Look-back window of a request without `period`, in years, weeks or days. Needs a `date_column`, not with `tick`.',
  ),
  time_zone: needed(TIME_ZONE, 'Clock that times are loaded and returned by.'),
  file_time_zone: optional(
    TIME_ZONE,
    'Clock by which files give times without an offset; `time_zone` when left out. `--time-zone` says it for one load.',
  ),
  filter_time_zone: optional(
    TIME_ZONE,
    'Clock by which filters are read that give a time without an offset. Left out: as `TICKLAKE_FILTER_TIME_ZONE` says, else `time_zone`.',
  ),
  calendar: optional(oneOf(CALENDAR_NAMES), `Trading days of the market. ${CALENDAR_MEANINGS}.`),
  sessions: optional(
    listOf(SESSION, 0),
    'The stretches of a trading day, one after the other: bars within a day begin anew with each, bars of days with the first. Those of `calendar` when left out.',
  ),
  schedule: needed(SCHEDULE, 'When new rows are expected; a dataset that misses it is `late`.'),
  checks: optional(
    listOf(CHECKS, 1),
    'What is checked when rows are loaded, apart from the types of their values.',
  ),
  expect: optional(
    EXPECTATIONS,
    'What a delivery of files has to bring. `usual_percent_min`, `usual_percent_max` and `identifiers` hold for loads that replace dates, partitions or the dataset.',
  ),
  other_columns: optional(
    oneOf(SEVERITIES),
    'What becomes of files with columns that the dataset does not have. `refuse` when left out; with `warn` they are not read.',
  ),
  derived_from: optional(
    DERIVATION,
    'How rows can be computed from those of other datasets, with `ticklake derive`.',
  ),
  intervals: optional(
    INTERVALS,
    'How bars are combined into longer ones, for requests with `interval`. Longer bars have no columns but those that it names.',
  ),
  columns: needed(listOf(COLUMN, 1), 'Columns in the order in which they are returned.'),
};

export const DEFINITION = fieldsOf({ ...DESCRIPTIVE, ...STRUCTURAL });

/** A file beside definitions that stands for a shipped one. */
export const ADDITION = fieldsOf({ adds: needed(TEXT_ID, 'The `text_id` of a further dataset.') });

/** A file beside definitions that makes sizes and volumes decimals. */
export const WIDENING = fieldsOf({
  widens: needed(TEXT_ID, 'The `text_id` of a dataset; those derived from it are widened, too.'),
  precision: needed(wholeNumber(1, DECIMAL_DIGITS_MAX), 'Digits on both sides of the point.'),
  scale: needed(wholeNumber(1, DECIMAL_DIGITS_MAX), 'Digits after the point.'),
});

export type Definition = v.InferOutput<typeof DEFINITION>;

/** A value with whatever was wrong or missing left out; lists keep their positions. */
type Draft<V> = V extends readonly (infer E)[]
  ? readonly (Draft<E> | undefined)[]
  : V extends object
    ? { readonly [K in keyof V]?: Draft<V[K]> | undefined }
    : V;
export type DefinitionDraft = Draft<Definition>;
