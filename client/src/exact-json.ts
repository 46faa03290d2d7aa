/** JSON whose integers keep all their digits. */
import { IntegrityError } from './errors.ts';

/** Permanent numbers are `bigint`, as they are in rows. */
export type Exact<T> = T extends readonly (infer Item)[]
  ? readonly Exact<Item>[]
  : T extends object
    ? {
        readonly [Name in keyof T]: Name extends 'asid'
          ? bigint | Exclude<T[Name], number>
          : Exact<T[Name]>;
      }
    : T;

/** Texts and numbers, each with all of its characters: the digits of a fraction are no integer. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
const INTEGER = /^-?\d+$/;
const MARK = '\u0000integer ';

function marked(token: string): string {
  const isLong = INTEGER.test(token) && !Number.isSafeInteger(Number(token));
  return isLong ? JSON.stringify(MARK + token) : token;
}

function exactValue(name: string, value: unknown): unknown {
  if (typeof value === 'string' && value.startsWith(MARK)) return BigInt(value.slice(MARK.length));
  return name === 'asid' && typeof value === 'number' ? BigInt(value) : value;
}

/** Integers beyond those that a double has are `bigint`. Throws an IntegrityError for what is no JSON. */
export function exactJson<T>(text: string): T {
  try {
    return JSON.parse(text.replace(TOKEN, marked), exactValue) as T;
  } catch (error) {
    const asking = 'is there a login page or a proxy in between?';
    throw new IntegrityError(`The answer is no JSON: ${asking} ${(error as Error).message}`);
  }
}
