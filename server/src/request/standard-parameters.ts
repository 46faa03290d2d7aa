/** The parameters that every data endpoint knows. Each reader adds what is wrong to `problems`. */

import {
  ADJUSTMENTS,
  type AdjustmentChoice,
  type Adjustments,
} from '@ticklake/market/adjustment.ts';
import type { AggregationLogic } from '@ticklake/market/conditions.ts';
import * as v from 'valibot';
import type { Problem } from '../base/errors.ts';
import { INTERVAL_NAMES, type Interval } from '../catalog/interval.ts';
import type { Format } from '../formats/format.ts';
import { FORMATS } from '../formats/formats.ts';
import { integerFrom, keywords, type Schema } from '../schema/schema.ts';
import type { TimeZone } from '../time/time-zone.ts';
import { acceptedFormat } from './accepted-format.ts';
import {
  isCalendarDate,
  LITERALS,
  PERIOD_PATTERN,
  type Period,
  parseDateTime,
  parsePeriod,
} from './literals.ts';
import { type QueryParameter, readQueryString } from './query-string.ts';
import { alternatives, problemAt } from './request-problem.ts';
import type { DataRequestLimits } from './settings.ts';

/** A column's name in any definition. */
const NAME = '[A-Z][A-Za-z0-9]*';
const SORT_FIELD = `[-+ ]?${NAME}`;

const AS_OF_PATTERN =
  '^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,9})?)?(Z|[-+ ][0-9]{2}:[0-9]{2})?$';

/** Policies for tickers that meant more than one company; the first is the default. */
export const SYMBOL_CHOICES = ['any', 'strict'] as const;

const FORMAT_NAMES = FORMATS.map(({ name }) => name);
export function offsetSchema({ offsetMax }: DataRequestLimits) {
  return integerFrom(0, offsetMax);
}

/** Versions are counted from 1. */
export const versionSchema = integerFrom(1, Number.MAX_SAFE_INTEGER);

/** `rowsMax` is the largest page. */
export function limitSchema(rowsMax: number) {
  return integerFrom(1, rowsMax);
}

function limitDescription(limits: DataRequestLimits): string {
  const ofFormats = FORMATS.map(({ name, rowLimits }) => {
    const { default: fallback, max } = rowLimits(limits);
    return `${name} ${fallback}, at most ${max}`;
  });
  return `Maximum number of rows. Default and maximum by format: ${ofFormats.join('; ')}`;
}

interface PageParameter {
  readonly description: string | ((limits: DataRequestLimits) => string);
  readonly schema: (limits: DataRequestLimits) => Schema;
}

/** In the order of the documents. */
export const PAGE_PARAMETERS = {
  sort: {
    description: 'Columns to sort by, separated by commas; a leading - sorts descending',
    schema: ({ sortFieldsMax }) =>
      v.pipe(
        v.string(),
        keywords({ pattern: `^${SORT_FIELD}(,${SORT_FIELD}){0,${sortFieldsMax - 1}}$` }),
      ),
  },
  columns: {
    description: 'Columns to return, separated by commas, in that order',
    schema: () => v.pipe(v.string(), keywords({ pattern: `^${NAME}(,${NAME})*$` })),
  },
  offset: {
    description: 'Rows to skip',
    schema: (limits) => v.pipe(offsetSchema(limits), keywords({ default: 0 })),
  },
  limit: {
    description: limitDescription,
    schema: (limits) =>
      limitSchema(Math.max(...FORMATS.map(({ rowLimits }) => rowLimits(limits).max))),
  },
  response_format: {
    description: 'Format of the page; without it, what the header Accept wants most',
    schema: () => v.pipe(v.picklist(FORMAT_NAMES), keywords({ default: FORMATS[0].name })),
  },
  receipt: {
    description: 'Whether the answer has a signed receipt, in X-Receipt',
    schema: () => v.pipe(v.boolean(), keywords({ default: false })),
  },
  symbols: {
    description:
      'What happens to tickers that meant more than one company on the dates asked for: any tells of ' +
      'them in X-Symbols, strict refuses them',
    schema: () => v.pipe(v.picklist(SYMBOL_CHOICES), keywords({ default: SYMBOL_CHOICES[0] })),
  },
  continuous: {
    description:
      'Whether a ticker stands for the company that has it, under each ticker that the company has had',
    schema: () => v.pipe(v.boolean(), keywords({ default: false })),
  },
  dataset_version: {
    description: 'Version of the dataset to read; default: the current one',
    schema: () => versionSchema,
  },
  as_of: {
    description:
      'Reads the version that was current at this time, such as 2026-11-18T21:00:00Z; without an ' +
      "offset it is on the market's clock. Not together with dataset_version",
    schema: () => v.pipe(v.string(), keywords({ pattern: AS_OF_PATTERN })),
  },
} as const satisfies Readonly<Record<string, PageParameter>>;

/** Parameters of adjusted rows. */
export const ADJUSTMENT_PARAMETERS = [
  'adjusted_as_of',
  'adjustments',
  'adjustment_factors',
  'factors_version',
] as const;
const SEGMENT_PARAMETERS = [
  'adjusted',
  ...ADJUSTMENT_PARAMETERS,
  'aggregation_logic',
  'interval',
  'period',
  'rolls_version',
] as const;

/** Parameters that only some segments have. */
export type SegmentParameterName = (typeof SEGMENT_PARAMETERS)[number];
type StandardParameter = keyof typeof PAGE_PARAMETERS | SegmentParameterName;

const STANDARD_PARAMETERS: ReadonlySet<string> = new Set([
  ...Object.keys(PAGE_PARAMETERS),
  ...SEGMENT_PARAMETERS,
]);

function isStandardParameter(name: string): boolean {
  return STANDARD_PARAMETERS.has(name);
}

/**
 * The standard parameters of a query, each given at most once, with their texts, and its filters.
 */
export interface SeparatedParameters {
  readonly standard: ReadonlyMap<string, string>;
  readonly filters: readonly QueryParameter[];
}

export function separate(
  parameters: readonly QueryParameter[],
  problems: Problem[],
): SeparatedParameters {
  const standard = new Map<string, string>();
  const filters: QueryParameter[] = [];
  for (const parameter of parameters) {
    const { name, value } = parameter;
    if (!isStandardParameter(name)) filters.push(parameter);
    else if (standard.has(name)) {
      const msg = `The parameter '${name}' should be given only once`;
      problems.push(problemAt(['query', name], 'duplicate_parameter', msg, value));
    } else standard.set(name, value);
  }
  return { standard, filters };
}

/** Reads the parameters of a query string. */
export function readParameters(queryString: string, problems: Problem[]): SeparatedParameters {
  const { parameters, problems: faults } = readQueryString(queryString);
  problems.push(...faults);
  return separate(parameters, problems);
}

export interface SortField {
  readonly column: string;
  readonly descending: boolean;
}

/** How a number that its schema refuses is told, by the kind of what was wrong. */
const NUMBER_PROBLEMS: Readonly<
  Record<string, (bound: unknown) => { type: string; msg: string; ctx: Record<string, unknown> }>
> = {
  min_value: (ge) => ({
    type: 'greater_than_equal',
    msg: `Input should be greater than or equal to ${ge}`,
    ctx: { ge },
  }),
  max_value: (le) => ({
    type: 'less_than_equal',
    msg: `Input should be less than or equal to ${le}`,
    ctx: { le },
  }),
};

const NO_INTEGER = { type: 'int_parsing', msg: 'Input should be a valid integer', ctx: {} };

/** `maxReason` is said after the maximum, with a leading space. */
export function readInteger(
  name: string,
  text: string,
  schema: Schema<number, number>,
  problems: Problem[],
  maxReason = '',
): number {
  const given = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
  const { success, output, issues } = v.safeParse(schema, given);
  if (success) return output + 0;
  const issue = issues.find((each) => Object.hasOwn(NUMBER_PROBLEMS, each.type));
  const { type, msg, ctx } =
    (issue && NUMBER_PROBLEMS[issue.type]?.(issue.requirement)) ?? NO_INTEGER;
  const reason = issue?.type === 'max_value' ? maxReason : '';
  problems.push(problemAt(['query', name], type, `${msg}${reason}`, text, ctx));
  return 0;
}

export function readOffset(
  text: string | undefined,
  limits: DataRequestLimits,
  problems: Problem[],
): number {
  return text === undefined ? 0 : readInteger('offset', text, offsetSchema(limits), problems);
}

export function readLimit(
  text: string | undefined,
  { name, rowLimits }: Format,
  limits: DataRequestLimits,
  problems: Problem[],
): number {
  const { default: fallback, max } = rowLimits(limits);
  if (text === undefined) return fallback;
  const reason = ` for response_format '${name}'`;
  return readInteger('limit', text, limitSchema(max), problems, reason);
}

/** The value that the word stands for, or null and a problem that lists the words. */
export function readWord<T>(
  name: StandardParameter,
  type: string,
  text: string,
  words: ReadonlyMap<string, T>,
  problems: Problem[],
): T | null {
  const value = words.get(text);
  if (value !== undefined) return value;
  const expected = alternatives([...words.keys()]);
  const msg = `Input should be ${expected}`;
  problems.push(problemAt(['query', name], type, msg, text, { expected }));
  return null;
}

const FORMAT_WORDS = new Map(FORMATS.map((format) => [format.name, format]));

/** The formats of pages that have one of the names, in the order of the names. */
export function formatWords(names: readonly string[]): ReadonlyMap<string, Format> {
  return new Map(
    names.flatMap((name) => {
      const format = FORMAT_WORDS.get(name);
      return format ? [[name, format] as const] : [];
    }),
  );
}

/** Without the parameter, it is up to `accept`, the header; null where that allows no format. */
export function readResponseFormat(
  text: string | undefined,
  accept: string | undefined,
  problems: Problem[],
  words: ReadonlyMap<string, Format> = FORMAT_WORDS,
): Format | null {
  const [fallback] = FORMATS;
  if (text !== undefined) {
    return readWord('response_format', 'enum', text, words, problems) ?? fallback;
  }
  return accept === undefined ? fallback : acceptedFormat(accept);
}

export const FLAG_WORDS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

/** Upper or lower case: client libraries write `True` as well as `true`. */
export function readFlag(
  name: StandardParameter,
  text: string | undefined,
  problems: Problem[],
): boolean | null {
  if (text === undefined) return null;
  const word = text.toLowerCase();
  return FLAG_WORDS.get(word) ?? readWord(name, 'bool_parsing', text, FLAG_WORDS, problems);
}

const SYMBOL_WORDS: ReadonlyMap<string, boolean> = new Map(
  SYMBOL_CHOICES.map((choice) => [choice, choice === 'strict']),
);

export function readSymbols(text: string | undefined, problems: Problem[]): boolean {
  if (text === undefined) return false;
  return readWord('symbols', 'enum', text, SYMBOL_WORDS, problems) ?? false;
}

export function aggregationWords({
  vendorAggregationLogic,
}: DataRequestLimits): ReadonlyMap<string, AggregationLogic> {
  return new Map([
    [vendorAggregationLogic, 'vendor_default'],
    ['industry_std', 'industry_std'],
  ]);
}

export function readAggregationLogic(
  text: string | undefined,
  limits: DataRequestLimits,
  problems: Problem[],
): AggregationLogic | null {
  if (text === undefined) return null;
  return readWord('aggregation_logic', 'enum', text, aggregationWords(limits), problems);
}

const INTERVAL_WORDS = new Map(INTERVAL_NAMES.map((name) => [name as string, name]));

export function readInterval(text: string | undefined, problems: Problem[]): Interval | null {
  if (text === undefined) return null;
  return readWord('interval', 'enum', text, INTERVAL_WORDS, problems);
}

export function readPeriod(text: string | undefined, problems: Problem[]): Period | null {
  if (text === undefined) return null;
  const period = parsePeriod(text);
  if (period) return period;
  const msg = 'Input should be a number from 1 to 9999 and a unit Y, W or D, such as 5Y';
  const ctx = { pattern: PERIOD_PATTERN };
  problems.push(problemAt(['query', 'period'], 'string_pattern_mismatch', msg, text, ctx));
  return null;
}

/** Reports empty and repeated names of a comma-separated list of columns. */
function checkNames(
  parameter: StandardParameter,
  text: string,
  names: readonly string[],
  problems: Problem[],
): void {
  if (names.includes('')) {
    const msg = `Each entry of '${parameter}' should name a column`;
    problems.push(problemAt(['query', parameter], 'missing_name', msg, text));
  }
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const name of names) {
    if (name !== '' && seen.has(name)) repeated.add(name);
    seen.add(name);
  }
  if (repeated.size === 0) return;
  const columns = [...repeated];
  const msg = `A column should appear only once in '${parameter}': ${columns.join(', ')}`;
  problems.push(problemAt(['query', parameter], 'duplicate_column', msg, text, { columns }));
}

export function readColumns(text: string | undefined, problems: Problem[]): string[] | null {
  if (text === undefined) return null;
  const names = text.split(',');
  checkNames('columns', text, names, problems);
  return names;
}

/** `+` arrives as a space where the client does not escape it. */
function readSortField(field: string): SortField {
  const isPrefixed = /^[-+ ]/.test(field);
  return { column: isPrefixed ? field.slice(1) : field, descending: field.startsWith('-') };
}

export function readSort(
  text: string | undefined,
  limits: DataRequestLimits,
  problems: Problem[],
): SortField[] {
  if (text === undefined) return [];
  const fields = text.split(',').map(readSortField);
  if (fields.length > limits.sortFieldsMax) {
    const ctx = { max_length: limits.sortFieldsMax, actual_length: fields.length };
    const msg = `'sort' should have at most ${limits.sortFieldsMax} fields, not ${fields.length}`;
    problems.push(problemAt(['query', 'sort'], 'too_long', msg, text, ctx));
  }
  const names = fields.map((field) => field.column);
  checkNames('sort', text, names, problems);
  return fields;
}

/** Null in place of it: the version that is current. */
export type AskedVersion = { readonly version: number } | { readonly asOf: string };

const TIME = LITERALS['date-time'];
const ACCEPTS_TIME =
  'YYYY-MM-DDTHH:MM, optionally with seconds, up to nine fraction digits and an offset';
const NANOS_PER_MS = 1_000_000n;

/**
 * The time in epoch milliseconds; null where the text is none. Without an offset it is read by the
 * clock of the zone. A date alone could mean its first moment as well as its last, so it is no
 * time.
 */
export function readMoment(text: string, zone: TimeZone): number | null {
  const nanos = parseDateTime(text, zone, 'eq');
  if (nanos === null) return null;
  return Number(nanos / NANOS_PER_MS) - (nanos % NANOS_PER_MS < 0n ? 1 : 0);
}

function readAsOf(text: string, problems: Problem[]): AskedVersion {
  // Parsing a time succeeds or fails alike under any clock.
  if (readMoment(text, 'UTC') === null) {
    const msg = `Cannot parse the value '${text}' of 'as_of' as ${TIME.label}: give ${ACCEPTS_TIME}`;
    const ctx = { accepts: ACCEPTS_TIME };
    problems.push(problemAt(['query', 'as_of'], TIME.problemType, msg, text, ctx));
  }
  return { asOf: text };
}

export function readAskedVersion(
  version: string | undefined,
  asOf: string | undefined,
  problems: Problem[],
): AskedVersion | null {
  if (version !== undefined && asOf !== undefined) {
    const msg = "Give either 'dataset_version' or 'as_of', not both";
    problems.push(problemAt(['query', 'as_of'], 'exclusive_parameters', msg, asOf));
  }
  const read = asOf === undefined ? null : readAsOf(asOf, problems);
  if (version === undefined) return read;
  return { version: readInteger('dataset_version', version, versionSchema, problems) };
}

/** Null: the current one. */
export function readRollsVersion(text: string | undefined, problems: Problem[]): number | null {
  return text === undefined ? null : readInteger('rolls_version', text, versionSchema, problems);
}

export interface AskedAdjustment extends AdjustmentChoice {
  /** True if the factors are added to any requested columns. */
  readonly withFactors: boolean;
  /** Version of the dataset of factors; null: the current one. */
  readonly factorsVersion: number | null;
}

const ADJUSTMENT_WORDS = new Map(ADJUSTMENTS.map((name) => [name as string, name]));

function readAsOfDate(text: string | undefined, problems: Problem[]): string | null {
  if (text === undefined || isCalendarDate(text)) return text ?? null;
  const { accepts, label, problemType } = LITERALS.date;
  const msg = `Cannot parse the value '${text}' of 'adjusted_as_of' as ${label}: give ${accepts}`;
  problems.push(problemAt(['query', 'adjusted_as_of'], problemType, msg, text, { accepts }));
  return null;
}

function readAdjustments(text: string | undefined, problems: Problem[]): Adjustments {
  const [fallback] = ADJUSTMENTS;
  if (text === undefined) return fallback;
  return readWord('adjustments', 'enum', text, ADJUSTMENT_WORDS, problems) ?? fallback;
}

/** `texts` are those of the standard parameters that are given. */
export function readAdjustment(
  texts: ReadonlyMap<string, string>,
  problems: Problem[],
): AskedAdjustment {
  const version = texts.get('factors_version');
  return {
    asOf: readAsOfDate(texts.get('adjusted_as_of'), problems),
    adjustments: readAdjustments(texts.get('adjustments'), problems),
    withFactors: readFlag('adjustment_factors', texts.get('adjustment_factors'), problems) ?? false,
    factorsVersion:
      version === undefined
        ? null
        : readInteger('factors_version', version, versionSchema, problems),
  };
}

/** True if raw rows must be restated because stored adjusted rows do not answer the request. */
export function isRestated({ asOf, adjustments }: AdjustmentChoice): boolean {
  return asOf !== null || adjustments !== 'all';
}
