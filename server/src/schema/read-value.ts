/** Reads a value by its schema and says in words what is wrong with it. */
import * as v from 'valibot';
import { type Schema, schemaInside, structureOf, wordsOf } from './schema.ts';

/** Names of members, and positions in lists counted from 0. */
export type ValuePath = readonly (string | number)[];

export interface ValueFault {
  readonly path: ValuePath;
  readonly type: 'illegal_value' | 'missing' | 'unknown_field';
  /** The legal values in words; the legal names where the name is unknown. */
  readonly legal: string;
  /** The words for values given as texts, if they differ. */
  readonly textLegal?: string;
  readonly value: unknown;
}

export interface ReadValue<T> {
  /** Whole when there is no fault; else what is wrong in it is undefined. */
  readonly value: T;
  readonly faults: readonly ValueFault[];
}

type Issue = v.BaseIssue<unknown>;

function pathOf({ path = [] as never }: Issue): ValuePath {
  return path.map(({ key }) => key as string | number);
}

/** Each schema on the way to a value, the innermost last. */
function schemasAlong(schema: Schema, path: ValuePath): Schema[] {
  const schemas = [schema];
  for (const step of path) {
    const next = schemaInside(schemas.at(-1) as Schema, step);
    if (!next) break;
    schemas.push(next);
  }
  return schemas;
}

/** The legal words of a schema; those of what it wraps where it has none of its own. */
function legalOf(schema: Schema, value: unknown): string {
  const { legal, explain } = wordsOf(schema);
  const text = explain?.(value) ?? legal;
  const { wrapped } = structureOf(schema);
  return text ?? (wrapped ? legalOf(wrapped, value) : '');
}

function faultOf(root: Schema, issue: Issue): ValueFault {
  const path = pathOf(issue);
  const last = issue.path?.at(-1);
  if (issue.type === 'never') {
    const parent = schemasAlong(root, path.slice(0, -1)).at(-1) as Schema;
    const { wrapped } = structureOf(parent);
    const { entries = {} } = structureOf(wrapped ?? parent);
    const legal = Object.keys(entries).join(', ');
    return { path, type: 'unknown_field', legal, value: last?.value };
  }
  const type = last && 'origin' in last && last.origin === 'key' ? 'missing' : 'illegal_value';
  const schemas = schemasAlong(root, path);
  const legal = legalOf(schemas.at(-1) as Schema, issue.input);
  const nullTexts = schemas.flatMap((schema) => wordsOf(schema).nullText ?? []);
  const or = (texts: readonly string[]) =>
    texts.reduce((text, word) => `${text}, or ${word}`, legal);
  return {
    path,
    type,
    legal: or(nullTexts.map(() => 'null')),
    ...(nullTexts.length > 0 ? { textLegal: or(nullTexts) } : {}),
    value: last ? last.value : issue.input,
  };
}

/** Leaves out what is at the path of a fault. */
function without(value: unknown, [step, ...rest]: ValuePath): unknown {
  if (step === undefined) return undefined;
  if (typeof value !== 'object' || value === null) return value;
  const members = value as Record<string | number, unknown>;
  if (Object.hasOwn(members, step)) members[step] = without(members[step], rest);
  return value;
}

/** Never throws. A value has at most one fault; its parts have their own. */
export function readValue<S extends Schema>(
  schema: S,
  given: unknown,
): ReadValue<v.InferOutput<S>> {
  const { success, output, issues } = v.safeParse(schema, given);
  if (success) return { value: output, faults: [] };
  const byPath = new Map(
    issues.toReversed().map((issue) => [JSON.stringify(pathOf(issue)), issue] as const),
  );
  const faults = [...byPath.values()].toReversed().map((issue) => faultOf(schema, issue));
  const value = faults.reduce((left, { path }) => without(left, path), output as unknown);
  return { value: value as v.InferOutput<S>, faults };
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

const OF_TEXT: Readonly<Record<string, (text: string) => unknown>> = {
  // Written in the one usual way; all else stays a text and is then refused as one.
  number: (text) => (/^(0|-?[1-9]\d*)$/.test(text) ? Number(text) : text),
  boolean: (text) => BOOLEANS.get(text) ?? text,
};

/** The JSON value that a text stands for by the schema; nothing is the empty list. */
export function valueOfText(schema: Schema, text: string): unknown {
  const { type, wrapped, item } = structureOf(schema);
  if (wrapped) return text === wordsOf(schema).nullText ? null : valueOfText(wrapped, text);
  if (item) return text === '' ? [] : text.split(',').map((entry) => valueOfText(item, entry));
  return OF_TEXT[type]?.(text) ?? text;
}
