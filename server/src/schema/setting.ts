/** Settings are declared beside the code that they are for, and read from the environment once. */
import * as v from 'valibot';
import { legal, legalText, parsed, type Schema } from './schema.ts';

export interface Setting<T> {
  /** The environment variable. */
  readonly environment: string;
  /** Reads the variable's text. */
  readonly schema: Schema<string, T>;
  /** Null where the setting is off until it is given. */
  readonly default: T;
  readonly help: string;
}

// biome-ignore lint/suspicious/noExplicitAny: a table of settings of any type
export type Settings = Readonly<Record<string, Setting<any>>>;

/** The values of a group of settings. */
export type ValuesOf<S extends Settings> = {
  readonly [Name in keyof S]: S[Name] extends Setting<infer T> ? T : never;
};

export function setting<T>(
  environment: string,
  schema: Schema<string, T>,
  defaultValue: NoInfer<T>,
  help: string,
): Setting<T> {
  return { environment, schema, default: defaultValue, help };
}

/** A setting that is null until it is given. */
export function optionalSetting<T>(
  environment: string,
  schema: Schema<string, T>,
  help: string,
): Setting<T | null> {
  return { environment, schema, default: null, help };
}

export function defaultsOf<S extends Settings>(settings: S): ValuesOf<S> {
  const entries = Object.entries(settings).map(([name, each]) => [name, each.default]);
  return Object.fromEntries(entries) as ValuesOf<S>;
}

/** A text that `parse` reads; it is illegal where that gives undefined. */
export function textOf<T>(words: string, parse: (text: string) => T | undefined) {
  return v.pipe(v.string(), legal(words), parsed(parse));
}

export const anyText = v.pipe(v.string(), v.minLength(1), legal('non-empty text'));

export function choice<const T extends string>(...values: readonly T[]) {
  return textOf(values.join(' or '), (text) => values.find((value) => value === text));
}

export function integer(min: number, max: number) {
  return v.pipe(
    v.string(),
    v.regex(/^\d{1,15}$/),
    v.transform(Number),
    v.minValue(min),
    v.maxValue(max),
    legal(`an integer from ${min} to ${max}`),
  );
}

/** Items between commas, each of them legal; none at all is an empty list. */
export function listOf<T>(item: Schema<string, T>, words: string) {
  return textOf<readonly T[]>(words, (text) => {
    const texts = text.split(',').filter((each) => each !== '');
    const items = texts.map((each) => v.safeParse(item, each.trim()));
    return items.every(({ success }) => success)
      ? items.map(({ output }) => output as T)
      : undefined;
  });
}

/** A legal value of a setting in words. */
export function legalSetting({ schema }: Setting<unknown>): string {
  return legalText(schema);
}
