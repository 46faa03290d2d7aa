/** Checks a value while it is typed, by the same rules as the service. */

import type { Operator } from '@ticklake/client';
import type { ShapeColumn } from './dataset-shape';
import { OPERATORS } from './operators';

type DataType = ShapeColumn['data_type'];

const FIRST_YEAR = 1900;
const LAST_YEAR = 2199;
const INTEGER = /^-?\d+$/;
const INTEGER_MIN = -(2n ** 63n);
const INTEGER_MAX = 2n ** 63n - 1n;
const NUMBER = /^-?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;
const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)$/;
const BOOLEAN = /^(true|false)$/;
const DATE_TIME =
  /^(\d{4}-\d\d-\d\d)[T ]([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[-+]([01]\d|2[0-3]):[0-5]\d)?$/;
/** To these a date can only be its midnight. */
const MIDNIGHT_OPERATORS: readonly Operator[] = ['ge', 'lt'];

/** A day of the calendar in the years that the service knows. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const year = Number(text.slice(0, 4));
  if (year < FIRST_YEAR || year > LAST_YEAR) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

function isInteger(text: string): boolean {
  if (!INTEGER.test(text)) return false;
  const value = BigInt(text);
  return value >= INTEGER_MIN && value <= INTEGER_MAX;
}

interface Rule {
  readonly isLegal: (text: string, operator: Operator) => boolean;
  readonly expected: string;
}

const INTEGER_RULE: Rule = { isLegal: isInteger, expected: 'a whole number, such as 33449' };
const NUMBER_RULE: Rule = {
  isLegal: (text) => NUMBER.test(text) && Number.isFinite(Number(text)),
  expected: 'a number, such as 189.25',
};

const RULES: Readonly<Record<DataType, Rule>> = {
  string: { isLegal: () => true, expected: '' },
  'array of string': { isLegal: () => true, expected: '' },
  integer: INTEGER_RULE,
  'array of integer': INTEGER_RULE,
  number: NUMBER_RULE,
  'array of number': NUMBER_RULE,
  // How many digits a column has is up to the service.
  decimal: {
    isLegal: (text) => DECIMAL.test(text),
    expected: 'a number without exponent, such as 189.25',
  },
  boolean: { isLegal: (text) => BOOLEAN.test(text), expected: 'true or false' },
  date: { isLegal: isDate, expected: 'a date, such as 2026-11-18' },
  'date-time': {
    isLegal: (text, operator) =>
      (DATE_TIME.test(text) && isDate(text.slice(0, 10))) ||
      (MIDNIGHT_OPERATORS.includes(operator) && isDate(text)),
    expected: 'a time, such as 2026-11-18T09:30:00',
  },
};

/** The values of a list: separated by commas, in double quotes where they hold commas. */
export function splitList(text: string): string[] | null {
  const values: string[] = [];
  const value = /"((?:[^"]|"")*)"(?=,|$)|([^",][^,]*|)(?=,|$)/y;
  for (let at = 0; ; at += 1) {
    value.lastIndex = at;
    const match = value.exec(text);
    if (match === null) return null;
    values.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    at = value.lastIndex;
    if (at >= text.length) return values;
  }
}

export function hasControlCharacters(text: string): boolean {
  return /\p{Cc}/u.test(text);
}

function typeProblem(
  dataType: DataType,
  operator: Operator,
  values: readonly string[],
): string | null {
  const { isLegal, expected } = RULES[dataType];
  const wrong = values.find((value) => !isLegal(value, operator));
  if (wrong === undefined) return null;
  return values.length > 1 ? `‘${wrong}’ must be ${expected}` : `Must be ${expected}`;
}

/** The problem with the value of a filter; null if there is none. */
export function valueProblem(dataType: DataType, operator: Operator, value: string): string | null {
  if (hasControlCharacters(value)) return 'Must not contain control characters';
  const { operand } = OPERATORS[operator];
  if (operand === 'pattern') return null;
  if (operand === 'value') return typeProblem(dataType, operator, [value]);
  const values = splitList(value);
  return values === null
    ? 'Close the double quote, and put nothing but a comma after it'
    : typeProblem(dataType, operator, values);
}
