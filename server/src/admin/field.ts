/**
 * Fields of administrative operations. Input is a JSON object, whichever way it arrived; every
 * fault in it is found in one reading.
 */
import type { Catalog } from '../catalog/dataset.ts';
import { readValue, type ValueFault } from '../schema/read-value.ts';
import { legalText, type Schema } from '../schema/schema.ts';

/** A problem with one value. */
export interface Fault {
  /** The field's name, then the way to the value inside of it; empty: the input as a whole. */
  readonly path: readonly string[];
  readonly type: string;
  /** Said after the name of the field: `should be …`. */
  readonly complaint: string;
  /** Said instead where values are given as texts, if that differs. */
  readonly textComplaint?: string | undefined;
  readonly input: unknown;
}

/** Input that no operation is begun with; nothing has been changed. */
export class BadInput extends Error {
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    super(faults.map(({ path, complaint }) => `${path.join('.')} ${complaint}`).join('; '));
    this.name = 'BadInput';
    this.faults = faults;
  }
}

/** The context that values are read in, and the faults found so far. */
export interface Reading {
  readonly catalog: Catalog;
  readonly nowMs: number;
  readonly faults: Fault[];
}

type Context = Omit<Reading, 'faults'>;

/** A schema; where only the context makes a value complete, also how. */
export type FieldKind<T> = Schema<unknown, T> & {
  readonly complete?: (value: never, context: Context) => T | undefined;
};

/** A kind whose legal values depend on the context: `complete` gives undefined for any other. */
export function inContext<In, T>(
  schema: Schema<string, In>,
  complete: (value: In, context: Context) => T | undefined,
): FieldKind<T> {
  return { ...schema, complete } as unknown as FieldKind<T>;
}

/** How the command line gives a field or a part of it. */
export interface FieldOption {
  readonly name: string;
  /** Only for an option with a value. */
  readonly valueName?: string;
  /** May be given more than once, for a list. */
  readonly isMultiple?: boolean;
  /** The value that a flag stands for. */
  readonly flag?: unknown;
  /** The way to the part, from the field's own value. */
  readonly at?: readonly string[];
  /** Missing: the help of its field says it all. */
  readonly description?: string;
}

export interface Field<T, Required extends boolean = boolean> {
  readonly kind: FieldKind<T>;
  readonly isRequired: Required;
  /** One line without a full stop. */
  readonly help: string;
  readonly options: readonly FieldOption[];
}

// biome-ignore lint/suspicious/noExplicitAny: a table of fields of any type
export type Fields = Readonly<Record<string, Field<any>>>;

export type FieldValues<F extends Fields> = {
  readonly [Name in keyof F]: F[Name] extends Field<infer T, infer Required>
    ? Required extends true
      ? T
      : T | undefined
    : never;
};

/** `--name`, `--name VALUE`, or `--name VALUE...` for one that may be given more than once. */
type GivenOption = string | (Partial<FieldOption> & { readonly option: string });

function optionOf(given: GivenOption): FieldOption {
  const { option, ...others } = typeof given === 'string' ? { option: given } : given;
  const [, name = '', valueName, dots] = /^--([\w-]+)(?: (\w.*?)(\.\.\.)?)?$/.exec(option) ?? [];
  if (valueName === undefined) return { name, flag: true, ...others };
  return { name, valueName, isMultiple: dots !== undefined, ...others };
}

export function required<T>(
  kind: FieldKind<T>,
  help: string,
  ...options: GivenOption[]
): Field<T, true> {
  return { kind, isRequired: true, help, options: options.map(optionOf) };
}

export function optional<T>(
  kind: FieldKind<T>,
  help: string,
  ...options: GivenOption[]
): Field<T, false> {
  return { ...required(kind, help, ...options), isRequired: false };
}

/** As another operation may leave it out. */
export function asOptional<T>(field: Field<T>): Field<T, false> {
  return { ...field, isRequired: false };
}

/** An option in the help of a command. */
export function optionText({ help }: Pick<Field<unknown>, 'help'>, option: FieldOption): string {
  if (option.description !== undefined) return option.description;
  const [text = '', byDefault] = help.split('; default: ');
  const isWord = /^.[^A-Z]/.test(text);
  const said = isWord ? `${text.charAt(0).toLowerCase()}${text.slice(1)}` : text;
  const more = option.isMultiple ? '; may be given more than once' : '';
  const isShown = byDefault !== undefined && option.valueName !== undefined;
  return `${said}${more}${isShown ? ` (default: ${byDefault})` : ''}`;
}

const ECHOED_CHARACTERS = 100;

/** The part of a bad value that an answer repeats: never more than a line. */
function echo(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, ECHOED_CHARACTERS);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' && value !== null ? 'an object' : value;
}

export function fault(
  path: readonly string[],
  type: string,
  complaint: string,
  input: unknown,
): Fault {
  return { path, type, complaint, input: echo(input) };
}

/** Throws `BadInput` with a single fault: for what only an operation itself can know. */
export function refuse(field: string, type: string, complaint: string, input: unknown): never {
  throw new BadInput([fault([field], type, complaint, input)]);
}

function unknownComplaint(legal: string): string {
  return `is unknown; ${legal === '' ? 'none is accepted here' : `it should be one of ${legal}`}`;
}

/** A fault of input that names a field that there is not. */
export function unknownField(name: string, known: readonly string[], value: unknown): Fault {
  return fault([name], 'unknown_field', unknownComplaint(known.join(', ')), value);
}

const COMPLAINTS: Readonly<Record<ValueFault['type'], (legal: string) => string>> = {
  illegal_value: (legal) => `should be ${legal}`,
  missing: () => 'is missing',
  unknown_field: unknownComplaint,
};

function faultOf(field: string, { path, type, legal, textLegal, value }: ValueFault): Fault {
  const complaint = COMPLAINTS[type];
  return {
    ...fault([field, ...path.map(String)], type, complaint(legal), value),
    ...(textLegal === undefined ? {} : { textComplaint: complaint(textLegal) }),
  };
}

/** The value, or what is legal of it after adding to the faults. */
function readField<T>(
  field: string,
  kind: FieldKind<T>,
  given: unknown,
  { faults, ...context }: Reading,
): T | undefined {
  const read = readValue(kind, given);
  faults.push(...read.faults.map((each) => faultOf(field, each)));
  if (!kind.complete || read.faults.length > 0) return read.value;
  const complete = kind.complete(read.value as never, context);
  if (complete === undefined) {
    faults.push(fault([field], 'illegal_value', `should be ${legalText(kind)}`, given));
  }
  return complete;
}

/** Reads every field of `input` and adds to the faults; an unexpected null is one. */
export function readFields(
  fields: Fields,
  input: Readonly<Record<string, unknown>>,
  reading: Reading,
): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (const [name, { kind, isRequired }] of Object.entries(fields)) {
    const given = Object.hasOwn(input, name) ? input[name] : undefined;
    if (given !== undefined) values[name] = readField(name, kind, given, reading);
    else if (isRequired) reading.faults.push(fault([name], 'missing', 'is missing', null));
  }
  return values;
}

/** An object of parts is given when it has any. */
function isGiven(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return value !== undefined;
  }
  return Object.keys(value).length > 0;
}

/** Refuses input that has none of the fields `names`, if there are any. */
export function requireAny(
  values: Readonly<Record<string, unknown>>,
  [first, ...others]: readonly string[],
): void {
  if (first === undefined || [first, ...others].some((name) => isGiven(values[name]))) return;
  const quoted = others.map((name) => `'${name}'`).join(', ');
  const choice = others.length > 1 ? `one of ${quoted}` : quoted;
  refuse(first, 'missing', `is missing; give it or ${choice}`, null);
}
