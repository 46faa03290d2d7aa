/** JSON whose integers keep all their digits. */
import { IntegrityError } from './errors.ts';

/** Members that are `bigint`, as in rows: numbers of securities, and sizes. */
const INTEGERS = [
  ...(['asid', 'sec_id', 'multiplier', 'bid_size', 'ask_size'] as const),
  ...(['last_trade_size', 'open_interest'] as const),
];

/** An answer whose integers of securities keep all their digits; all other numbers are `number`. */
export type Exact<T> = T extends readonly (infer Item)[]
  ? readonly Exact<Item>[]
  : T extends object
    ? {
        readonly [Name in keyof T]: Name extends (typeof INTEGERS)[number]
          ? bigint | Exclude<T[Name], number>
          : Exact<T[Name]>;
      }
    : T;

/** Texts, and integers: the digits of a fraction are none. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
const MARK = '\u0000integer ';

function marked(token: string): string {
  const isLong = /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token));
  return isLong ? JSON.stringify(MARK + token) : token;
}

function exactValue(name: string, value: unknown): unknown {
  const isLong = typeof value === 'string' && value.startsWith(MARK);
  if (!isLong && typeof value !== 'number') return value;
  const digits = isLong ? value.slice(MARK.length) : value;
  return (INTEGERS as readonly string[]).includes(name) ? BigInt(digits) : Number(digits);
}

/** Throws an IntegrityError for what is no JSON. */
export function exactJson<T>(text: string): T {
  try {
    return JSON.parse(text.replace(TOKEN, marked), exactValue) as T;
  } catch (error) {
    const asking = 'is there a login page or a proxy in between?';
    throw new IntegrityError(`The answer is no JSON: ${asking} ${(error as Error).message}`);
  }
}
