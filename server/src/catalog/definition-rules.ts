/**
 * Describes the legal values of a definition file's fields as data, and has the one function that reads a
 * parsed file by it. Reading never throws: what is wrong is reported and left out of the result.
 */
import { isTimeZone, TIME_ZONE_LEGAL, type TimeZone } from '../time/time-zone.ts';

/** From the top of the file: field names, and positions in lists counted from 0. */
export type FieldPath = readonly (string | number)[];
export type Report = (path: FieldPath, message: string) => void;

interface ScalarRule<T> {
  readonly kind: 'scalar';
  /** The legal values in words, to be read after 'must be'. */
  readonly legal: string;
  readonly accepts: (value: unknown) => value is T;
}
interface ListRule<E extends Rule> {
  readonly kind: 'list';
  readonly legal: string;
  readonly minLength: number;
  readonly element: E;
}
interface MappingRule<F extends Fields> {
  readonly kind: 'mapping';
  readonly legal: string;
  readonly fields: F;
}
type Rule = ScalarRule<unknown> | ListRule<Rule> | MappingRule<Fields>;

interface Field<R extends Rule, Required extends boolean> {
  readonly rule: R;
  readonly isRequired: Required;
}
interface Fields {
  readonly [name: string]: Field<Rule, boolean>;
}

type RequiredKey<F> = { [K in keyof F]: F[K] extends Field<Rule, true> ? K : never }[keyof F];
type FieldValue<F> = F extends Field<infer R, boolean> ? ValueOf<R> : never;

/** The values that a rule accepts. */
export type ValueOf<R> =
  R extends ScalarRule<infer T>
    ? T
    : R extends ListRule<infer E>
      ? readonly ValueOf<E>[]
      : R extends MappingRule<infer F>
        ? { readonly [K in RequiredKey<F>]: FieldValue<F[K]> } & {
            readonly [K in Exclude<keyof F, RequiredKey<F>>]?: FieldValue<F[K]>;
          }
        : never;

/** A value with whatever was wrong or missing left out; lists keep their positions. */
export type Draft<V> = V extends readonly (infer E)[]
  ? readonly (Draft<E> | undefined)[]
  : V extends object
    ? { readonly [K in keyof V]?: Draft<V[K]> | undefined }
    : V;

export function required<R extends Rule>(rule: R): Field<R, true> {
  return { rule, isRequired: true };
}

export function optional<R extends Rule>(rule: R): Field<R, false> {
  return { rule, isRequired: false };
}

export function matching(pattern: RegExp, legal: string): ScalarRule<string> {
  const accepts = (value: unknown) => typeof value === 'string' && pattern.test(value);
  return { kind: 'scalar', legal, accepts: accepts as ScalarRule<string>['accepts'] };
}

export function oneOf<const T extends string | number>(values: readonly T[]): ScalarRule<T> {
  const accepts = (value: unknown) => values.includes(value as T);
  const legal = `one of ${values.join(', ')}`;
  return { kind: 'scalar', legal, accepts: accepts as ScalarRule<T>['accepts'] };
}

export function listOf<E extends Rule>(element: E, minLength: 0 | 1): ListRule<E> {
  const atLeast = minLength > 0 ? ` (at least ${minLength})` : '';
  return { kind: 'list', legal: `a list${atLeast}, each ${element.legal}`, minLength, element };
}

export function mapping<const F extends Fields>(fields: F): MappingRule<F> {
  return { kind: 'mapping', legal: `the fields ${Object.keys(fields).join(', ')}`, fields };
}

export const BOOLEAN: ScalarRule<boolean> = {
  kind: 'scalar',
  legal: 'true or false',
  accepts: (value) => typeof value === 'boolean',
};

const DATE_PATTERN = /^\d{4}-\d\d-\d\d$/;

export const DATE: ScalarRule<string> = {
  kind: 'scalar',
  legal: 'a calendar date YYYY-MM-DD',
  accepts: (value): value is string => {
    if (typeof value !== 'string' || !DATE_PATTERN.test(value)) return false;
    const epochMs = Date.parse(`${value}T00:00:00Z`);
    return !Number.isNaN(epochMs) && new Date(epochMs).toISOString().startsWith(value);
  },
};

export const TIME_ZONE: ScalarRule<TimeZone> = {
  kind: 'scalar',
  legal: TIME_ZONE_LEGAL,
  accepts: (value): value is TimeZone => typeof value === 'string' && isTimeZone(value),
};

const SHOWN_LENGTH_MAX = 60;

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX)}…` : text;
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readFields(fields: Fields, value: object, path: FieldPath, report: Report): unknown {
  const given = new Map<string, unknown>(Object.entries(value));
  for (const name of given.keys()) {
    if (Object.hasOwn(fields, name)) continue;
    report([...path, name], `is not a field; legal fields: ${Object.keys(fields).join(', ')}`);
  }
  const draft: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const fieldPath = [...path, name];
    const fieldValue = given.get(name) ?? undefined;
    if (fieldValue !== undefined) draft[name] = read(field.rule, fieldValue, fieldPath, report);
    else if (field.isRequired) report(fieldPath, `is missing; it must be ${field.rule.legal}`);
  }
  return draft;
}

function read(rule: Rule, value: unknown, path: FieldPath, report: Report): unknown {
  if (rule.kind === 'scalar' && rule.accepts(value)) return value;
  if (rule.kind === 'list' && Array.isArray(value) && value.length >= rule.minLength) {
    return value.map((element, i) => read(rule.element, element, [...path, i], report));
  }
  if (rule.kind === 'mapping' && isMapping(value)) {
    return readFields(rule.fields, value, path, report);
  }
  report(path, `must be ${rule.legal}, not ${shown(value)}`);
  return undefined;
}

/** The value as far as the rule accepts it. It is whole when nothing was reported. */
export function readByRule<R extends Rule>(
  rule: R,
  value: unknown,
  report: Report,
): Draft<ValueOf<R>> | undefined {
  return read(rule, value, [], report) as Draft<ValueOf<R>> | undefined;
}
