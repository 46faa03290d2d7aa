/** The fields of a dataset's definition file. `docs/dataset-definitions.md` explains each. */
import { CALENDAR_NAMES } from '../market/calendars.ts';
import { AGGREGATION_LOGICS, DATA_TYPES, PARTITION_UNITS, PATH_SHAPES } from './dataset.ts';
import type { Draft, ValueOf } from './definition-rules.ts';
import {
  BOOLEAN,
  DATE,
  listOf,
  mapping,
  matching,
  oneOf,
  optional,
  required,
  TIME_ZONE,
} from './definition-rules.ts';

const TEXT = matching(/\S/, 'non-empty text');
const COLUMN_NAME = matching(/^[A-Z][A-Za-z0-9]*$/, 'a Pascal-case column name');
const SEGMENT = matching(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'lower-case words joined by hyphens');

const VARIANT = mapping({
  adjusted: optional(BOOLEAN),
  aggregation_logic: optional(oneOf(AGGREGATION_LOGICS)),
});

const PARTITION = mapping({
  unit: required(oneOf(PARTITION_UNITS)),
  column: optional(COLUMN_NAME),
});

const SCHEDULE = mapping({
  days: required(oneOf(['trading', 'none'])),
  time: optional(matching(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time of day HH:MM')),
});

const COLUMN = mapping({
  name: required(COLUMN_NAME),
  type: required(oneOf(DATA_TYPES)),
  description: required(TEXT),
  fraction_digits: optional(oneOf([0, 9])),
});

export const DEFINITION = mapping({
  id: required(matching(/^US\d{4}$/, 'US and four digits')),
  text_id: required(matching(/^[a-z][a-z0-9_]*$/, 'lower-case words joined by underscores')),
  name: required(TEXT),
  description: required(TEXT),
  data_group: required(TEXT),
  dataset_class: required(TEXT),
  dataset_format: required(TEXT),
  time_granularity: required(TEXT),
  universe_identifier: optional(TEXT),
  start_date: optional(DATE),
  end_date: optional(DATE),
  creation_date: required(DATE),
  is_time_series: required(BOOLEAN),
  group: required(SEGMENT),
  segment: required(SEGMENT),
  path: required(oneOf(PATH_SHAPES)),
  variant: optional(VARIANT),
  natural_order: required(listOf(COLUMN_NAME, 1)),
  partition: required(PARTITION),
  identifier: optional(listOf(COLUMN_NAME, 1)),
  required_filters: optional(listOf(COLUMN_NAME, 0)),
  date_column: optional(COLUMN_NAME),
  same_day: optional(listOf(COLUMN_NAME, 0)),
  universe: optional(listOf(COLUMN_NAME, 0)),
  root_column: optional(COLUMN_NAME),
  default_period: optional(matching(/^[1-9]\d{0,3}[YWD]$/, 'a number and Y, W or D, such as 5Y')),
  time_zone: required(TIME_ZONE),
  filter_time_zone: optional(TIME_ZONE),
  calendar: optional(oneOf(CALENDAR_NAMES)),
  schedule: required(SCHEDULE),
  columns: required(listOf(COLUMN, 1)),
});

export type Definition = ValueOf<typeof DEFINITION>;
export type DefinitionDraft = Draft<Definition>;
