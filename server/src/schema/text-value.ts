/** Values that are given as texts: on a command line, in a path or in a query string. */
import { type Schema, structureOf, wordsOf } from './schema.ts';

/** Whole numbers written in the one usual way; all else stays a text and is then refused as one. */
function numberOfText(text: string): unknown {
  return /^(0|-?[1-9]\d*)$/.test(text) ? Number(text) : text;
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

const OF_TEXT: Readonly<Record<string, (text: string) => unknown>> = {
  number: numberOfText,
  boolean: (text) => BOOLEANS.get(text) ?? text,
};

/** The JSON value that a text stands for by the schema; nothing is the empty list. */
export function valueOfText(schema: Schema, text: string): unknown {
  const { type, wrapped, item } = structureOf(schema);
  if (wrapped) return text === wordsOf(schema).nullText ? null : valueOfText(wrapped, text);
  if (item) return text === '' ? [] : text.split(',').map((entry) => valueOfText(item, entry));
  return OF_TEXT[type]?.(text) ?? text;
}
