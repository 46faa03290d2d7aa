/**
 * Schemas are declared once with Valibot: types, validation, JSON Schema and the words for legal
 * values come from the same declaration. This file has what our declarations add to the library's.
 */
import * as v from 'valibot';

/** Reads `In`, as JSON has it, as `Out`. */
// biome-ignore lint/suspicious/noExplicitAny: a schema of any type
export type Schema<In = any, Out = any> = v.GenericSchema<In, Out>;

/** Words that go with a schema, beside what JSON Schema knows. */
interface Words {
  /** A legal value in words, to be read after 'should be'. */
  readonly legal?: string;
  /** Said instead of a given illegal value; null: nothing better is known. */
  readonly explain?: (value: unknown) => string | null;
  /** Says null where values are given as texts. */
  readonly nullText?: string;
}

/** Never part of a JSON Schema. */
export const WORD_NAMES: readonly string[] = ['legal', 'explain', 'nullText'];

function words<T>(given: Words) {
  return v.metadata<T, Words & Record<string, unknown>>({ ...given });
}

/** `explain` gives better words for some illegal values. */
export function legal<T>(text: string, explain?: (value: unknown) => string | null) {
  return words<T>({ legal: text, ...(explain ? { explain } : {}) });
}

/** Keywords of JSON Schema that say what they can of a rule that only code knows whole. */
export function keywords<T>(given: Readonly<Record<string, unknown>>) {
  return v.metadata<T, Record<string, unknown>>({ ...given });
}

/** A value as `parse` reads it; the value is illegal where that is undefined. */
export function parsed<In, Out>(parse: (value: In) => Out | undefined) {
  return v.rawTransform<In, Out>(({ dataset, addIssue, NEVER }) => {
    const value = parse(dataset.value);
    if (value !== undefined) return value;
    addIssue();
    return NEVER;
  });
}

export function integerFrom(min: number, max: number) {
  return v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max));
}

export function oneOf<const T extends string | number>(values: readonly T[]) {
  return v.pipe(v.picklist(values), legal(`one of ${values.join(', ')}`));
}

export function wholeNumber(min: number, max: number) {
  return v.pipe(integerFrom(min, max), legal(`a whole number from ${min} to ${max}`));
}

/** A field that every file has; `meaning` is a sentence or more. */
export function needed<S extends Schema>(schema: S, meaning: string) {
  return v.pipe(schema, v.description(meaning));
}

/** A field that files may leave out. */
export function optional<S extends Schema>(schema: S, meaning: string) {
  return v.exactOptional(needed(schema, meaning));
}

function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type ObjectOf<Entries extends v.ObjectEntries> = v.StrictObjectSchema<Entries, undefined>;

/** An object with these members and no others; each other one is a fault. */
export function objectOf<const Entries extends v.ObjectEntries>(entries: Entries) {
  const schema: Schema = v.pipe(
    v.custom<object>(isPlainObject),
    v.objectWithRest(entries, v.never()),
  );
  return schema as Schema<v.InferInput<ObjectOf<Entries>>, v.InferOutput<ObjectOf<Entries>>>;
}

export function nullable<Inner extends Schema>(inner: Inner, nullText = 'null') {
  return v.pipe(v.nullable(inner), words({ nullText }));
}

export function wordsOf(schema: Schema): Words {
  return v.getMetadata(schema) as Words;
}

const OPTIONAL_TYPES: readonly string[] = ['exact_optional', 'optional'];

interface Container {
  readonly type: string;
  readonly entries?: Readonly<Record<string, Schema>>;
  readonly item?: Schema;
  readonly wrapped?: Schema;
  readonly pipe?: readonly { readonly kind: string }[];
}

/** The schema in a pipe that its values fit in the end, without any pipe around it. */
export function structureOf(schema: Schema): Container {
  const container = schema as unknown as Container;
  const last = container.pipe?.findLast(({ kind }) => kind === 'schema');
  return last === undefined || last === schema ? container : structureOf(last as Schema);
}

/** The schema of a member or an entry; undefined: there is none. */
export function schemaInside(schema: Schema, step: string | number): Schema | undefined {
  const { wrapped, entries, item } = structureOf(schema);
  if (wrapped) return schemaInside(wrapped, step);
  const inside = item ?? (entries && Object.hasOwn(entries, step) ? entries[step] : undefined);
  return inside && OPTIONAL_TYPES.includes(inside.type) ? structureOf(inside).wrapped : inside;
}

/** A legal value in words, whatever is given. */
export function legalText(schema: Schema): string {
  const { legal: text } = wordsOf(schema);
  const { wrapped } = structureOf(schema);
  return text ?? (wrapped ? `${legalText(wrapped)}, or null` : '');
}
