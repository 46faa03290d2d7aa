/** Building blocks of answer schemas, and the types that they give. */
import * as v from 'valibot';
import { keywords, type Schema } from './schema.ts';

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Name in keyof T]: DeepReadonly<T[Name]> }
    : T;

/** An answer that fits the schema. */
export type Answer<S extends Schema> = DeepReadonly<v.InferOutput<S>>;

export const text = v.string();
export const integer = v.pipe(v.number(), v.integer());
export const flag = v.boolean();
/** `YYYY-MM-DD`. */
export const date = v.pipe(v.string(), v.isoDate());
/** In UTC, whole seconds, `Z`. */
export const time = v.pipe(v.string(), v.isoTimestamp());
export const texts = v.array(text);

/** An object of any members. */
export function anyObject() {
  return v.pipe(
    v.custom<object>((value) => typeof value === 'object' && value !== null),
    keywords({ type: 'object' }),
  );
}

/** A page of a list that goes on before an id. */
export function pageBefore<Item extends Schema>(item: Item) {
  const before = v.nullable(integer);
  return v.strictObject({
    data: v.array(item),
    pagination: v.strictObject({ before, limit: integer, next_before: before }),
  });
}

/** A page of a list that goes on after an id. */
export function pageOf<Item extends Schema>(item: Item) {
  return v.strictObject({
    data: v.array(item),
    pagination: v.strictObject({ after: integer, limit: integer, next_after: v.nullable(integer) }),
  });
}
