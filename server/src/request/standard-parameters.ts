/** The parameters that every data endpoint knows. */

import { ADJUSTMENTS, type AdjustmentChoice } from '@ticklake/market/adjustment.ts';
import type { AggregationLogic } from '@ticklake/market/conditions.ts';
import * as v from 'valibot';
import type { Problem } from '../base/errors.ts';
import { PLACE_COUNT } from '../engine/sample.ts';
import type { Format } from '../formats/format.ts';
import { FORMATS } from '../formats/formats.ts';
import { EXACT_JSON_FORMAT, JSON_FORMAT } from '../formats/json.ts';
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

const SAMPLE_PATTERN = '^(0[.][0-9]{1,25}|1[.]0{1,25}|1(/[1-9][0-9]{0,6})?)$';

/** Policies for tickers that meant more than one company; `strict` refuses them. */
export const SYMBOL_CHOICES = ['any', 'strict'] as const;

/** Forms of exact numbers in JSON; the first is the default. */
const NUMBER_CHOICES = ['number', 'string'] as const;

const FORMAT_NAMES = FORMATS.map(({ name }) => name);

/** Versions are counted from 1. */
export const versionSchema = integerFrom(1, Number.MAX_SAFE_INTEGER);

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
  sample: {
    description:
      'A share of the rows, such as 0.01 or 1/100, the same ones on every page: those that a hash ' +
      "of the dataset's sort columns chooses",
    schema: () => v.pipe(v.string(), keywords({ pattern: SAMPLE_PATTERN })),
  },
  offset: {
    description: 'Rows to skip',
    schema: (limits) => v.pipe(integerFrom(0, limits.offsetMax), keywords({ default: 0 })),
  },
  limit: {
    description: limitDescription,
    schema: (limits) =>
      integerFrom(1, Math.max(...FORMATS.map(({ rowLimits }) => rowLimits(limits).max))),
  },
  response_format: {
    description: 'Format of the page; without it, what the header Accept wants most',
    schema: () => v.pipe(v.picklist(FORMAT_NAMES), keywords({ default: FORMATS[0].name })),
  },
  numbers: {
    description:
      'string: integers and decimals of rows are JSON strings, which lose no digit where numbers ' +
      'are doubles; with json alone',
    schema: () => v.pipe(v.picklist(NUMBER_CHOICES), keywords({ default: NUMBER_CHOICES[0] })),
  },
  count: {
    description: 'exact: X-Pagination-Total has the rows of all pages',
    schema: () => v.picklist(['exact']),
  },
  receipt: {
    description: 'Adds a signed receipt to the answer, in X-Receipt',
    schema: () => v.pipe(v.boolean(), keywords({ default: false })),
  },
  symbols: {
    description:
      'Tickers that meant more than one company on these dates: any tells of them in X-Symbols, ' +
      'strict refuses them',
    schema: () => v.pipe(v.picklist(SYMBOL_CHOICES), keywords({ default: SYMBOL_CHOICES[0] })),
  },
  continuous: {
    description: 'Follows the company of a ticker through all its tickers',
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

/** Parameters that only some segments have. */
export const SEGMENT_PARAMETERS = {
  adjusted: 'Prices and volumes restated for corporate actions',
  adjusted_as_of:
    'Restates adjusted rows by the corporate actions up to this date alone, as they were known then',
  adjustments:
    'The corporate actions that restate adjusted rows: all, or only those that change the number of shares',
  adjustment_factors: 'Adds the factors to adjusted rows, whatever columns are asked for',
  factors_version: 'Version of the adjustment factors; default: the current one',
  aggregation_logic: 'The trades that count',
  interval: 'Bars of this length, built from the stored ones',
  session: 'Bars of this session of the trading day alone, also with interval',
  period: 'Longest span of trade dates: a number and Y, W or D',
  rolls_version: 'Version of the dataset that ranks futures contracts; default: the current one',
} as const;

export type SegmentParameterName = keyof typeof SEGMENT_PARAMETERS;
type StandardParameter = keyof typeof PAGE_PARAMETERS | SegmentParameterName;

const STANDARD_PARAMETERS = { ...PAGE_PARAMETERS, ...SEGMENT_PARAMETERS };

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

export const FLAG_WORDS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

/** The parameters that a request gives, by name, each at most once. */
export class GivenParameters<Name extends string = StandardParameter> {
  readonly texts: ReadonlyMap<string, string>;
  /** Everything that was wrong with the request so far. */
  readonly problems: Problem[];

  /** The values below are null where their parameter is not given or is wrong. */
  constructor(given: readonly QueryParameter[], problems: Problem[]) {
    const texts = new Map<string, string>();
    this.texts = texts;
    this.problems = problems;
    for (const { name, value } of given) {
      const msg = `The parameter '${name}' should be given only once`;
      if (!texts.has(name)) texts.set(name, value);
      else problems.push(problemAt(['query', name], 'duplicate_parameter', msg, value));
    }
  }

  text(name: Name): string | null {
    return this.texts.get(name) ?? null;
  }

  refuse(name: Name, type: string, msg: string, ctx = {}): null {
    this.problems.push(problemAt(['query', name], type, msg, this.text(name), ctx));
    return null;
  }

  /** `maxReason` is said after the maximum, with a leading space. */
  integer(name: Name, schema: Schema<number, number>, maxReason = ''): number | null {
    const text = this.text(name);
    if (text === null) return null;
    const given = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
    const { success, output, issues } = v.safeParse(schema, given);
    if (success) return output + 0;
    const issue = issues.find((each) => Object.hasOwn(NUMBER_PROBLEMS, each.type));
    const { type, msg, ctx } =
      (issue && NUMBER_PROBLEMS[issue.type]?.(issue.requirement)) ?? NO_INTEGER;
    return this.refuse(name, type, `${msg}${issue?.type === 'max_value' ? maxReason : ''}`, ctx);
  }

  version(name: Name): number | null {
    return this.integer(name, versionSchema);
  }

  /** The value that the word stands for. */
  word<T>(name: Name, words: ReadonlyMap<string, T>, type = 'enum'): T | null {
    const word = this.choice(name, [...words.keys()], type);
    return word === null ? null : (words.get(word) as T);
  }

  /** One of several words. */
  choice<Word extends string>(name: Name, words: readonly Word[], type = 'enum'): Word | null {
    const text = this.text(name);
    if (text === null) return null;
    const found = words.find((word) => word === text);
    if (found !== undefined) return found;
    const expected = alternatives([...words]);
    return this.refuse(name, type, `Input should be ${expected}`, { expected });
  }

  /** Upper or lower case: client libraries write `True` as well as `true`. */
  flag(name: Name): boolean | null {
    const known = FLAG_WORDS.get(this.text(name)?.toLowerCase() ?? '');
    return known ?? this.word(name, FLAG_WORDS, 'bool_parsing');
  }
}

/** The standard parameters of a query, and its filters. */
export interface SeparatedParameters {
  readonly standard: GivenParameters;
  readonly filters: readonly QueryParameter[];
}

/** Reads a query string; `ownNames` are the parameters that only its kind of request has. */
export function readParameters<Own extends string>(
  queryString: string,
  ownNames: Readonly<Record<Own, unknown>>,
): SeparatedParameters & { readonly own: GivenParameters<Own> } {
  const { parameters, problems } = readQueryString(queryString);
  const {
    own = [],
    standard = [],
    filters = [],
  } = Object.groupBy(parameters, ({ name }) => {
    if (Object.hasOwn(ownNames, name)) return 'own';
    return Object.hasOwn(STANDARD_PARAMETERS, name) ? 'standard' : 'filters';
  });
  return {
    own: new GivenParameters<Own>(own, problems),
    standard: new GivenParameters(standard, problems),
    filters,
  };
}

export interface SortField {
  readonly column: string;
  readonly descending: boolean;
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
  given: GivenParameters,
  accept: string | undefined,
  words: ReadonlyMap<string, Format> = FORMAT_WORDS,
): Format | null {
  const [fallback] = FORMATS;
  if (given.text('response_format') !== null) {
    return withNumbers(given, given.word('response_format', words) ?? fallback);
  }
  const format = accept === undefined ? fallback : acceptedFormat(accept);
  return format && withNumbers(given, format);
}

/** The format with the numbers that are asked for, which only JSON has as texts. */
function withNumbers(given: GivenParameters, format: Format): Format {
  if (given.choice('numbers', NUMBER_CHOICES) !== 'string') return format;
  if (format === JSON_FORMAT) return EXACT_JSON_FORMAT;
  const msg = `numbers=string does not apply to response_format '${format.name}'`;
  given.refuse('numbers', 'inapplicable_parameter', msg);
  return format;
}

/** `name` is that of the page's format. */
export function readPagePlace(
  given: GivenParameters,
  { name, rowLimits }: Format,
  limits: DataRequestLimits,
) {
  const { default: fallback, max } = rowLimits(limits);
  const reason = ` for response_format '${name}'`;
  return {
    offset: given.integer('offset', integerFrom(0, limits.offsetMax)) ?? 0,
    limit: given.integer('limit', integerFrom(1, max), reason) ?? fallback,
  };
}

export function aggregationWords({
  vendorAggregationLogic,
}: DataRequestLimits): ReadonlyMap<string, AggregationLogic> {
  return new Map([
    [vendorAggregationLogic, 'vendor_default'],
    ['industry_std', 'industry_std'],
  ]);
}

export function readPeriod(given: GivenParameters): Period | null {
  const text = given.text('period');
  if (text === null) return null;
  const msg = 'Input should be a number from 1 to 9999 and a unit Y, W or D, such as 5Y';
  const ctx = { pattern: PERIOD_PATTERN };
  return parsePeriod(text) ?? given.refuse('period', 'string_pattern_mismatch', msg, ctx);
}

/** Reports empty and repeated names of a comma-separated list of columns. */
function checkNames(
  given: GivenParameters,
  parameter: StandardParameter,
  names: readonly string[],
): void {
  if (names.includes('')) {
    given.refuse(parameter, 'missing_name', `Each entry of '${parameter}' should name a column`);
  }
  const repeated = names.filter((name, at) => name !== '' && names.indexOf(name) < at);
  if (repeated.length === 0) return;
  const columns = [...new Set(repeated)];
  const msg = `A column should appear only once in '${parameter}': ${columns.join(', ')}`;
  given.refuse(parameter, 'duplicate_column', msg, { columns });
}

/** The rows of a million that are wanted; null: all. */
export function readSample(given: GivenParameters): number | null {
  const text = given.text('sample');
  if (text === null) return null;
  const [share = 0, parts = 1] = new RegExp(SAMPLE_PATTERN).test(text)
    ? text.split('/').map(Number)
    : [];
  const placeMax = Math.round((share / parts) * PLACE_COUNT);
  const msg = 'Input should be a share of the rows from 0.000001 to 1, such as 0.01 or 1/100';
  const ctx = { pattern: SAMPLE_PATTERN };
  return placeMax > 0 ? placeMax : given.refuse('sample', 'string_pattern_mismatch', msg, ctx);
}

export function readColumns(given: GivenParameters): string[] | null {
  const names = given.text('columns')?.split(',') ?? null;
  if (names) checkNames(given, 'columns', names);
  return names;
}

/** `+` arrives as a space where the client does not escape it. */
function readSortField(field: string): SortField {
  const isPrefixed = /^[-+ ]/.test(field);
  return { column: isPrefixed ? field.slice(1) : field, descending: field.startsWith('-') };
}

export function readSort(
  given: GivenParameters,
  { sortFieldsMax }: DataRequestLimits,
): SortField[] {
  const fields = given.text('sort')?.split(',').map(readSortField) ?? [];
  if (fields.length > sortFieldsMax) {
    const ctx = { max_length: sortFieldsMax, actual_length: fields.length };
    const msg = `'sort' should have at most ${sortFieldsMax} fields, not ${fields.length}`;
    given.refuse('sort', 'too_long', msg, ctx);
  }
  const names = fields.map((field) => field.column);
  checkNames(given, 'sort', names);
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

function readAsOf(given: GivenParameters): AskedVersion | null {
  const asOf = given.text('as_of');
  if (asOf === null) return null;
  // Parsing a time succeeds or fails alike under any clock.
  if (readMoment(asOf, 'UTC') === null) {
    const msg = `Cannot parse the value '${asOf}' of 'as_of' as ${TIME.label}: give ${ACCEPTS_TIME}`;
    given.refuse('as_of', TIME.problemType, msg, { accepts: ACCEPTS_TIME });
  }
  return { asOf };
}

export function readAskedVersion(given: GivenParameters): AskedVersion | null {
  if (given.text('dataset_version') !== null && given.text('as_of') !== null) {
    const msg = "Give either 'dataset_version' or 'as_of', not both";
    given.refuse('as_of', 'exclusive_parameters', msg);
  }
  const asOf = readAsOf(given);
  const version = given.version('dataset_version');
  return version === null ? asOf : { version };
}

export interface AskedAdjustment extends AdjustmentChoice {
  /** True if the factors are added to any requested columns. */
  readonly withFactors: boolean;
  /** Version of the dataset of factors; null: the current one. */
  readonly factorsVersion: number | null;
}

function readAsOfDate(given: GivenParameters): string | null {
  const text = given.text('adjusted_as_of');
  if (text === null || isCalendarDate(text)) return text;
  const { accepts, label, problemType } = LITERALS.date;
  const msg = `Cannot parse the value '${text}' of 'adjusted_as_of' as ${label}: give ${accepts}`;
  return given.refuse('adjusted_as_of', problemType, msg, { accepts });
}

export function readAdjustment(given: GivenParameters): AskedAdjustment {
  return {
    asOf: readAsOfDate(given),
    adjustments: given.choice('adjustments', ADJUSTMENTS) ?? ADJUSTMENTS[0],
    withFactors: given.flag('adjustment_factors') ?? false,
    factorsVersion: given.version('factors_version'),
  };
}

/** True if raw rows must be restated because stored adjusted rows do not answer the request. */
export function isRestated({ asOf, adjustments }: AdjustmentChoice): boolean {
  return asOf !== null || adjustments !== 'all';
}
