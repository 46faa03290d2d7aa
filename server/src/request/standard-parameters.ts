/** The parameters that every data endpoint knows. Each reader adds what is wrong to `problems`. */

import type { AggregationLogic } from '@ticklake/market/aggregation-logic.ts';
import * as v from 'valibot';
import type { Problem } from '../base/errors.ts';
import { INTERVAL_NAMES, type Interval } from '../catalog/interval.ts';
import type { Format } from '../formats/format.ts';
import { FORMATS } from '../formats/formats.ts';
import type { Schema } from '../schema/schema.ts';
import { acceptedFormat } from './accepted-format.ts';
import { limitSchema, offsetSchema, PAGE_PARAMETERS, SYMBOL_CHOICES } from './page-parameters.ts';
import { PERIOD_PATTERN, type Period, parsePeriod } from './period.ts';
import { alternatives, problemAt } from './request-problem.ts';
import type { DataRequestLimits } from './settings.ts';

/** Those that adjusted rows have. */
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

/** Those that only some segments have. */
export type SegmentParameterName = (typeof SEGMENT_PARAMETERS)[number];
type StandardParameter = keyof typeof PAGE_PARAMETERS | SegmentParameterName;

const STANDARD_PARAMETERS: ReadonlySet<string> = new Set([
  ...Object.keys(PAGE_PARAMETERS),
  ...SEGMENT_PARAMETERS,
]);

export function isStandardParameter(name: string): boolean {
  return STANDARD_PARAMETERS.has(name);
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

export function readAdjusted(text: string | undefined, problems: Problem[]): boolean | null {
  return readFlag('adjusted', text, problems);
}

export function readReceipt(text: string | undefined, problems: Problem[]): boolean {
  return readFlag('receipt', text, problems) ?? false;
}

export function readContinuous(text: string | undefined, problems: Problem[]): boolean {
  return readFlag('continuous', text, problems) ?? false;
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
